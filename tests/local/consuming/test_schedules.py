"""Each due time comes at most once, and after a jump of the clock only the latest."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.local.doubles import FAILED, ScriptedFunction
from tests.local.outside import eventually
from tests.local.surroundings import NOW, Place

from sortkey.folders.queues import FolderQueue
from sortkey.local.consuming.schedules import PlannedCall, Scheduler


class Scheduled:
    """A function with schedules."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder / "state")
        self.function = ScriptedFunction()
        self.dead = FolderQueue(self.place.state.dead_letters("functions", "notes"))

    def scheduler(self, *expressions: str) -> Scheduler:
        planned = [
            PlannedCall(expression, "notes-dev-notes", self.function.as_function, self.dead)
            for expression in expressions
        ]
        return Scheduler(planned, around=self.place.around)

    def times(self, scheduler: Scheduler, seconds: float) -> list[str]:
        """Move the clock, and return the due times of the calls that follow."""
        self.function.events.clear()
        self.place.clock.time += seconds
        scheduler.step()
        settle(scheduler)
        return [event["time"] for event in self.function.events]


def settle(scheduler: Scheduler) -> None:
    """Wait for the calls that have begun."""
    waiting = threading.Event()
    for _ in range(16):
        scheduler._threads.submit(time.sleep, 0.01)  # noqa: SLF001
    scheduler._threads.submit(waiting.set)  # noqa: SLF001
    waiting.wait(10)
    time.sleep(0.05)


@pytest.fixture
def scheduled(tmp_path: Path) -> Scheduled:
    return Scheduled(tmp_path)


def test_a_schedule_comes_when_it_is_due(scheduled: Scheduled) -> None:
    scheduler = scheduled.scheduler("rate(1 minute)")

    assert scheduled.times(scheduler, 59) == []
    assert scheduled.times(scheduler, 1) == ["2023-11-14T22:14:20Z"]
    assert scheduled.times(scheduler, 1) == []
    assert scheduled.times(scheduler, 59) == ["2023-11-14T22:15:20Z"]


def test_an_event_is_one_of_eventbridge(scheduled: Scheduled) -> None:
    scheduled.times(scheduled.scheduler("rate(1 minute)"), 60)

    [event] = scheduled.function.events
    assert event.pop("id")
    assert event == {
        "version": "0",
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": "2023-11-14T22:14:20Z",
        "region": "us-east-1",
        "resources": ["arn:aws:events:us-east-1:000000000000:rule/notes-dev-notes"],
        "detail": {},
    }


def test_after_a_jump_only_the_latest_time_comes(scheduled: Scheduled) -> None:
    scheduler = scheduled.scheduler("rate(1 minute)", "cron(0 3 * * ? *)")

    assert sorted(scheduled.times(scheduler, 7 * 86_400 + 30)) == [
        "2023-11-21T03:00:00Z",
        "2023-11-21T22:13:20Z",
    ]
    assert scheduled.times(scheduler, 0) == []


def test_no_time_comes_again_when_the_clock_goes_back(scheduled: Scheduled) -> None:
    scheduler = scheduled.scheduler("rate(1 minute)")
    scheduled.times(scheduler, 300)

    assert scheduled.times(scheduler, -240) == []
    assert scheduled.times(scheduler, 240) == []
    assert scheduled.times(scheduler, 60) == ["2023-11-14T22:19:20Z"]


def test_a_later_run_continues_with_the_same_times(scheduled: Scheduled) -> None:
    first = scheduled.scheduler("rate(1 hour)")
    scheduled.times(first, 3600)
    scheduled.place.clock.time += 600

    later = scheduled.scheduler("rate(1 hour)")

    assert scheduled.times(later, 0) == []
    assert scheduled.times(later, 3000) == ["2023-11-15T00:13:20Z"]
    # What was due while nothing ran comes once.
    scheduled.place.clock.time += 5 * 3600
    assert scheduled.times(scheduled.scheduler("rate(1 hour)"), 0) == ["2023-11-15T05:13:20Z"]


def test_a_due_time_is_stored_before_it_is_called_for(scheduled: Scheduled) -> None:
    stored: list[float] = []

    def handle(_event: object) -> None:
        [kept] = scheduled.place.state.read("schedules").values()
        stored.append(kept["last"])

    scheduled.function.handle = handle
    scheduler = scheduled.scheduler("rate(1 minute)")

    scheduled.times(scheduler, 60)

    assert stored == [NOW + 60]


def test_a_call_that_fails_is_repeated_twice_then_buried(scheduled: Scheduled) -> None:
    scheduled.function.handle = lambda _: FAILED
    scheduler = scheduled.scheduler("rate(1 day)")

    assert len(scheduled.times(scheduler, 86_400)) == 1
    assert len(scheduled.times(scheduler, 59)) == 0
    assert len(scheduled.times(scheduler, 1)) == 1
    assert len(scheduled.times(scheduler, 119)) == 0
    assert len(scheduled.times(scheduler, 1)) == 1
    assert len(scheduled.times(scheduler, 3600)) == 0

    [message] = scheduled.dead.receive(10, 4e9, 0)
    letter = json.loads(message.text)
    assert letter["event"]["time"] == "2023-11-15T22:13:20Z"
    assert (letter["error"], letter["tries"]) == ("ValueError: no reason", 3)


def test_a_repeated_call_has_the_same_event(scheduled: Scheduled) -> None:
    outcomes: list[Any] = [FAILED, None]
    scheduled.function.handle = lambda _: outcomes.pop(0)
    scheduler = scheduled.scheduler("rate(1 day)")
    scheduled.times(scheduler, 86_400)
    [first] = scheduled.function.events

    scheduled.times(scheduler, 60)

    assert scheduled.function.events == [first]
    assert not scheduled.dead.receive(10, 4e9, 0)


def test_the_next_times_are_known(scheduled: Scheduled) -> None:
    scheduler = scheduled.scheduler("rate(1 minute)", "cron(0 3 1 1 ? 2020)")

    assert [due for _, due in scheduler.next_times()] == [NOW + 60, None]


def test_a_slow_function_does_not_hold_up_others(scheduled: Scheduled) -> None:
    release = threading.Event()
    scheduled.function.handle = lambda _: release.wait(30) and None
    scheduler = scheduled.scheduler("rate(1 minute)", "rate(2 minutes)")
    scheduled.place.clock.time += 120

    scheduler.step()

    eventually(lambda: len(scheduled.function.events) == 2)
    release.set()
    settle(scheduler)
