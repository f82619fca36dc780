"""A loop goes on until it is stopped, also after an error, and can be woken."""

import threading

from tests.local.outside import eventually

from sortkey.local.consuming.loop import Loop
from sortkey.local.functions import Stopped


def test_a_loop_that_waits_can_be_woken_and_stopped() -> None:
    steps: list[int] = []
    loop = Loop("test", lambda: steps.append(1) or 600.0)
    loop.start()
    eventually(lambda: len(steps) == 1)

    loop.wake()
    eventually(lambda: len(steps) == 2)
    loop.stop()
    loop.join(30)

    assert len(steps) == 2
    assert "test" not in [thread.name for thread in threading.enumerate()]


def test_an_error_does_not_end_it(monkeypatch: object) -> None:
    steps: list[int] = []

    def step() -> float:
        steps.append(1)
        if len(steps) == 1:
            raise ValueError
        return 600.0

    loop = Loop("test", step)
    loop.start()

    eventually(lambda: len(steps) == 2)
    loop.stop()
    loop.join(30)


def test_it_ends_when_functions_take_no_more_calls() -> None:
    def step() -> float:
        raise Stopped

    loop = Loop("test", step)
    loop.start()

    loop.join(30)
