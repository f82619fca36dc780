"""The requests that the patterns of a role send, recorded at the embedded engine."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from sortkey import DB, AlreadyExists, Keyring, LocalKey
from sortkey.access.transports.transport import Transport
from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.declaring.roles import Role
from sortkey.design.plans.drawn import Drawn
from sortkey.design.plans.tracing import branch_calls, valid_call, variations
from sortkey.wire.messages import Request

ENVIRONMENT = "prod"
KEYS = Keyring(LocalKey.new("tests"))


@dataclass
class Recorder:
    """Carries requests on, and keeps them."""

    inner: Transport
    sent: list[Request] = field(default_factory=list[Request])

    def send(self, request: Request) -> dict[str, Any]:
        self.sent.append(request)
        return self.inner.send(request)

    def close(self) -> None:
        self.inner.close()


def sent_by(design: Design, role: Role, subject: str, keys: Keyring = KEYS) -> list[Request]:
    """Every request of every pattern, with each choice of its arguments, for one subject.

    Each runs twice on one database: where nothing is, and where it has been.
    """
    with DB.memory(*design.tables, environment=ENVIRONMENT, secrets=keys) as db:
        recorder = Recorder(db._transport)
        db._transport = recorder
        for pattern in role.patterns:
            for given in variations(pattern):
                # What a pattern refuses was sent all the same, or never is.
                with suppress(Exception):
                    _run_twice(db, pattern, valid_call(pattern, design, given).drawn, role, subject)
            for call in branch_calls(pattern, design):
                _run_twice(db, pattern, call.drawn, role, subject)
        return recorder.sent


def _run_twice(db: DB, pattern: Pattern[..., Any], drawn: Drawn, role: Role, subject: str) -> None:
    values = {n: _of(subject, value, n, role.acts_for) for n, value in drawn.values.items()}
    takes = [p for p in pattern.parameters if p.name in values]
    positional = [values[p.name] for p in takes if not p.keyword_only]
    named = {p.name: values[p.name] for p in takes if p.keyword_only}
    for _ in range(2):
        # The database may refuse what was sent.
        with suppress(Exception), clock(drawn.clock.timestamp):
            db(pattern(*positional, **named))


def _of(subject: str, value: Any, name: str, field: str | None) -> Any:
    """The argument, about this subject where it is about one."""
    if field is None or value is None:
        return value
    if name == field:
        return subject
    if isinstance(value, BaseModel) and field in type(value).model_fields:
        return value.model_copy(update={field: subject})
    return value


def sent_while_moving(design: Design, owner_id: str) -> list[Request]:
    """The requests of a write to a record that still lies where fewer shards put it."""
    [kind] = [kind for kind in design.kinds if kind.name == "Entry"]
    with DB.memory(*design.tables, environment=ENVIRONMENT) as db:
        recorder = Recorder(db._transport)
        db._transport = recorder
        # Not every record lies elsewhere than before.
        for number in range(20):
            entry = kind.model(owner_id=owner_id, entry_id=f"e{number}", code=f"c{number}")
            earlier = kind.earlier_key(kind.key_of(entry))
            if earlier is None:
                continue
            place = {name: value.value for name, value in earlier.items()}
            body = {
                "TableName": kind.table.name_in(ENVIRONMENT),
                "Item": kind.encode(entry) | place,
            }
            recorder.inner.send(Request("PutItem", body))
            with suppress(AlreadyExists):
                db(design.pattern("add_entry")(entry))
        return recorder.sent
