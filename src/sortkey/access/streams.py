"""Streams: changes of records as typed values.

Stream records are accepted as Lambda and as GetRecords of DynamoDB Streams return them.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from sortkey.design.declaring.entity import Entity
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Table, TableDefinition
from sortkey.errors import SortkeyError
from sortkey.operations.action import describe_key
from sortkey.operations.conversation import ExternalCall
from sortkey.operations.encryption import decrypted
from sortkey.operations.operation import Context
from sortkey.operations.secrets import KEYLESS, Vault
from sortkey.wire.values import AttributeValue, Item

E_co = TypeVar("E_co", bound=Entity, covariant=True)

ChangeKind: TypeAlias = Literal["created", "changed", "removed"]

_KINDS: Final[Mapping[str, ChangeKind]] = {
    "INSERT": "created",
    "MODIFY": "changed",
    "REMOVE": "removed",
}
# The DynamoDB service itself, which deletes expired items.
_EXPIRY = "dynamodb.amazonaws.com"


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
    for record in records_in(event, table.definition):
        change = _typed(record, table.definition, secrets)
        if change is not None:
            yield change


def change_in(raw: dict[str, Any], table: TableDefinition, secrets: Vault) -> Change[Entity] | None:
    """Return the change of one stream record, or None if it is not of an entity."""
    return _typed(read_record(raw, table), table, secrets)


def entity_in(raw: dict[str, Any], table: TableDefinition) -> EntityKind[Any] | None:
    """Return the entity of one stream record, or None."""
    return entity_of(read_record(raw, table), table)


def _typed(record: "StreamRecord", table: TableDefinition, secrets: Vault) -> Change[Entity] | None:
    kind = entity_of(record, table)
    return None if kind is None else typed_change(record, kind, secrets)


@dataclass(frozen=True, slots=True)
class StreamRecord:
    """A stream record of either source; binary values in its items are base64."""

    raw: dict[str, Any]
    kind: ChangeKind
    keys: Item
    before: Item | None
    after: Item | None
    sequence: str


def records_in(event: Mapping[str, Any], table: TableDefinition) -> Iterator[StreamRecord]:
    """Yield the stream records of an event."""
    records = event.get("Records")
    if records is None:
        raise NotAStream('the event has no "Records", so it is not from a DynamoDB stream')
    return (read_record(raw, table) for raw in records)


def read_record(raw: dict[str, Any], table: TableDefinition) -> StreamRecord:
    """Return a stream record of this table as Lambda or GetRecords returns it."""
    try:
        happened = raw["dynamodb"]
        keys = _item(happened["Keys"]) or {}
        names = [key.name for key in table.primary.attributes]  # a stream has them in any order
        if {*names} != {*keys}:
            raise NotAStream(
                f"a record of the event has the key {', '.join(keys)}, and {table} has "
                f"{', '.join(names)}: it comes from the stream of another table"
            )
        return StreamRecord(
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


def entity_of(record: StreamRecord, table: TableDefinition) -> EntityKind[Any] | None:
    """Return the entity of a record, by its item, or by its keys if it has nothing else."""
    item = record.after or record.before or record.keys
    return next((kind for kind in table.entities if kind.is_mine(item)), None)


def is_lock(record: StreamRecord) -> bool:
    """Return whether the record is a lock of a unique field."""
    partition, *_ = record.keys.values()
    return partition.get("S", "").startswith(UNIQUE_PREFIX)


def typed_change(record: StreamRecord, kind: EntityKind[Any], secrets: Vault) -> Change[Any]:
    """Return a record of this entity as a change."""
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
