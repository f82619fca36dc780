"""Handlers without an application: what a function's process makes of them."""

import logging
import os
import subprocess
import sys
import time
from typing import Any

from sortkey.clock import now

calls: list[str] = []
not_a_function = 7


def echo(event: Any, context: Any) -> Any:
    calls.append(context.aws_request_id)
    return {
        "event": event,
        "calls": len(calls),
        "pid": os.getpid(),
        "now": now(),
        "name": context.function_name,
        "remaining": context.get_remaining_time_in_millis(),
        "environment": dict(os.environ),
    }


def talk(event: Any, context: Any) -> None:
    print("one\n\ntwo")  # noqa: T201
    print("no newline", end="")  # noqa: T201
    logging.getLogger("notes").warning("three")
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)


def fail(event: Any, context: Any) -> None:
    raise ValueError(event["why"])


def leave(event: Any, context: Any) -> None:
    os._exit(7)


def sleep(event: Any, context: Any) -> None:
    with open(event["file"], "a") as file:  # noqa: PTH123
        file.write("begun\n")
    time.sleep(event["seconds"])


def unserializable(event: Any, context: Any) -> Any:
    return {1, 2}


def large(event: Any, context: Any) -> str:
    return "x" * 7_000_000
