"""Collections: several entities that share a partition, read by one Query.

Every item is read as the entity that wrote it, and records with other values of the key's fields
are dropped, so a collection is as exact as a query of each of its entities.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, dataclass_transform

from sortkey.design.declaring.members import CollectionDefinition, CollectionMember, define
from sortkey.design.findings import DesignError
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.tables.table import Index
from sortkey.errors import Refused, TooMany
from sortkey.expressions.tree import BeginsWith, Compare, Condition, Path, Value
from sortkey.operations.action import all_of
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Plan, Step
from sortkey.operations.query import KeyWalk
from sortkey.operations.reading import Reading
from sortkey.wire.values import Item

Found: TypeAlias = tuple[str, Any]


@dataclass_transform(kw_only_default=True)
class Collection:
    """Entities that one Query returns together: subclass it, with a field for each entity.

    ``users: list[User]`` has all of them, ``org: Org | None`` the only one. Without ``index=`` the
    entities share a partition of their table's own key.
    """

    __collection__: ClassVar[CollectionDefinition]

    def __init_subclass__(cls, *, index: Index | None = None) -> None:
        super().__init_subclass__()
        definition = cls.__collection__ = define(cls, index)
        findings, table = definition.findings, definition.table
        if findings and table is not None and table.definition.raw:
            table.definition.findings.extend(findings)
        elif findings:
            raise DesignError(findings)
        dataclass(kw_only=True)(cls)

    @classmethod
    def load(cls, **bound: Any) -> "CollectionRead[Self]":
        """Return the collection with these values of the key's fields."""
        definition = cls.__collection__
        if definition.findings:
            raise Refused(f"{cls.__name__} cannot be loaded: {definition.findings[0]}")
        _refuse_unknown(definition, bound)
        members = definition.members
        # The larger number of shards includes the partitions of the smaller.
        key = max((member.key for member in members), key=lambda key: key.shard_count)
        conditions = (*_partition(members, bound), *_sort(members, bound))
        entities = tuple(member.kind.name for member in members)
        walk: KeyWalk[Found] = KeyWalk(
            _source=Step("Query", key.table, entities, index=key.index),
            _reading=_MixedReading(
                lambda _: None,
                secrets=tuple(own for member in members for own in member.kind.secrets),
                readings=tuple((m.name, m.reading(bound)) for m in members),
            ),
            _position_names=key.position_names,
            _primary_names=members[0].kind.key_names,
            _access=key,
            _conditions=key.shards(all_of(conditions)),
        )
        return CollectionRead(cls, walk)


C = TypeVar("C", bound=Collection)


@dataclass(frozen=True, slots=True)
class CollectionRead(Operation[C], Generic[C]):
    """A collection, read whole by one Query."""

    _collection: type[C]
    _walk: KeyWalk[Found]

    def consistently(self) -> Self:
        """Use a strongly consistent read."""
        return replace(self, _walk=self._walk.consistently())

    def reverse(self) -> Self:
        """Return each list in the reverse order of its keys."""
        return replace(self, _walk=self._walk.reverse())

    def _plan(self) -> Plan:
        """Return one Query, in as many requests as its pages need."""
        return self._walk._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[C]:
        """Read page after page, then put each record into its member."""
        found = yield from self._walk._steps(context)
        members = self._collection.__collection__.members
        records: dict[str, list[Any]] = {member.name: [] for member in members}
        for name, record in found:
            records[name].append(record)
        return self._collection(**{m.name: self._held(m, records[m.name]) for m in members})

    def _held(self, member: CollectionMember, records: list[Any]) -> Any:
        if member.many:
            return records
        if len(records) > 1:
            raise TooMany(
                f"{self._collection.__name__}.{member.name} found {len(records)} "
                f"{member.kind.name} records, but holds one: declare it as "
                f"list[{member.entity.__name__}], or specify more of the key"
            )
        return records[0] if records else None


@dataclass(frozen=True, slots=True)
class _MixedReading(Reading[Found]):
    """Reads each item with the first of several readings that accepts it."""

    readings: tuple[tuple[str, Reading[Any]], ...] = ()

    def reader(self, now: float) -> Callable[[Item], Found | None]:
        """Return the function that turns an item into its record and its member."""
        readers = [(name, reading.reader(now)) for name, reading in self.readings]

        def read(item: Item) -> Found | None:
            for name, reader in readers:
                record = reader(item)
                if record is not None:
                    return name, record
            return None

        return read


def _refuse_unknown(definition: CollectionDefinition, bound: Mapping[str, Any]) -> None:
    known = dict.fromkeys(name for m in definition.members for name in m.key.all_fields)
    for name in bound:
        if name not in known:
            raise Refused(
                f"{definition.name} cannot be loaded by {name}: the keys of its entities are built "
                f"from {', '.join(known)}"
            )


def _partition(
    members: Sequence[CollectionMember], bound: Mapping[str, Any]
) -> Iterator[Condition]:
    """Return the partition that all entities have in common."""
    first, *others = members
    for place, part in enumerate(first.key.partition):
        wanted = part.value(bound)
        for other in others:
            theirs = other.key.partition[place].value(bound)
            if theirs.value != wanted.value:
                raise Refused(
                    f"{first.entity.__name__} and {other.entity.__name__} are in different "
                    f"partitions with these values: {_text(wanted)} and {_text(theirs)}"
                )
        yield Compare("=", Path((part.attribute.name,)), wanted)


def _sort(members: Sequence[CollectionMember], bound: Mapping[str, Any]) -> Iterator[Condition]:
    """Return the common beginning of all entities' sort keys."""
    for place, attribute in enumerate(members[0].key.definition.sort):
        parts = [member.key.sort[place] for member in members]
        path = Path((attribute.name,))
        if all(name in bound for part in parts for name in part.fields):
            whole = [part.value(bound) for part in parts]
            if all(value == whole[0] for value in whole):
                yield Compare("=", path, whole[0])
                continue
        if not any(part.is_natural for part in parts):
            yield from (BeginsWith(path, value) for value in _beginning(parts, bound))
        return


def _beginning(parts: Sequence[KeyPart], bound: Mapping[str, Any]) -> Iterator[Value]:
    """Return the common beginning of these texts, if any; it does not end within a value."""
    texts = ["".join(text for text, _ in _leading(part, bound)) for part in parts]
    text = template = ""
    for written, slot in _leading(parts[0], bound):
        shared = written
        while not all(other.startswith(text + shared) for other in texts):
            shared = shared[:-1]
        if slot and shared != written:
            break
        text += shared
        template += slot or shared.replace("{", "{{").replace("}", "}}")
        if shared != written:
            break
    if text:
        yield Value({"S": text}, Filled(template, bound))


def _leading(part: KeyPart, bound: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a key before its first unspecified field, each with its slot, if any."""
    for piece in part.template.parts:
        if isinstance(piece, str):
            yield piece, ""
        elif piece.field in bound:
            yield piece.write(bound[piece.field]), str(piece)
        else:
            return


def _text(value: Value) -> str:
    return str(next(iter(value.value.values())))
