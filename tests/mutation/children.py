"""Work in a process of its own, which has everything imported and ends with its answer."""

import json
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

# For those that wait for something that never comes; endless work ends by its processor time.
_LONGEST = 900


class OutOfTime(Exception):  # noqa: N818 - it says what happened
    """The work did not end within its time."""


class WorkFailed(Exception):  # noqa: N818 - it says what happened
    """The work ended with an error."""


def in_child(work: Callable[[], Any], log: Path, seconds: float) -> Any:
    """What the work returns, which JSON can hold; it has this much of a processor's time."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _work(work, log, seconds, writing)
    os.close(writing)
    try:
        return _answer(reading)
    finally:
        os.close(reading)
        # It leads a group, so that what it started ends with it.
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _work(work: Callable[[], Any], log: Path, seconds: float, writing: int) -> None:
    os.setsid()
    limit = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    with log.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        answer = {"answer": work()}
    except BaseException as error:  # noqa: BLE001 - whatever it is, this process is over
        traceback.print_exc()
        answer = {"error": f"{type(error).__name__}: {error}"}
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(json.dumps(answer).encode())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _answer(reading: int) -> Any:
    read = b""
    while select.select([reading], [], [], _LONGEST)[0]:
        more = os.read(reading, 1 << 20)
        if more:
            read += more
            continue
        if not read:
            raise OutOfTime
        answer = json.loads(read)
        if "error" in answer:
            raise WorkFailed(answer["error"])
        return answer["answer"]
    raise OutOfTime
