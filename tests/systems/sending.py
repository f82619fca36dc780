"""Sending requests to the API of a system, as whoever is named."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias

from fastapi.testclient import TestClient
from systems.api.app import Api
from systems.api.identity import Caller, Tokens

from sortkey import DB

Send: TypeAlias = Callable[..., Any]


@contextmanager
def sending(api: Api, db: DB) -> Generator[Send]:
    """Sends a request as somebody: ``send("ann", "GET", "/me", roles={"admin"}, json=...)``.

    ``token=`` is shown in place of the one that names them.
    """
    tokens = Tokens()
    with TestClient(api.app(db, tokens)) as client:

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
