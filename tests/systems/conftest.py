"""The systems run on every database of the data access: memory, `AsyncDB`, HTTP and Local."""

import pytest
from tests.access.conftest import http_url, local_url, opened, place

from sortkey_systems.shuttle.retaining import HASH_KEY

__all__ = ["http_url", "local_url", "opened", "place"]


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY, "a key for tests")
