"""Send requests to the API of a system as a named user."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from fastapi import FastAPI
from fastapi.testclient import TestClient

from sortkey import DB
from sortkey_systems.api.app import Api
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens

Send: TypeAlias = Callable[..., Any]

# One app of each API for all tests: a hundred operations take half a second to build.
_APPS: dict[Api, FastAPI] = {}


@contextmanager
def sending(api: Api, db: DB) -> Generator[Send]:
    """Yield a function that sends a request as a user, with a token that names them.

    Call ``send("ann", "GET", "/me", roles={"admin"}, json=...)``; ``token=`` replaces the token.
    """
    tokens = Tokens()
    app = _APPS.get(api) or _APPS.setdefault(api, api.app(db, tokens, rates=None))
    app.state.db, app.state.tokens = db, tokens
    with TestClient(app) as client:

        def send(
            who: str,
            method: str,
            path: str,
            *,
            roles: frozenset[str] = frozenset(),
            token: str | None = None,
            headers: Mapping[str, str] | None = None,
            **more: Any,
        ) -> Any:
            named = tokens.sign(Caller(who, f"{who}@example.org", frozenset(roles)))
            all_headers = {"authorization": f"Bearer {token or named}", **(headers or {})}
            return client.request(method, path, headers=all_headers, **more)

        yield send
