"""Serve the API of a system on loopback, with tokens to try it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from socket import socket

import uvicorn
from fastapi import FastAPI

from sortkey import DB, Entity
from sortkey_systems.api.app import Api
from sortkey_systems.api.identity import Caller, Tokens

Records = Iterable[Iterable[Entity]]


@dataclass(frozen=True, slots=True)
class Trial:
    """An API to try: the application, a path to start with, and a token for each caller."""

    app: FastAPI
    path: str
    tokens: dict[str, str]

    def serve(self, listening: socket) -> None:
        """Serve requests until interrupted."""
        serve(self.app, listening)


def trials(
    api: Api, demo_caller: Callable[[Entity], Caller | None]
) -> Callable[[DB, Records], Trial]:
    """Return a function that makes a `Trial` of an API on stored records.

    ``demo_caller`` returns the caller that a record belongs to, or None.
    """

    def trial(db: DB, records: Records) -> Trial:
        tokens = Tokens()
        app = api.app(db, tokens)
        found = (caller for group in records for record in group if (caller := demo_caller(record)))
        callers = [next(found), *(Caller(role, roles=frozenset({role})) for role in api.roles)]
        path = next(_readable(app))
        return Trial(app, path, {caller.user_id: tokens.sign(caller) for caller in callers})

    return trial


def _readable(app: FastAPI) -> Iterator[str]:
    """Yield the paths with a GET operation that has no required parameters."""
    for path, operations in app.openapi()["paths"].items():
        parameters = operations.get("get", {"parameters": [{"required": True}]})
        if not any(one.get("required") for one in parameters.get("parameters", [])):
            yield path


def serve(app: FastAPI, listening: socket) -> None:
    """Serve requests until interrupted."""
    settings = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
    with suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[listening])
