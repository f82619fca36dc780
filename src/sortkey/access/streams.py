"""Streams: what happened to records, as typed values, and a Lambda function that handles them.

Records are taken as a Lambda function gets them, and as GetRecords of DynamoDB Streams answers.
"""

import inspect
import logging
from base64 import b64encode
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from sortkey.design.entity import Entity, kind_of
from sortkey.design.findings import UNIQUE_PREFIX
from sortkey.design.kind import EntityKind
from sortkey.design.table import Table
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.action import describe_key
from sortkey.operations.conversation import Errand
from sortkey.operations.operation import Context
from sortkey.operations.sealing import opened
from sortkey.operations.secrets import KEYLESS, Vault
from sortkey.wire.values import AttributeValue, Item

E = TypeVar("E", bound=Entity)
E_co = TypeVar("E_co", bound=Entity, covariant=True)
G = TypeVar("G")

ChangeKind: TypeAlias = Literal["created", "changed", "removed"]
Failures: TypeAlias = dict[Literal["batchItemFailures"], list[dict[str, str]]]
Handles: TypeAlias = Callable[[G], Awaitable[None] | None]

_KINDS: Final[Mapping[str, ChangeKind]] = {
    "INSERT": "created",
    "MODIFY": "changed",
    "REMOVE": "removed",
}
# DynamoDB's own service, which removes what has expired.
_EXPIRY = "dynamodb.amazonaws.com"
_log = logging.getLogger(__name__)


class NotAStream(SortkeyError):  # noqa: N818 - says what it is
    """An event that holds no records of a DynamoDB stream, or of another table's."""


class MissingImage(SortkeyError):  # noqa: N818 - says what it is
    """A record before or after a change that the stream does not tell."""


@dataclass(frozen=True, slots=True)
class Change(Generic[E_co]):
    """What happened to one record.

    ``before`` and ``after`` are None where there was no record, and where the stream's view type
    leaves them out: `required_before` and `required_after` say which. ``keys`` are the plain values
    of the primary key, ``sequence`` its place in the stream; ``expired`` tells whether DynamoDB
    removed the record because its time was over.
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
        """The record as it was; `MissingImage` where it was not, or the stream does not tell."""
        if self.before is None:
            raise self._missing("before", "created", "OLD_IMAGE")
        return self.before

    def required_after(self) -> E_co:
        """The record as it is; `MissingImage` where it is gone, or the stream does not tell."""
        if self.after is None:
            raise self._missing("after", "removed", "NEW_IMAGE")
        return self.after

    def _missing(self, side: str, never: ChangeKind, view: str) -> MissingImage:
        which = f"{self.entity.__name__} {describe_key(self.keys)}"
        if self.kind == never:
            return MissingImage(f"{which} was {never}, so there is none {side} the change")
        return MissingImage(
            f"the stream does not tell {which} {side} the change: its view type is "
            f"{self.view or 'not told'}, and {view} or NEW_AND_OLD_IMAGES is needed"
        )


def changes(
    event: Mapping[str, Any], table: type[Table], *, secrets: Vault = KEYLESS
) -> Iterator[Change[Entity]]:
    """What happened to the records of a table's entities, in order; everything else is left out."""
    for record in _records(event, table):
        kind = _kind(record, table)
        if kind is not None:
            yield _change(record, kind, secrets)


class StreamHandler:
    """A Lambda function for the stream of one table, which gives each change to its functions.

    Records are handled in order. At the first that fails it stops, and asks Lambda to deliver that
    one and everything after it again; the function's event source needs ReportBatchItemFailures.
    """

    def __init__(self, table: type[Table], *, secrets: Vault = KEYLESS) -> None:
        self._table = table
        self._secrets = secrets
        self._functions: dict[type[Entity], list[Handles[Change[Any]]]] = defaultdict(list)
        self._others: list[Handles[dict[str, Any]]] = []

    def on(self, entity: type[E]) -> Callable[[Handles[Change[E]]], Handles[Change[E]]]:
        """Decorate a function that is called with each change of a record of this entity."""
        if kind_of(entity).table is not self._table.definition:
            raise Refused(
                f"{entity.__name__} is stored in {kind_of(entity).table}, and this handles the "
                f"stream of {self._table.__name__}"
            )

        def register(function: Handles[Change[E]]) -> Handles[Change[E]]:
            self._functions[entity].append(function)
            return function

        return register

    def otherwise(self, function: Handles[dict[str, Any]]) -> Handles[dict[str, Any]]:
        """Decorate a function that is called with each stream record which no other function gets.

        The locks of unique fields are nobody's records, and are passed over.
        """
        self._others.append(function)
        return function

    def __call__(self, event: Mapping[str, Any], _context: object = None) -> Failures:
        """Handle the records; the answer tells Lambda where to begin again, if anywhere."""
        for record in _records(event, self._table):
            try:
                self._handle(record)
            except Exception:  # noqa: BLE001 - told to Lambda, and logged
                _log.exception(
                    "the stream record %s of %s failed; from here on the batch is delivered again",
                    record.sequence,
                    self._table.__name__,
                )
                return {"batchItemFailures": [{"itemIdentifier": record.sequence}]}
        return {"batchItemFailures": []}

    def _handle(self, record: "_Record") -> None:
        kind = _kind(record, self._table)
        functions = self._functions.get(kind.model) if kind is not None else None
        if kind is not None and functions:
            _call(functions, _change(record, kind, self._secrets))
        elif not _is_lock(record):
            _call(self._others, record.told)


def _call(functions: Iterable[Handles[Any]], given: object) -> None:
    for function in functions:
        waiting = function(given)
        if inspect.isawaitable(waiting):
            from sortkey.access.kept_loop import run_kept  # noqa: PLC0415 - loads asyncio

            run_kept(waiting)


@dataclass(frozen=True, slots=True)
class _Record:
    """A stream record, whichever way it came; items are spelt as everywhere else."""

    told: dict[str, Any]
    kind: ChangeKind
    keys: Item
    before: Item | None
    after: Item | None
    sequence: str


def _records(event: Mapping[str, Any], table: type[Table]) -> Iterator[_Record]:
    records = event.get("Records")
    if records is None:
        raise NotAStream('the event has no "Records", as one of a DynamoDB stream has')
    return (_record(told, table) for told in records)


def _record(told: dict[str, Any], table: type[Table]) -> _Record:
    try:
        happened = told["dynamodb"]
        keys = _item(happened["Keys"]) or {}
        names = [key.name for key in table.primary.attributes]  # a stream has them in any order
        if {*names} != {*keys}:
            raise NotAStream(
                f"a record of the event has the key {', '.join(keys)}, and {table.__name__} has "
                f"{', '.join(names)}: it comes from the stream of another table"
            )
        return _Record(
            told,
            _KINDS[told["eventName"]],
            {name: keys[name] for name in names},
            _item(happened.get("OldImage")),
            _item(happened.get("NewImage")),
            happened["SequenceNumber"],
        )
    except KeyError as error:
        raise NotAStream(
            f"a record of the event has no {error}, as one of a DynamoDB stream has; it comes from "
            f"{told.get('eventSource', 'somewhere else')}"
        ) from error


def _kind(record: _Record, table: type[Table]) -> EntityKind[Any] | None:
    """The entity that a record is of: by what is stored, or by its keys where that is all."""
    item = record.after or record.before or record.keys
    return next((kind for kind in table.definition.entities if kind.is_mine(item)), None)


def _is_lock(record: _Record) -> bool:
    """Whether it is about the lock of a unique field."""
    partition, *_ = record.keys.values()
    return partition.get("S", "").startswith(UNIQUE_PREFIX)


def _change(record: _Record, kind: EntityKind[Any], secrets: Vault) -> Change[Any]:
    happened = record.told["dynamodb"]
    return Change(
        entity=kind.model,
        kind=record.kind,
        keys={name: next(iter(value.values())) for name, value in record.keys.items()},
        before=_read(kind, record.before, secrets),
        after=_read(kind, record.after, secrets),
        expired=_is_expiry(record.told),
        sequence=record.sequence,
        time=_time(happened.get("ApproximateCreationDateTime")),
        view=happened.get("StreamViewType", ""),
    )


def _read(kind: EntityKind[Any], image: Item | None, secrets: Vault) -> Any:
    """The one place where a stream's item becomes a record."""
    if image is None:
        return None
    opening = opened(image, kind.secrets, Context(secrets=secrets))
    try:
        while True:
            step = next(opening)
            if isinstance(step, Errand):  # to a key service; DynamoDB is not asked
                step.run()
    except StopIteration as end:
        return kind.read(end.value)


def _is_expiry(told: Mapping[str, Any]) -> bool:
    # Lambda and GetRecords do not agree on how to spell the members.
    identity: Mapping[str, Any] = told.get("userIdentity") or {}
    return _EXPIRY in {identity.get("principalId"), identity.get("PrincipalId")}


def _time(told: Any) -> datetime | None:
    if told is None or isinstance(told, datetime):
        return told
    return datetime.fromtimestamp(float(told), UTC)


def _item(told: Mapping[str, Any] | None) -> Item | None:
    return None if told is None else {name: _spelt(value) for name, value in told.items()}


def _spelt(value: Mapping[str, Any]) -> AttributeValue:
    """A value with its bytes in base 64, which boto3 gives as they are."""
    [(kind, content)] = value.items()
    match kind:
        case "B":
            return {"B": _base64(content)}
        case "BS":
            return {"BS": [_base64(member) for member in content]}
        case "L":
            return {"L": [_spelt(member) for member in content]}
        case "M":
            return {"M": {name: _spelt(member) for name, member in content.items()}}
        case _:
            return {kind: content}


def _base64(content: str | bytes) -> str:
    return content if isinstance(content, str) else b64encode(content).decode()
