"""Departures of a system's API from its schema, found by Schemathesis."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import schemathesis
from schemathesis.engine import events, from_schema

from sortkey import DB
from sortkey.access.filling import fill
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens

# FastAPI reads 5 from "5", and a schema cannot describe every valid cursor or range.
_DISABLED_CHECKS = ("negative_data_rejection", "positive_data_acceptance")
# A deleted session and its costs can still be read.
_READABLE_AFTER_DELETION = {
    "agentcore": ["/sessions/{session_id}", "/sessions/{session_id}/costs"],
}


def departures(system: str, db: DB, *, examples: int, seed: int = 1) -> Iterator[str]:
    """Yield each server error or departure from the schema, and how to reproduce it."""
    module: Any = import_module(f"sortkey_systems.{system}.api")
    tokens = Tokens()
    app = module.api.app(db, tokens, rates=None)
    caller = filled(system, db)
    token = tokens.sign(Caller(caller.user_id, caller.email, frozenset(module.api.roles)))
    config = schemathesis.Config.from_dict(  # pyright: ignore[reportUnknownMemberType]  # any dict
        {
            "seed": seed,
            "cache": {"enabled": False},  # what earlier runs met would change the draws
            "continue-on-failure": True,
            "generation": {"max-examples": examples, "database": "none"},
            "auth": {"openapi": {"HTTPBearer": {"bearer": token}}},
            "checks": {name: {"enabled": False} for name in _DISABLED_CHECKS},
            "operations": [
                {"include-path": path, "checks": {"use_after_free": {"enabled": False}}}
                for path in _READABLE_AFTER_DELETION.get(system, ())
            ],
        }
    )
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, config=config)
    for event in from_schema(schema).execute():
        match event:
            case events.ScenarioFinished():
                yield from _failures(event)
            case events.NonFatalError():
                yield f"{event.label}: {event.value!r}"
            case events.FatalError():
                raise event.exception
            case _:
                pass


def filled(system: str, db: DB, users: int = 5) -> Caller:
    """Fill the database with some users' records; return a caller who may sign in."""
    generator: Any = import_module(f"sortkey_systems.{system}.generator")
    demo_caller: Any = import_module(f"sortkey_systems.{system}.api").demo_caller
    groups = list(generator.records(users))
    for group in groups:
        fill(db, group)
    return next(caller for group in groups for record in group if (caller := demo_caller(record)))


def _failures(event: events.ScenarioFinished) -> Iterator[str]:
    for checks in event.recorder.checks.values():
        for check in checks:
            if check.failure_info is not None:
                found = check.failure_info
                yield f"{event.recorder.label}: {found.failure}\n{found.code_sample}"
