"""A service with a real issuer and settings in the environment."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.api.issuer import Issuer

from sortkey import LocalKey
from sortkey_systems.api.service import Service

# What each system needs beside the settings that all have.
OWN = {
    "agentcore": {"AGENTCORE_REDIRECT_URIS": "https://chat.example.org/callback"},
    "commitcollect": {"SORTKEY_KEYS": f"k1={LocalKey.new('k1').text}"},
    "gymcoach": {},
    "oneonone": {
        "LIVEKIT_URL": "ws://127.0.0.1:7880",
        "LIVEKIT_API_KEY": "APItests",
        "LIVEKIT_API_SECRET": "the secret of a project for tests",
    },
    "shuttle": {
        "SORTKEY_KEYS": f"k1={LocalKey.new('k1').text}",
        "SHUTTLE_HASH_KEY": "a random text that has 32 characters",
    },
}


def environment_of(system: str, issuer: Issuer) -> dict[str, str]:
    """The variables of a system that runs in memory."""
    common = {"ENVIRONMENT": "dev", "SORTKEY_TARGET": "memory"}
    return {**issuer.settings(), **common, **OWN[system]}


@contextmanager
def in_service(
    service: Service[Any], monkeypatch: pytest.MonkeyPatch, **environ: str
) -> Generator[TestClient]:
    """Start a service as a server does, with these variables; yield a client."""
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with TestClient(service, raise_server_exceptions=False) as client:
        yield client


def signed_in(issuer: Issuer, **claims: Any) -> dict[str, str]:
    """The header with a token of the issuer."""
    return {"authorization": f"Bearer {issuer.token(**claims)}"}
