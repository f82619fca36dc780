"""Sending requests to the API of a system, as whoever is named."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias

from fastapi import FastAPI
from fastapi.testclient import TestClient

from sortkey import DB
from sortkey_systems.api.app import Api
from sortkey_systems.api.identity import Caller, Tokens

Send: TypeAlias = Callable[..., Any]

# Of each API one for all tests, since a hundred operations take half a second to build.
_APPS: dict[Api, FastAPI] = {}


@contextmanager
def sending(api: Api, db: DB) -> Generator[Send]:
    """Sends a request as somebody: ``send("ann", "GET", "/me", roles={"admin"}, json=...)``.

    ``token=`` is shown in place of the one that names them.
    """
    tokens = Tokens()
    app = _APPS.get(api) or _APPS.setdefault(api, api.app(db, tokens))
    app.state.db, app.state.tokens = db, tokens
    with TestClient(app) as client:

        def send(
            who: str,
            method: str,
            path: str,
            *,
            roles: frozenset[str] = frozenset(),
            token: str | None = None,
            **more: Any,
        ) -> Any:
            named = tokens.sign(Caller(who, f"{who}@example.org", frozenset(roles)))
            headers = {"authorization": f"Bearer {token or named}"}
            return client.request(method, path, headers=headers, **more)

        yield send
