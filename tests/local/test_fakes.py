"""Fakes of services are entered for a run, and yield the settings of the service."""

import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from sortkey import ExternalService, Setting
from sortkey.local.errors import CannotRun
from sortkey.local.fakes import FakeRun, enter_fake

URL = Setting("ROOMS_URL", "The address of the rooms")
entered: list[str] = []


@contextmanager
def rooms(run: FakeRun) -> Generator[dict[str, str]]:
    entered.append("begin")
    yield {"ROOMS_URL": f"{run.api_urls['api']}/rooms at {run.clock():.0f} in {run.folder.name}"}
    entered.append("end")


@contextmanager
def empty(run: FakeRun) -> Generator[dict[str, str]]:
    yield {}


def broken(run: FakeRun) -> None:
    raise OSError("no port")


@pytest.fixture(autouse=True)
def module(monkeypatch: pytest.MonkeyPatch) -> None:
    made = ModuleType("fakes_of_a_test")
    vars(made).update(rooms=rooms, empty=empty, broken=broken)
    monkeypatch.setitem(sys.modules, "fakes_of_a_test", made)


def run(folder: Path) -> FakeRun:
    return FakeRun(folder, {"api": "http://127.0.0.1:1"}, lambda: 7.0)


def service(name: str) -> ExternalService:
    return ExternalService("rooms", f"fakes_of_a_test:{name}", (URL,))


def test_a_fake_is_entered_until_the_run_ends(tmp_path: Path) -> None:
    with ExitStack() as stack:
        values = enter_fake(service("rooms"), run(tmp_path / "rooms"), stack)

        assert values == {"ROOMS_URL": "http://127.0.0.1:1/rooms at 7 in rooms"}
        assert entered == ["begin"]

    assert entered == ["begin", "end"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("empty", "yields no value of ROOMS_URL"),
        ("broken", "cannot be started: OSError: no port"),
        ("missing", "cannot be started: AttributeError"),
    ],
)
def test_a_fake_that_cannot_be_used_is_named(tmp_path: Path, name: str, said: str) -> None:
    with ExitStack() as stack, pytest.raises(CannotRun, match=said):
        enter_fake(service(name), run(tmp_path), stack)
