"""A function runs as in Lambda: alone, with its own variables, its timeout, its concurrency."""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.local.outside import eventually
from tests.local.surroundings import Place

from sortkey import Function, Role
from sortkey.local.functions import FunctionFailed, LocalFunction, Stopped, Throttled
from sortkey.local.process import HandlerUnavailable, ProcessSettings
from sortkey.local.state import KeptClock
from sortkey.local.surroundings import Surroundings

HERE = Path(__file__).parent
Make = Callable[..., LocalFunction]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "state")


@pytest.fixture
def make(place: Place) -> Iterator[Make]:
    made: list[LocalFunction] = []
    lifeline, life = os.pipe()

    def function(name: str, around: Surroundings | None = None, **settings: Any) -> LocalFunction:
        declared = Function("notes", f"plain.handlers:{name}", Role("app", []), **settings)
        paths = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sys.path)}
        environment = {**paths, "LEVEL": "INFO"}
        process = ProcessSettings(declared.handler, environment, [str(HERE), *sys.path], lifeline)
        made.append(LocalFunction(declared, "notes-dev-notes", process, around or place.around))
        return made[-1]

    yield function
    for one in made:
        one.stop(10.0)
    os.close(life)
    os.close(lifeline)


def answer(function: LocalFunction, event: Any = None) -> Any:
    return json.loads(function.invoke(event or {}, "a test"))


def test_a_function_has_its_event_its_context_and_its_variables_only(make: Make) -> None:
    found = answer(make("echo"), {"text": "Ådne"})

    assert found["event"] == {"text": "Ådne"}
    assert found["name"] == "notes-dev-notes"
    assert 0 < found["remaining"] <= 10_000
    assert found["environment"]["LEVEL"] == "INFO"
    assert "HOME" not in found["environment"]


def test_a_process_is_used_again(make: Make) -> None:
    function = make("echo")

    first, second = answer(function), answer(function)

    assert (first["calls"], second["calls"]) == (1, 2)
    assert first["pid"] == second["pid"]


def test_the_clock_of_the_run_reaches_the_process(make: Make, place: Place) -> None:
    clock = KeptClock(place.state)
    around = Surroundings(
        place.state, clock, place.around.log, place.around.meters, place.around.names
    )
    function = make("echo", around)
    assert abs(answer(function)["now"] - clock()) < 60

    clock.move(1_000_000)

    assert abs(answer(function)["now"] - clock()) < 60


def test_the_log_has_what_the_function_prints_between_its_start_and_end(
    make: Make, place: Place
) -> None:
    function = make("talk")

    function.invoke({}, "GET /notes")

    day, *lines = place.log.splitlines()
    assert day == "2023-11-14 UTC"
    [(name, request)] = {tuple(line.split()[1:3]) for line in lines}
    assert name == "notes"
    logged = [line.partition(f"{request} ")[2] for line in lines]
    assert logged[:-1] == [
        "START GET /notes",
        "| one",
        "|",
        "| two",
        "| no newlineWARNING notes: three",
        "| from a child",
    ]
    assert logged[-1].startswith("END ok in ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fail", "ValueError: no reason"),
        ("leave", "Runtime.ExitError: the process ended with exit status 7"),
        ("unserializable", "Runtime.MarshalError: Unable to marshal response"),
        ("large", "Function.ResponseSizeTooLarge"),
    ],
)
def test_a_call_that_fails_says_why(make: Make, place: Place, name: str, said: str) -> None:
    function = make(name)

    with pytest.raises(FunctionFailed, match=said):
        function.invoke({"why": "no reason"}, "a test")

    assert f"END FAILED {said}" in place.log
    assert place.total("Errors", FunctionName="notes-dev-notes") == 1
    assert place.total("Invocations", FunctionName="notes-dev-notes") == 1


def test_a_call_that_takes_too_long_ends_with_its_process(
    make: Make, place: Place, tmp_path: Path
) -> None:
    function = make("sleep", timeout=timedelta(seconds=1))
    event = {"file": str(tmp_path / "file"), "seconds": 30}

    with pytest.raises(FunctionFailed, match=r"Task timed out after 1\.00 seconds"):
        function.invoke(event, "a test")

    function.invoke({**event, "seconds": 0}, "a test")
    assert (tmp_path / "file").read_text() == "begun\nbegun\n"


def test_more_calls_than_the_concurrency_are_throttled_or_wait(
    make: Make, place: Place, tmp_path: Path
) -> None:
    function = make("sleep", concurrency=1)
    file = tmp_path / "file"
    slow = threading.Thread(
        target=function.invoke, args=({"file": str(file), "seconds": 1}, "a test")
    )
    slow.start()
    eventually(file.exists)

    with pytest.raises(Throttled):
        function.invoke({}, "a test", waits=False)
    function.invoke({"file": str(file), "seconds": 0}, "a test")

    slow.join()
    assert place.total("Throttles", FunctionName="notes-dev-notes") == 1
    assert file.read_text() == "begun\nbegun\n"


def test_calls_at_the_same_time_have_their_own_processes(make: Make, tmp_path: Path) -> None:
    function = make("sleep")
    event = {"file": str(tmp_path / "file"), "seconds": 2}
    calls = [threading.Thread(target=function.invoke, args=(event, "a test")) for _ in range(2)]
    for call in calls:
        call.start()

    eventually(lambda: (tmp_path / "file").exists() and len((tmp_path / "file").read_text()) == 12)
    assert all(call.is_alive() for call in calls)
    for call in calls:
        call.join()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "AttributeError: module 'plain.handlers' has no attribute 'missing'"),
        ("not_a_function", "TypeError: it is not a function"),
    ],
)
def test_a_handler_that_cannot_be_used_is_reported(make: Make, name: str, said: str) -> None:
    with pytest.raises(HandlerUnavailable, match=said):
        make(name).start()


def test_no_call_begins_after_the_end(make: Make) -> None:
    function = make("echo")
    function.start()
    function.stop(0.0)

    with pytest.raises(Stopped):
        function.invoke({}, "a test")
