"""One event loop for each process, which stays open."""

import asyncio
import subprocess
import sys
from contextvars import ContextVar

import pytest

from sortkey import Refused
from sortkey.access.background_loop import run_in_background

_FORKING = """
import asyncio, os
from sortkey.access.background_loop import run_in_background

run_in_background(asyncio.sleep(0))
child = os.fork()
if child == 0:
    run_in_background(asyncio.sleep(0))
    print("the child waited", flush=True)
    os._exit(0)
os.waitpid(child, 0)
run_in_background(asyncio.sleep(0))
print("so did its parent")
"""


async def loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_two_calls_run_on_the_same_loop() -> None:
    assert run_in_background(loop()) is run_in_background(loop())


def test_what_is_awaited_sees_what_its_caller_has_set() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    variable.set("by the caller")

    async def heard() -> str:
        return variable.get()

    assert run_in_background(heard()) == "by the caller"


def test_a_call_from_the_loop_itself_is_refused_instead_of_waiting_forever() -> None:
    async def nested() -> None:
        run_in_background(asyncio.get_running_loop().create_future())

    with pytest.raises(Refused, match="await its __wrapped__ function instead"):
        run_in_background(nested())


def test_a_forked_process_has_a_loop_of_its_own() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _FORKING],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )

    assert ran.stdout.splitlines() == ["the child waited", "so did its parent"]
