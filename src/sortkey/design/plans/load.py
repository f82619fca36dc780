"""The units per second of the hottest key of a table or an index, at the declared rates.

What is asked of a key depends on the values of its partition, whether a template makes them, a
field, several attributes or a raw request. All that is written now falls into one value where that
is a constant, in the design or in the request, or a span of time such as a day; it falls into one
of a few where the type has few values, or where all requests say constants. Otherwise
`Expected(hottest_share=...)` of the key or of its entity says how uneven it is. What is left is
spread evenly, over the partitions that are expected or over the users; where neither is declared,
nothing is known.

What falls on one key grows with the users where all share the key, or where its share of the whole
is declared; where each user has a key, it stays.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.constants import Slotted, slot_sources, written_source
from sortkey.design.plans.demand import (
    IN_TRANSACTION,
    choices_of,
    is_any_text,
    is_day,
    is_span,
    read_units,
    write_units,
)
from sortkey.design.plans.notation import bare
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.sources import Argument, Constant, Source, Text, leaves, slot_name
from sortkey.design.records.key_compiler import field_type
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.marks import plain_type
from sortkey.design.tables.table import Index
from sortkey.operations.plan import Shape
from sortkey.wire.limits import KEY_READ_UNITS, KEY_WRITE_UNITS

Limit: TypeAlias = Literal["writes", "reads"]
# What DynamoDB serves of one key in a second.
MOST_UNITS: Mapping[Limit, int] = {"writes": KEY_WRITE_UNITS, "reads": KEY_READ_UNITS}

AnyKind: TypeAlias = EntityKind[Any]
# Part of the whole that meets the hottest key, if known, and whether it grows with the users.
_Share: TypeAlias = tuple[float | None, bool]


@dataclass(frozen=True, slots=True)
class KeyLoad:
    """The read or write units that a pattern asks of the hottest partition key in one place.

    ``units`` are those of one call on all keys, ``share`` is the part of them that meets the
    hottest one, or None where nothing says it. A raw request may be about no entity, and has no key
    then. ``by_name`` says that only the name of a field lets its values fall together.
    """

    pattern: Pattern[..., Any]
    index: Index
    template: str
    limit: Limit
    units: float
    share: float | None = 1
    # Whether it grows with the number of users.
    grows: bool = True
    kind: AnyKind | None = None
    key: EntityKey | None = None
    by_name: bool = False

    @property
    def per_second(self) -> float:
        """The units of the hottest key in a second; 0 where the rate or the share is not known."""
        rate = self.pattern.rate
        if rate is None or self.share is None:
            return 0
        return rate.per_second * self.units * self.share

    @property
    def place(self) -> tuple[int, str]:
        """The table or index and the form of the key; loads of one place add up."""
        return id(self.index), self.template


def heaviest(paths: Iterable[Iterable[KeyLoad]]) -> Iterator[KeyLoad]:
    """Yield the loads of one pattern: for each key, those of the path that asks most of it."""
    most: dict[object, Sequence[KeyLoad]] = {}
    for path in paths:
        sums: dict[object, list[KeyLoad]] = defaultdict(list)
        for load in path:
            sums[load.place, load.limit, load.by_name].append(load)
        for where, loads in sums.items():
            most[where] = max(most.get(where, loads), loads, key=_sum)
    return (load for loads in most.values() for load in loads)


def most_demanding(loads: Iterable[KeyLoad]) -> str:
    """Return the name of the pattern with the highest load on a key."""
    by_pattern: dict[str, float] = defaultdict(float)
    for load in loads:
        by_pattern[load.pattern.name] += load.per_second
    return max((units, name) for name, units in by_pattern.items())[1]


def _sum(loads: Sequence[KeyLoad]) -> float:
    return sum(load.per_second for load in loads)


def partition_text(key: EntityKey) -> str:
    """Return the form of a partition key."""
    return ", ".join(part.template.text for part in key.partition)


def partition_slots(key: EntityKey) -> list[Slot]:
    """Return the slots of a partition key."""
    return [slot for part in key.partition for slot in part.template.slots]


class LoadMeter:
    """Computes the load of requests on keys.

    ``constants`` are the fields of partition keys for which every request of the design says a
    constant, ``users`` how many users the declared rates are of.
    """

    def __init__(self, constants: Mapping[Slotted, frozenset[str]], users: int | None) -> None:
        self._constants = constants
        self._users = users

    def loads(
        self, pattern: Pattern[..., Any], shape: Shape, step: PlannedStep, kinds: Iterable[AnyKind]
    ) -> Iterator[KeyLoad]:
        """Yield what a step of a pattern asks of each key that it reads or writes.

        Of what one request reads together, the first entity stands for all.
        """
        times = IN_TRANSACTION if shape == "transaction" else 1
        kind = next(iter(kinds), None)
        if kind is None:
            yield from _of_no_entity(pattern, step, times)
        elif step.reads:
            yield from self._reading(pattern, step, kind, times)
        elif step.writes:
            yield from self._writing(pattern, step, kind, times)

    def values(
        self, kind: AnyKind, key: EntityKey, slot: Slot, source: Source | None = None
    ) -> int | None:
        """Return the number of values of a slot that current writes have; None if many."""
        if (source is not None and _is_constant(source)) or is_span(kind, slot):
            return 1
        return self.choices(kind, key, slot)

    def choices(self, kind: AnyKind, key: EntityKey, slot: Slot) -> int | None:
        """Return the number of values of a slot, by its type or in requests; None if many."""
        return choices_of(field_type(kind.model, slot.field)) or self.constants(kind, key, slot)

    def constants(self, kind: AnyKind, key: EntityKey, slot: Slot) -> int | None:
        """Return the number of constants that requests use for a text; None if not all do."""
        said = self._constants.get((id(key), slot.field))
        if said is None or not is_any_text(field_type(kind.model, slot.field)):
            return None
        return len(said)

    def _reading(
        self, pattern: Pattern[..., Any], step: PlannedStep, kind: AnyKind, times: int
    ) -> Iterator[KeyLoad]:
        for key in kind.keys.values():
            if key.definition is step.definition:
                units = times * read_units(pattern, kind, step)
                share = self._read_share(pattern, step, kind, key)
                place = (pattern, key.definition, partition_text(key))
                yield KeyLoad(*place, "reads", units, *share, kind, key)

    def _writing(
        self, pattern: Pattern[..., Any], step: PlannedStep, kind: AnyKind, times: int
    ) -> Iterator[KeyLoad]:
        for key in kind.keys.values():
            if key.definition.kind != "local":
                # An index is written apart from the transaction.
                units = write_units(kind, key) * (times if key.index is None else 1)
                share = self._written_share(step, kind, key)
                place = (pattern, key.definition, partition_text(key))
                yield KeyLoad(*place, "writes", units, *share, kind, key)

    def _read_share(
        self, pattern: Pattern[..., Any], step: PlannedStep, kind: AnyKind, key: EntityKey
    ) -> _Share:
        if step.verb == "Scan" and step.limit is None:
            return 1, True  # each partition is read whole, each time
        if not partition_slots(key) or step.has_one_partition:
            return 1 / key.shard_count, True
        # A field of an argument is of another type than the argument.
        types = {p.name: plain_type(p.type)[0] for p in pattern.parameters}
        few = [choices_of(types.get(name)) for name in step.partition_arguments]
        known = [count for count in few if count is not None]
        if known and len(known) == len(few):
            return 1 / key.shard_count / min(known), True
        return self._expected_share(kind, key)

    def _written_share(self, step: PlannedStep, kind: AnyKind, key: EntityKey) -> _Share:
        counts = [self.values(kind, key, slot, source) for slot, source in _sources(step, key)]
        known = [count for count in counts if count is not None]
        has_share = key.expected is not None and key.expected.hottest_share is not None
        if len(known) < len(counts) or (has_share and any(count > 1 for count in known)):
            return self._expected_share(kind, key)
        return 1 / key.shard_count / min((count for count in known if count > 1), default=1), True

    def _expected_share(self, kind: AnyKind, key: EntityKey) -> _Share:
        expected = kind.expected_by(key)
        if expected.hottest_share is not None:
            return expected.hottest_share / key.shard_count, True
        partitions = expected.count and expected.count / (expected.per_partition or 1)
        spread = partitions or self._users
        return (1 / spread / key.shard_count if spread else None), False


def _is_constant(source: Source) -> bool:
    return all(isinstance(leaf, Constant) for leaf in leaves(source))


def _sources(step: PlannedStep, key: EntityKey) -> Iterator[tuple[Slot, Source | None]]:
    """Yield each slot of a partition key, with what a step puts there where that is known."""
    for part in key.partition:
        source = written_source(step, key, part)
        known = {} if source is None else dict(slot_sources(part, source))
        yield from ((slot, known.get(slot.field)) for slot in part.template.slots)


# Raw requests that are about no entity.


def _of_no_entity(pattern: Pattern[..., Any], step: PlannedStep, times: int) -> Iterator[KeyLoad]:
    """Yield what a step asks of the partitions whose values it says itself."""
    if step.reads:
        sources = [source for compared in step.partition for source in compared.sources]
        if step.definition is not None and step.has_one_partition:
            units = (1 if step.consistent else 0.5) * times
            yield KeyLoad(pattern, step.definition, _texts(sources), "reads", units)
    for index in (step.table.primary, *step.table.indexes.values()):
        written = _written_partition(pattern, step, index)
        if written is not None and index.kind != "local":
            units = times if index.kind == "primary" else 1
            yield KeyLoad(pattern, index, _texts(written), "writes", units)


def _written_partition(
    pattern: Pattern[..., Any], step: PlannedStep, index: Index
) -> list[Source] | None:
    """Return the values of a partition into which all falls that is written now, if it does.

    Only an item that is put says its attributes in an index.
    """
    key = {name: compared.source for name, compared in step.key.items()}
    held = key if step.item is None else step.item
    sources = [held[a.name] for a in index.partition if a.name in held]
    if not step.writes or len(sources) < len(index.partition):
        return None
    types = {p.name: plain_type(p.type)[0] for p in pattern.parameters}
    days = {Argument(name) for name, held in types.items() if is_day(held)}
    falls_together = all(
        isinstance(leaf, Constant) or leaf in days for source in sources for leaf in leaves(source)
    )
    return sources if falls_together else None


def _texts(sources: Iterable[Source]) -> str:
    return ", ".join(map(_text, sources))


def _text(source: Source) -> str:
    match source:
        case Text(template):
            return template
        case Constant(value):
            return bare(value)
        case _:
            return f"{{{slot_name(source)}}}"
