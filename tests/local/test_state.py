"""The state folder is used by one run at a time, and a later one continues with it."""

import time
from pathlib import Path

import pytest

from sortkey.local.errors import CannotRun
from sortkey.local.state import KeptClock, RunState


def test_one_run_uses_it_at_a_time(tmp_path: Path) -> None:
    first = RunState(tmp_path / "state")

    with pytest.raises(CannotRun, match="another `sortkey run` uses"):
        RunState(tmp_path / "state")

    first.close()
    RunState(tmp_path / "state").close()


def test_git_leaves_it_out(tmp_path: Path) -> None:
    RunState(tmp_path / "a" / "state").close()

    assert (tmp_path / "a" / "state" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    RunState(tmp_path).close()

    assert not (tmp_path / ".gitignore").exists()


def test_a_secret_is_made_once_and_for_this_user_only(tmp_path: Path) -> None:
    state = RunState(tmp_path)

    first = state.secret("cursors")

    assert len(first) > 20
    assert state.secret("cursors") == first
    assert state.secret("others", lambda: "made") == "made"
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "keys" / "cursors").stat().st_mode & 0o777 == 0o600


def test_small_files_are_replaced_at_once(tmp_path: Path) -> None:
    state = RunState(tmp_path)
    assert state.read("streams/a") is None

    for number in (1, 2):
        state.write("streams/a", {"number": number})

    assert state.read("streams/a") == {"number": 2}
    assert [path.name for path in (tmp_path / "streams").iterdir()] == ["a.json"]


def test_a_later_run_continues_at_the_time_to_which_the_clock_was_moved(tmp_path: Path) -> None:
    state = RunState(tmp_path)
    clock = KeptClock(state)
    assert abs(clock() - time.time()) < 60

    clock.move(86_400)
    clock.move(3600)

    later = KeptClock(state)
    assert later.distance == clock.distance == 90_000
    assert abs(later() - clock()) < 60
    later.move(-90_000)
    assert abs(KeptClock(state)() - time.time()) < 60
