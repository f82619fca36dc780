"""Streams: changes of records as typed values, and a Lambda function that handles them.

Stream records are accepted as Lambda and as GetRecords of DynamoDB Streams return them.
"""

import inspect
import logging
from base64 import b64encode
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypeVar, overload

from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Table, TableDefinition
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.action import describe_key
from sortkey.operations.conversation import ExternalCall
from sortkey.operations.encryption import decrypted
from sortkey.operations.operation import Context
from sortkey.operations.secrets import KEYLESS, Vault
from sortkey.wire.values import AttributeValue, Item

if TYPE_CHECKING:  # a Lambda function has no use for them
    from typing import Unpack

    from sortkey.access.async_db import AsyncDB
    from sortkey.access.db import DB
    from sortkey.access.following import FollowOptions

E = TypeVar("E", bound=Entity)
E_co = TypeVar("E_co", bound=Entity, covariant=True)
G = TypeVar("G")

ChangeKind: TypeAlias = Literal["created", "changed", "removed"]
Failures: TypeAlias = dict[Literal["batchItemFailures"], list[dict[str, str]]]
Handles: TypeAlias = (
    Callable[[G], Awaitable[None] | None] | Callable[[G, Any], Awaitable[None] | None]
)

_KINDS: Final[Mapping[str, ChangeKind]] = {
    "INSERT": "created",
    "MODIFY": "changed",
    "REMOVE": "removed",
}
# The DynamoDB service itself, which deletes expired items.
_EXPIRY = "dynamodb.amazonaws.com"
_log = logging.getLogger(__name__)


class NotAStream(SortkeyError):  # noqa: N818 - says what it is
    """An event is not from a DynamoDB stream, or is from the stream of another table."""


class MissingImage(SortkeyError):  # noqa: N818 - says what it is
    """The stream does not contain the record before or after a change."""


@dataclass(frozen=True, slots=True)
class Change(Generic[E_co]):
    """A change of one record.

    ``before`` and ``after`` are None if there was no record, or if the stream's view type leaves
    them out; the error of `required_before` or `required_after` says which. ``keys`` has the plain
    values of the primary key, ``sequence`` is the position in the stream, and ``expired`` is true
    if DynamoDB deleted the record because it had expired.
    """

    entity: type[E_co]
    kind: ChangeKind
    keys: Mapping[str, Any]
    before: E_co | None
    after: E_co | None
    expired: bool
    sequence: str
    time: datetime | None
    view: str

    def required_before(self) -> E_co:
        """Return the record before the change; raise `MissingImage` if the change has none."""
        if self.before is None:
            raise self._missing("before", "created", "OLD_IMAGE")
        return self.before

    def required_after(self) -> E_co:
        """Return the record after the change; raise `MissingImage` if the change has none."""
        if self.after is None:
            raise self._missing("after", "removed", "NEW_IMAGE")
        return self.after

    def _missing(self, side: str, never: ChangeKind, view: str) -> MissingImage:
        which = f"{self.entity.__name__} {describe_key(self.keys)}"
        if self.kind == never:
            return MissingImage(f"{which} was {never}, so it did not exist {side} the change")
        return MissingImage(
            f"the stream does not contain {which} {side} the change: its view type is "
            f"{self.view or 'unknown'}, and {view} or NEW_AND_OLD_IMAGES is needed"
        )


def changes(
    event: Mapping[str, Any], table: type[Table], *, secrets: Vault = KEYLESS
) -> Iterator[Change[Entity]]:
    """Yield the changes of a table's entities in order; skip all other stream records."""
    for record in _records(event, table.definition):
        change = _typed(record, table.definition, secrets)
        if change is not None:
            yield change


def change_in(raw: dict[str, Any], table: TableDefinition, secrets: Vault) -> Change[Entity] | None:
    """Return the change of one stream record, or None if it is not of an entity."""
    return _typed(_record(raw, table), table, secrets)


def entity_in(raw: dict[str, Any], table: TableDefinition) -> EntityKind[Any] | None:
    """Return the entity of one stream record, or None."""
    return _kind(_record(raw, table), table)


def _typed(record: "_Record", table: TableDefinition, secrets: Vault) -> Change[Entity] | None:
    kind = _kind(record, table)
    return None if kind is None else _change(record, kind, secrets)


class StreamHandler:
    """A Lambda function for the stream of one table, which calls a function for each change.

    Records are handled in order. It stops at the first one that fails, and returns its sequence
    number, so that Lambda delivers it and all later ones again; the function's event source needs
    ReportBatchItemFailures.
    """

    def __init__(
        self,
        table: type[Table],
        *,
        secrets: Vault = KEYLESS,
        db: "DB | AsyncDB | None" = None,
    ) -> None:
        """Give functions that take ``(change, db)`` this database in Lambda."""
        self._table = table
        self._secrets = secrets
        self._db = db
        self._functions: dict[type[Entity], list[Handles[Change[Any]]]] = defaultdict(list)
        self._others: list[Handles[dict[str, Any]]] = []

    def on(self, entity: type[E]) -> Callable[[Handles[Change[E]]], Handles[Change[E]]]:
        """Decorate a function to be called with each change of a record of this entity."""
        if kind_of(entity).table is not self._table.definition:
            raise Refused(
                f"{entity.__name__} is stored in {kind_of(entity).table}, and this handler is for "
                f"the stream of {self._table.__name__}: use a StreamHandler for each table"
            )

        def register(function: Handles[Change[E]]) -> Handles[Change[E]]:
            self._functions[entity].append(function)
            return function

        return register

    def otherwise(self, function: Handles[dict[str, Any]]) -> Handles[dict[str, Any]]:
        """Decorate a function to be called with each stream record that no other function gets.

        Stream records of the locks of unique fields are skipped.
        """
        self._others.append(function)
        return function

    @overload
    def run(self, db: "DB", **settings: "Unpack[FollowOptions]") -> None: ...
    @overload
    def run(self, db: "AsyncDB", **settings: "Unpack[FollowOptions]") -> Awaitable[None]: ...
    def run(
        self, db: "DB | AsyncDB", **settings: "Unpack[FollowOptions]"
    ) -> Awaitable[None] | None:
        """Follow the stream of a database, and handle its records as Lambda would deliver them.

        With an `AsyncDB`, await it. A record that fails is tried again until it succeeds; with
        ``wait=False`` its error is raised, and the run ends when there are no more changes. The
        settings are those of `follow`.
        """
        from sortkey.access import running  # noqa: PLC0415 - Lambda does not need it
        from sortkey.access.db import DB  # noqa: PLC0415

        table = self._table.definition
        followed = running.settings_for(table, **settings)

        def handle(raw: dict[str, Any]) -> Iterator[Awaitable[None]]:
            return self._handle(_record(raw, table), db)

        if isinstance(db, DB):
            return running.run_blocking(db, handle, _finish, followed)
        return running.run_awaited(db, handle, followed)

    def __call__(self, event: Mapping[str, Any], _context: object = None) -> Failures:
        """Handle the records; return the first one that Lambda must deliver again, if any."""
        for record in _records(event, self._table.definition):
            try:
                for awaitable in self._handle(record, self._db):
                    _finish(awaitable)
            except Exception:  # noqa: BLE001 - reported to Lambda, and logged
                _log.exception(
                    "stream record %s of %s failed; Lambda delivers it and all later ones again",
                    record.sequence,
                    self._table.__name__,
                )
                return {"batchItemFailures": [{"itemIdentifier": record.sequence}]}
        return {"batchItemFailures": []}

    def _handle(self, record: "_Record", db: "DB | AsyncDB | None") -> Iterator[Awaitable[None]]:
        """Call the functions for a record, and yield what is to be awaited before the next."""
        kind = _kind(record, self._table.definition)
        functions = self._functions.get(kind.model) if kind is not None else None
        if kind is not None and functions:
            yield from _call(functions, _change(record, kind, self._secrets), db)
        elif not _is_lock(record):
            yield from _call(self._others, record.raw, db)


def _call(
    functions: Iterable[Handles[Any]], argument: object, db: "DB | AsyncDB | None"
) -> Iterator[Awaitable[None]]:
    for function in functions:
        call: Callable[..., Awaitable[None] | None] = function
        result = call(argument, _given(db, function)) if _takes_db(function) else call(argument)
        if inspect.isawaitable(result):
            yield result


def _takes_db(function: Handles[Any]) -> bool:
    return len(inspect.signature(function).parameters) > 1


def _given(db: "DB | AsyncDB | None", function: Handles[Any]) -> "DB | AsyncDB":
    if db is None:
        name = getattr(function, "__name__", "a function")
        raise Refused(
            f"{name} takes a database, and this handler has none: StreamHandler(..., db=db)"
        )
    return db


def _finish(awaitable: Awaitable[None]) -> None:
    from sortkey.access.background_loop import run_in_background  # noqa: PLC0415 - asyncio

    run_in_background(awaitable)


@dataclass(frozen=True, slots=True)
class _Record:
    """A stream record of either source; binary values in its items are base64."""

    raw: dict[str, Any]
    kind: ChangeKind
    keys: Item
    before: Item | None
    after: Item | None
    sequence: str


def _records(event: Mapping[str, Any], table: TableDefinition) -> Iterator[_Record]:
    records = event.get("Records")
    if records is None:
        raise NotAStream('the event has no "Records", so it is not from a DynamoDB stream')
    return (_record(raw, table) for raw in records)


def _record(raw: dict[str, Any], table: TableDefinition) -> _Record:
    try:
        happened = raw["dynamodb"]
        keys = _item(happened["Keys"]) or {}
        names = [key.name for key in table.primary.attributes]  # a stream has them in any order
        if {*names} != {*keys}:
            raise NotAStream(
                f"a record of the event has the key {', '.join(keys)}, and {table} has "
                f"{', '.join(names)}: it comes from the stream of another table"
            )
        return _Record(
            raw,
            _KINDS[raw["eventName"]],
            {name: keys[name] for name in names},
            _item(happened.get("OldImage")),
            _item(happened.get("NewImage")),
            happened["SequenceNumber"],
        )
    except KeyError as error:
        raise NotAStream(
            f"a record of the event has no {error}, so it is not from a DynamoDB stream, but from "
            f"{raw.get('eventSource', 'an unknown source')}"
        ) from error


def _kind(record: _Record, table: TableDefinition) -> EntityKind[Any] | None:
    """Return the entity of a record, by its item, or by its keys if it has nothing else."""
    item = record.after or record.before or record.keys
    return next((kind for kind in table.entities if kind.is_mine(item)), None)


def _is_lock(record: _Record) -> bool:
    """Return whether the record is a lock of a unique field."""
    partition, *_ = record.keys.values()
    return partition.get("S", "").startswith(UNIQUE_PREFIX)


def _change(record: _Record, kind: EntityKind[Any], secrets: Vault) -> Change[Any]:
    happened = record.raw["dynamodb"]
    return Change(
        entity=kind.model,
        kind=record.kind,
        keys={name: next(iter(value.values())) for name, value in record.keys.items()},
        before=_read(kind, record.before, secrets),
        after=_read(kind, record.after, secrets),
        expired=_is_expiry(record.raw),
        sequence=record.sequence,
        time=_time(happened.get("ApproximateCreationDateTime")),
        view=happened.get("StreamViewType", ""),
    )


def _read(kind: EntityKind[Any], image: Item | None, secrets: Vault) -> Any:
    """Return the record of an image, with its secrets decrypted."""
    if image is None:
        return None
    steps = decrypted(image, kind.secrets, Context(secrets=secrets))
    try:
        while True:
            step = next(steps)
            if isinstance(step, ExternalCall):  # to a key service; nothing is sent to DynamoDB
                step.run()
    except StopIteration as end:
        return kind.read(end.value)


def _is_expiry(raw: Mapping[str, Any]) -> bool:
    # Lambda and GetRecords spell the members differently.
    identity: Mapping[str, Any] = raw.get("userIdentity") or {}
    return _EXPIRY in {identity.get("principalId"), identity.get("PrincipalId")}


def _time(raw: Any) -> datetime | None:
    if raw is None or isinstance(raw, datetime):
        return raw
    return datetime.fromtimestamp(float(raw), UTC)


def _item(raw: Mapping[str, Any] | None) -> Item | None:
    return None if raw is None else {name: _with_base64(value) for name, value in raw.items()}


def _with_base64(value: Mapping[str, Any]) -> AttributeValue:
    """Return a value with its bytes in base64; boto3 returns raw bytes."""
    [(kind, content)] = value.items()
    match kind:
        case "B":
            return {"B": _base64(content)}
        case "BS":
            return {"BS": [_base64(member) for member in content]}
        case "L":
            return {"L": [_with_base64(member) for member in content]}
        case "M":
            return {"M": {name: _with_base64(member) for name, member in content.items()}}
        case _:
            return {kind: content}


def _base64(content: str | bytes) -> str:
    return content if isinstance(content, str) else b64encode(content).decode()
