"""The systems run on every database of the data access: memory, `AsyncDB`, HTTP and Local."""

import pytest
from tests.access.conftest import http_url, local_url, opened, place

from sortkey_systems.shuttle.retaining import HASH_KEY

__all__ = ["LIVEKIT", "http_url", "local_url", "opened", "place"]


# Nothing listens on this port.
LIVEKIT = {
    "LIVEKIT_URL": "ws://127.0.0.1:1",
    "LIVEKIT_API_KEY": "APItests",
    "LIVEKIT_API_SECRET": "the secret of a project for tests",
}


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY, "a key for tests")
    for variable, value in LIVEKIT.items():
        monkeypatch.setenv(variable, value)
