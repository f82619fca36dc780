"""After a crowd all guarantees hold, and a violated one is reported."""

from pathlib import Path

import pytest
from benchmarks.load.__main__ import CROWDS
from benchmarks.load.running import Until, directly, over_http, secrets_key

pytestmark = pytest.mark.acceptance


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORTKEY_KEYS", raising=False)


@pytest.mark.parametrize("system", CROWDS)
def test_all_holds_after_a_crowd_at_an_api(system: str, tmp_path: Path) -> None:
    with secrets_key():
        outcome = over_http(CROWDS[system](), tmp_path / "load.db", Until(visits=60))

    assert outcome.faults == ()
    assert outcome.tally.errors == []
    assert outcome.tally.visits == 8 * 60
    assert outcome.tally.refused.total() < outcome.tally.visits / 2


@pytest.mark.parametrize("system", CROWDS)
def test_all_holds_after_a_crowd_at_the_services(system: str, tmp_path: Path) -> None:
    with secrets_key():
        outcome, requests = directly(CROWDS[system](), tmp_path / "load.db", Until(visits=400))

    assert outcome.faults == ()
    assert outcome.tally.visits == 400
    assert requests.visits >= 400
    assert requests.seconds < outcome.tally.seconds
