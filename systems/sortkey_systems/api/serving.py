"""Serve the API of a system on loopback, with tokens to try it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from socket import socket
from typing import Any

import uvicorn
from fastapi import FastAPI

from sortkey import DB, Entity
from sortkey_systems.api.app import Api
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens

Records = Iterable[Iterable[Entity]]

# They take the places of people where there are too few.
_NEWCOMERS = (
    Caller("newcomer", "newcomer@example.org"),
    Caller("another-newcomer", "another-newcomer@example.org"),
)


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """A request worth trying: who sends it, and what it answers, in words."""

    user_id: str
    method: str
    path: str
    answer: str
    body: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """An API to try: the application, a token for each caller, and requests to begin with."""

    app: FastAPI
    tokens: dict[str, str]
    requests: Sequence[TrialRequest]

    def serve(self, listening: socket) -> None:
        """Serve requests until interrupted."""
        serve(self.app, listening)


def trials(
    api: Api,
    demo_caller: Callable[[Entity], Caller | None],
    requests: Callable[[DB, Sequence[Caller]], Sequence[TrialRequest]] | None = None,
) -> Callable[[DB, Records], Trial]:
    """Return a function that makes a `Trial` of an API on stored records.

    ``demo_caller`` returns the caller that a record belongs to, or None. The trial has tokens of
    two of them, and one for each role. ``requests`` returns the requests that these callers can
    try, in the order in which to send them.
    """

    def trial(db: DB, records: Records) -> Trial:
        tokens = Tokens()
        app = api.app(db, tokens)
        found = (caller for group in records for record in group if (caller := demo_caller(record)))
        people = islice(_distinct(chain(found, _NEWCOMERS)), len(_NEWCOMERS))
        callers = [*people, *(Caller(role, roles=frozenset({role})) for role in api.roles)]
        tries = requests(db, callers) if requests else [_first_read(app, callers[0])]
        return Trial(app, {caller.user_id: tokens.sign(caller) for caller in callers}, tries)

    return trial


def _distinct(callers: Iterable[Caller]) -> Iterator[Caller]:
    """Yield each caller once, although several records are theirs."""
    seen: set[str] = set()
    for caller in callers:
        if caller.user_id not in seen:
            seen.add(caller.user_id)
            yield caller


def _first_read(app: FastAPI, caller: Caller) -> TrialRequest:
    path = next(_readable(app))
    return TrialRequest(caller.user_id, "GET", path, app.openapi()["paths"][path]["get"]["summary"])


def _readable(app: FastAPI) -> Iterator[str]:
    """Yield the paths with a GET operation that has no required parameters."""
    for path, operations in app.openapi()["paths"].items():
        parameters = operations.get("get", {"parameters": [{"required": True}]})
        if not any(one.get("required") for one in parameters.get("parameters", [])):
            yield path


def serve(app: FastAPI, listening: socket) -> None:
    """Serve requests until interrupted."""
    # A client must not choose its address with a header.
    settings = uvicorn.Config(
        app, log_level="warning", access_log=False, lifespan="off", proxy_headers=False
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[listening])
