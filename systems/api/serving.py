"""Serving: the API of a system on loopback, and what one needs to try it."""

import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import uvicorn
from fastapi import FastAPI

from sortkey import DB, Entity
from systems.api.app import Api
from systems.api.identity import Caller, Tokens


class PortTaken(Exception):  # noqa: N818 - it says what happened
    """Somebody else listens on the port."""


def listen(port: int) -> socket.socket:
    """A socket that listens on this port of loopback, or on any free one for 0."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise PortTaken(f"port {port} is taken: name another with --port") from error


@dataclass(frozen=True, slots=True)
class Trial:
    """An API to try: its application, a path that answers at once, and tokens by whom they name."""

    app: FastAPI
    path: str
    tokens: dict[str, str]


def trial(system: str, db: DB, records: Iterable[Iterable[Entity]]) -> Trial:
    """The API of a system on these records, which are in the database."""
    module: Any = import_module(f"systems.{system}.api")
    api: Api = module.api
    tokens = Tokens()
    app = api.app(db, tokens)
    found = (caller for group in records for record in group if (caller := module.someone(record)))
    callers = [next(found), *(Caller(role, roles=frozenset({role})) for role in api.roles)]
    path = next(_readable(app))
    return Trial(app, path, {caller.user_id: tokens.sign(caller) for caller in callers})


def _readable(app: FastAPI) -> Iterator[str]:
    """The paths that can be read without knowing anything else."""
    for path, operations in app.openapi()["paths"].items():
        parameters = operations.get("get", {"parameters": [{"required": True}]})
        if not any(one.get("required") for one in parameters.get("parameters", [])):
            yield path


def serve(app: FastAPI, listening: socket.socket) -> None:
    """Answer whoever connects, until interrupted."""
    settings = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off")
    with suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[listening])
