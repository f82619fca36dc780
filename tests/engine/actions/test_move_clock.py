"""MoveClock."""

import time

import pytest

from sortkey.clock import MovableClock
from sortkey.engine import Engine
from sortkey.wire.errors import ValidationException


def test_a_movable_clock_is_moved_and_goes_on() -> None:
    with Engine.memory(clock=MovableClock()) as engine:
        before = time.time()
        moved = engine.answer("MoveClock", {"Seconds": 3600})["Now"]
        later = engine.answer("MoveClock", {"Seconds": 0})["Now"]

    assert moved >= before + 3600
    assert later >= moved


def test_another_clock_cannot_be_moved() -> None:
    with Engine.memory() as engine, pytest.raises(ValidationException, match="--movable-clock"):
        engine.answer("MoveClock", {"Seconds": 1})


@pytest.mark.parametrize("seconds", [1e20, -1e20])
def test_a_clock_stays_within_a_century(seconds: float) -> None:
    with Engine.memory(clock=MovableClock()) as engine, pytest.raises(ValidationException):
        engine.answer("MoveClock", {"Seconds": seconds})
