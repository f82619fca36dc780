"""An interpreter of the target's version is this one, one on the path, or one that uv knows."""

import sys
from pathlib import Path

import pytest

from sortkey.assets import interpreters
from sortkey.assets.interpreters import interpreter_for
from sortkey.assets.target import PYTHONS, LambdaTarget

CURRENT = f"{sys.version_info[0]}.{sys.version_info[1]}"
OTHER = next(python for python in PYTHONS if python != CURRENT)
TARGET = LambdaTarget(OTHER)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the path; uv is not there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(interpreters, "uv_here", lambda: None)
    return tmp_path


def program(path: Path, said: str) -> Path:
    path.write_text(f"#!/bin/sh\n{said}\n")
    path.chmod(0o755)
    return path


def test_this_interpreter_is_used_if_its_version_is_the_target_s() -> None:
    assert interpreter_for(LambdaTarget(CURRENT)) == Path(sys.executable)


def test_one_on_the_path_is_used(programs: Path) -> None:
    made = program(programs / TARGET.runtime, f"echo cpython {OTHER.replace('.', ' ')}")

    assert interpreter_for(TARGET) == made


@pytest.mark.parametrize("said", ["echo pypy 3 13", "echo cpython 3 9", "exit 127"])
def test_one_that_is_not_what_its_name_says_is_not(said: str, programs: Path) -> None:
    program(programs / TARGET.runtime, said)

    assert interpreter_for(TARGET) is None


def test_uv_may_know_one(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = program(programs / "hidden", f"echo cpython {OTHER.replace('.', ' ')}")
    uv = program(programs / "uv-of-tests", f"echo {made}")
    monkeypatch.setattr(interpreters, "uv_here", lambda: uv)

    assert interpreter_for(TARGET) == made


def test_without_any_there_is_none(programs: Path) -> None:
    assert list(programs.iterdir()) == []
    assert interpreter_for(TARGET) is None
