"""What is done over HTTP alike with every kind of record that people keep for themselves."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from uuid import uuid4

from fastapi import Path
from pydantic import BaseModel

from sortkey import BadCursor, Entity, Op, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.bodies import Given
from sortkey_systems.api.identity import SignedIn
from sortkey_systems.gymcoach.api_models import PathId, Within, page_of, partly, told
from sortkey_systems.gymcoach.design.records import Records, typed
from sortkey_systems.gymcoach.errors import (
    AccountGone,
    BadInput,
    ChangedMeanwhile,
    NotThere,
    refusing_bad_input,
)
from sortkey_systems.gymcoach.keeping import add, change, find_own, remove

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Callable[..., Any])


def keep(
    operations: Operations,
    noun: str,
    records: Records[[str], E],
    listing: Callable[..., Op[Page[E]]],
    body: type[Given],
    *,
    derived: Callable[[str, str], dict[str, Any]] = lambda _user_id, _record_id: {},
) -> None:
    """Declare how records are listed, made, read, changed and deleted by whose they are.

    ``noun`` names them: ``recovery plan`` is at ``/recovery-plans``. ``derived`` are fields that
    follow from whose a new record is and from its id.
    """
    name, path = noun.replace(" ", "_"), f"/{noun.replace(' ', '-')}s"
    own = f"{path}/{{{name}_id}}"
    model = told(records.entity)
    key = Annotated[PathId, Path(alias=f"{name}_id")]

    def list_own(db: Database, caller: SignedIn, within: Within, cursor: Cursor = None) -> Page[E]:
        return db(listing(caller.user_id, within.since, within.until, cursor))

    def create(db: Database, caller: SignedIn, given: Given) -> E:
        return add(db, records, new_record(records.entity, caller.user_id, given, derived))

    def read(db: Database, caller: SignedIn, record_id: str) -> E:
        return find_own(db, caller.user_id, records, record_id)

    def change_own(db: Database, caller: SignedIn, record_id: str, given: Given) -> E:
        found = find_own(db, caller.user_id, records, record_id)
        return change(db, records, found, **given.chosen())

    def delete(db: Database, caller: SignedIn, record_id: str) -> None:
        remove(db, records, find_own(db, caller.user_id, records, record_id))

    operations.get(path, BadInput, BadCursor, answer=page_of(records.entity))(
        _called(list_own, f"list_{name}s", f"Your {noun}s, newest first.")
    )
    operations.post(path, BadInput, AccountGone, status=201, answer=model)(
        _called(create, f"create_{name}", f"Keep a new {noun}.", given=body)
    )
    operations.get(own, BadInput, NotThere, answer=model)(
        _called(read, name, f"One of your {noun}s.", record_id=key)
    )
    operations.patch(own, BadInput, NotThere, ChangedMeanwhile, answer=model)(
        _called(
            change_own,
            f"change_{name}",
            f"Change one of your {noun}s: what is left out stays as it is.",
            record_id=key,
            given=partly(body),
        )
    )
    operations.delete(own, BadInput, NotThere, ChangedMeanwhile)(
        _called(delete, f"delete_{name}", f"Delete one of your {noun}s.", record_id=key)
    )


def new_record(
    entity: type[E],
    user_id: str,
    given: BaseModel,
    derived: Callable[[str, str], dict[str, Any]] = lambda _user_id, _record_id: {},
) -> E:
    """A record of a user as it was given, with an id of its own where it has one."""
    record_id = uuid4().hex
    ids = {name: record_id for name in ("id", "chart_id") if name in entity.model_fields}
    with refusing_bad_input():
        return entity.model_validate(
            {**given.model_dump(), **ids, **derived(user_id, record_id), "user_id": user_id}
        )


def _called(function: F, name: str, summary: str, **types: Any) -> F:
    """The function under a name, with a summary and with types of its own."""
    function.__doc__ = summary
    return typed(function, name, {**function.__annotations__, **types})
