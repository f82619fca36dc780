"""Crowds leave everything as it should be, and would say if they did not."""

from pathlib import Path

import pytest
from benchmarks.load.__main__ import CROWDS
from benchmarks.load.running import Until, a_key_for_secrets, directly, over_http

pytestmark = pytest.mark.acceptance


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORTKEY_KEYS", raising=False)


@pytest.mark.parametrize("system", CROWDS)
def test_all_holds_after_a_crowd_at_an_api(system: str, tmp_path: Path) -> None:
    with a_key_for_secrets():
        outcome = over_http(CROWDS[system](), tmp_path / "load.db", Until(visits=60))

    assert outcome.faults == ()
    assert outcome.tally.errors == []
    assert outcome.tally.visits == 8 * 60
    assert outcome.tally.refused.total() < outcome.tally.visits / 2


@pytest.mark.parametrize("system", CROWDS)
def test_all_holds_after_a_crowd_at_the_services(system: str, tmp_path: Path) -> None:
    with a_key_for_secrets():
        outcome, requests = directly(CROWDS[system](), tmp_path / "load.db", Until(visits=400))

    assert outcome.faults == ()
    assert outcome.tally.visits == 400
    assert requests.visits >= 400
    assert requests.seconds < outcome.tally.seconds
