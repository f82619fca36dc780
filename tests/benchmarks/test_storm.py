"""Storms: what breaks is reported, and the systems withstand a short one."""

from pathlib import Path

import pytest
from benchmarks.load.__main__ import CROWDS
from benchmarks.load.oneonone import OneOnOne
from benchmarks.storm.__main__ import main

from sortkey import DB
from sortkey_systems.oneonone.design import User
from sortkey_systems.oneonone.registering import register

pytestmark = pytest.mark.acceptance


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORTKEY_KEYS", raising=False)


@pytest.mark.slow  # `.ci/run` has a storm of all systems
@pytest.mark.parametrize("system", ["oneonone", "shuttle"])
def test_a_system_withstands_a_short_storm(system: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", system, "--seconds", "4"]) == 0

    assert f"{system}: broken guarantees" in capsys.readouterr().out


def test_a_broken_guarantee_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Careless(OneOnOne):
        def prepare(self, db: DB) -> None:
            register(db, "user0")
            db(User.update(user_id="user0").set(lambda u: u.is_waiting_in_queue).to(True))

    monkeypatch.setitem(CROWDS, "oneonone", Careless)

    assert main(["--only", "oneonone", "--seconds", "0"]) == 1
    assert "A user is marked as waiting exactly while in a queue" in capsys.readouterr().err


def test_a_page_without_a_place_for_the_figures_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("no markers")

    assert main(["--write", str(page)]) == 2
