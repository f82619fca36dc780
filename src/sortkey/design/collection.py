"""Collections: several entities that share a partition, read by one Query.

Every item is read by the entity that wrote it, and what was written for another value of the given
fields is dropped, so a collection is as exact as a query of each of its entities.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar, dataclass_transform

from sortkey.design.findings import DesignError
from sortkey.design.keys import KeyPart
from sortkey.design.members import CollectionDefinition, Member, define
from sortkey.design.table import Index
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

    ``users: list[User]`` holds all of them, ``org: Org | None`` the only one. Without ``index=``
    the entities share a partition of their table's own key.
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
    def load(cls, **bound: Any) -> "Load[Self]":
        """The collection with these values of the key's fields."""
        definition = cls.__collection__
        if definition.findings:
            raise Refused(f"{cls.__name__} cannot be loaded: {definition.findings[0]}")
        _refuse_unknown(definition, bound)
        members = definition.members
        # Of two counts of shards, the greater covers the places of the other.
        key = max((member.key for member in members), key=lambda key: key.shard_count)
        conditions = (*_partition(members, bound), *_sort(members, bound))
        entities = tuple(member.kind.name for member in members)
        walk: KeyWalk[Found] = KeyWalk(
            source=Step("Query", key.table, entities, index=key.index),
            reading=_MixedReading(
                lambda _: None,
                secrets=tuple(own for member in members for own in member.kind.secrets),
                readings=tuple((m.name, m.reading(bound)) for m in members),
            ),
            position_names=key.position_names,
            primary_names=members[0].kind.key_names,
            access=key,
            condition=all_of(conditions),
        )
        return Load(cls, walk)


C = TypeVar("C", bound=Collection)


@dataclass(frozen=True, slots=True)
class Load(Operation[C], Generic[C]):
    """A collection, read whole by one Query."""

    collection: type[C]
    walk: KeyWalk[Found]

    def consistently(self) -> Self:
        """The same, seeing every write that was acknowledged before."""
        return replace(self, walk=self.walk.consistently())

    def reverse(self) -> Self:
        """The same, with each list in the opposite order of its keys."""
        return replace(self, walk=self.walk.reverse())

    def plan(self) -> Plan:
        """One Query, in as many requests as its pages need."""
        return self.walk.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[C]:
        """Page after page, then each record in its place."""
        found = yield from self.walk.steps(context)
        members = self.collection.__collection__.members
        records: dict[str, list[Any]] = {member.name: [] for member in members}
        for name, record in found:
            records[name].append(record)
        return self.collection(**{m.name: self._held(m, records[m.name]) for m in members})

    def _held(self, member: Member, records: list[Any]) -> Any:
        if member.many:
            return records
        if len(records) > 1:
            raise TooMany(
                f"{self.collection.__name__}.{member.name} found {len(records)} "
                f"{member.kind.name} records where it holds one: declare it as "
                f"list[{member.entity.__name__}], or give more of the key"
            )
        return records[0] if records else None


@dataclass(frozen=True, slots=True)
class _MixedReading(Reading[Found]):
    """Reads each item with the first of several readings that accepts it."""

    readings: tuple[tuple[str, Reading[Any]], ...] = ()

    def reader(self, now: float) -> Callable[[Item], Found | None]:
        """What makes of an item its record, and the member it belongs to."""
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
                f"{definition.name} is not found by {name}: its entities' keys are made from "
                f"{', '.join(known)}"
            )


def _partition(members: Sequence[Member], bound: Mapping[str, Any]) -> Iterator[Condition]:
    """The partition that all entities have in common."""
    first, *others = members
    for place, part in enumerate(first.key.partition):
        wanted = part.value(bound)
        for other in others:
            theirs = other.key.partition[place].value(bound)
            if theirs.value != wanted.value:
                raise Refused(
                    f"{first.entity.__name__} and {other.entity.__name__} lie in different "
                    f"partitions with these values: {_text(wanted)} and {_text(theirs)}"
                )
        yield Compare("=", Path((part.attribute.name,)), wanted)


def _sort(members: Sequence[Member], bound: Mapping[str, Any]) -> Iterator[Condition]:
    """What all entities' sort keys have in common, from the left."""
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
    """The text that all of these begin with, if any; it does not end within a value."""
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
    """The pieces of a key before its first field that is not given, each with its slot, if any."""
    for piece in part.template.parts:
        if isinstance(piece, str):
            yield piece, ""
        elif piece.field in bound:
            yield piece.write(bound[piece.field]), str(piece)
        else:
            return


def _text(value: Value) -> str:
    return str(next(iter(value.value.values())))
