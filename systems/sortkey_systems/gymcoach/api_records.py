"""The HTTP operations that every entity with an owner has."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar
from uuid import uuid4

from fastapi import Path
from pydantic import BaseModel

from sortkey import BadCursor, Entity, Op, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.bodies import RequestBody
from sortkey_systems.api.identity import SignedIn
from sortkey_systems.gymcoach.api_models import (
    PathId,
    QueryTimes,
    page_response,
    partial_body,
    response_model,
)
from sortkey_systems.gymcoach.crud import add, change, find_own, remove
from sortkey_systems.gymcoach.design.records import Records, typed
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    RecordChanged,
    RecordNotFound,
    raising_bad_input,
)

E = TypeVar("E", bound=Entity)
F = TypeVar("F", bound=Callable[..., Any])


def add_crud_operations(
    operations: Operations,
    noun: str,
    records: Records[[str], E],
    listing: Callable[..., Op[Page[E]]],
    create_body: type[RequestBody],
    *,
    derived: Callable[[str, str], dict[str, Any]] = lambda _user_id, _record_id: {},
) -> None:
    """Declare operations to list, create, get, update and delete the caller's records.

    ``noun`` gives the path: ``recovery plan`` is at ``/recovery-plans``. ``derived`` returns
    further fields of a new record from its owner and its id.
    """
    name, path = noun.replace(" ", "_"), f"/{noun.replace(' ', '-')}s"
    own = f"{path}/{{{name}_id}}"
    article = "an" if noun[0] in "aeiou" else "a"
    model = response_model(records.entity)
    key = Annotated[PathId, Path(alias=f"{name}_id")]

    def list_own(
        db: Database, caller: SignedIn, times: QueryTimes, cursor: Cursor = None
    ) -> Page[E]:
        return db(listing(caller.user_id, times.since, times.until, cursor))

    def create(db: Database, caller: SignedIn, body: RequestBody) -> E:
        return add(db, records, new_record(records.entity, caller.user_id, body, derived))

    def read(db: Database, caller: SignedIn, record_id: str) -> E:
        return find_own(db, caller.user_id, records, record_id)

    def change_own(db: Database, caller: SignedIn, record_id: str, body: RequestBody) -> E:
        found = find_own(db, caller.user_id, records, record_id)
        return change(db, records, found, **body.sent_fields())

    def delete(db: Database, caller: SignedIn, record_id: str) -> None:
        remove(db, records, find_own(db, caller.user_id, records, record_id))

    operations.get(path, BadInput, BadCursor, response=page_response(records.entity))(
        _described(list_own, f"list_{name}s", f"List your {noun}s, newest first.")
    )
    operations.post(path, BadInput, AccountNotFound, status=201, response=model)(
        _described(create, f"create_{name}", f"Create {article} {noun}.", body=create_body)
    )
    operations.get(own, BadInput, RecordNotFound, response=model)(
        _described(read, name, f"Get one of your {noun}s.", record_id=key)
    )
    operations.patch(own, BadInput, AccountNotFound, RecordNotFound, RecordChanged, response=model)(
        _described(
            change_own,
            f"change_{name}",
            f"Update some fields of one of your {noun}s.",
            record_id=key,
            body=partial_body(create_body),
        )
    )
    operations.delete(own, BadInput, RecordNotFound, RecordChanged)(
        _described(delete, f"delete_{name}", f"Delete one of your {noun}s.", record_id=key)
    )


def new_record(
    entity: type[E],
    user_id: str,
    body: BaseModel,
    derived: Callable[[str, str], dict[str, Any]] = lambda _user_id, _record_id: {},
) -> E:
    """Return a new record of a user, with a random id if the entity has one."""
    record_id = uuid4().hex
    ids = {name: record_id for name in ("id", "chart_id") if name in entity.model_fields}
    with raising_bad_input():
        return entity.model_validate(
            {**body.model_dump(), **ids, **derived(user_id, record_id), "user_id": user_id}
        )


def _described(function: F, name: str, summary: str, **types: Any) -> F:
    """Set the name, the docstring and the parameter types of a function."""
    function.__doc__ = summary
    return typed(function, name, {**function.__annotations__, **types})
