"""Recognising: which records a raw answer is made of, whose results are plain items."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.plan import PatternPlan
from sortkey.design.projecting import Absent, NarrowRead, narrow_read
from sortkey.design.raw.operation import RawOperation, plain_item
from sortkey.design.tracing import trace
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import WantedItems
from sortkey.prove.state import State
from sortkey.prove.wanted import Fault, Several, Single, Together, Wanted
from sortkey.prove.words import a


def recognised(
    operation: Operation[Any], found: Any, state: State, wanted: Sequence[Any], bench: Bench
) -> Any:
    """Return an answer in records; an item that no stored record is stored as stays an item.

    Of records that a projection does not tell apart, it is those that are ``wanted``.
    """
    if not isinstance(operation, RawOperation):
        return found
    stored = state.records.values()
    known = _Known([*wanted, *(record for record in stored if record not in wanted)], bench)
    tables = [str(step.table) for step in operation.parts]
    if isinstance(found, list | Page):
        items = cast("Sequence[Any]", list(cast("Any", found)))
        # A transaction has an answer for each of its reads, in their order.
        by_place = operation.operation == "TransactGetItems"
        asked = [[table] for table in tables] if by_place else [tables] * len(items)
        return [
            known.record(item, each)
            for item, each in zip(items, asked, strict=True)
            if item is not None
        ]
    return known.record(found, tables)


def lacking(found: Any, answer: Any, absent: Mapping[str, Absent]) -> Iterator[Fault]:
    """Yield what is wrong with records that an index returns without what their entity requires.

    ``absent`` is that, by the names of entities, where it is not on purpose.
    """
    if not absent or not isinstance(found, list | Page):
        return
    items = list(cast("Any", found))
    for item, record in zip(items, cast("list[Any]", answer), strict=True):
        kind = record.__kind__ if isinstance(record, Entity) else None
        if kind is not None and kind.name in absent:
            told = f"{a(kind.name)} is returned without {absent[kind.name].shown}"
            yield Fault(told, record, item, "projection", (record, absent[kind.name]))
            return


def narrow_reads(plan: PatternPlan, design: Design) -> Iterator[NarrowRead]:
    """Yield the reads of a raw pattern that return less than whole records of its entities."""
    steps = plan.steps if plan.pattern.is_raw else ()
    for step in steps:
        for kind in design.kinds:
            if kind.table is step.table and kind.name in step.entities:
                others = (s for pattern in design.patterns for s in trace(pattern, design).steps)
                read = narrow_read(step, kind, others)
                if read is not None:
                    yield read


class _Known:
    """Records by the items that they are stored as."""

    def __init__(self, records: Sequence[Entity], bench: Bench) -> None:
        self._left = [
            (str(record.__kind__.table), record, plain_item(bench.item_of(record)))
            for record in records
        ]
        self._used: set[int] = set()

    def record(self, item: Any, tables: Sequence[str]) -> Any:
        """Return the record of an item; without its key, one that no other item was taken for."""
        if not isinstance(item, Mapping):
            return item
        shown = cast("Mapping[str, Any]", item)
        like = list(self._like(shown, tables))
        if not like:
            return shown
        chosen = next((place for place in like if place not in self._used), like[0])
        record = self._left[chosen][1]
        if not all(name in shown for name in record.__kind__.key_names):
            self._used.add(chosen)
        return record

    def _like(self, item: Mapping[str, Any], tables: Sequence[str]) -> Iterator[int]:
        for place, (table, _, stored) in enumerate(self._left):
            if table in tables and _is_part(item, stored):
                yield place


def _is_part(part: Any, whole: Any) -> bool:
    """Whether a value is another one, or what a projection leaves of it."""
    if isinstance(part, Mapping) and isinstance(whole, Mapping):
        held = cast("Mapping[str, Any]", whole)
        members = cast("Mapping[str, Any]", part).items()
        return all(name in held and _is_part(value, held[name]) for name, value in members)
    if isinstance(part, list) and isinstance(whole, list):
        values, others = cast("list[Any]", part), cast("list[Any]", whole)
        return len(values) <= len(others) and all(
            any(_is_part(value, other) for other in others) for value in values
        )
    return part == whole


def wanted_items(operation: Operation[Any], wanted: Wanted, fault: Fault) -> WantedItems:
    """What DynamoDB should have answered, as far as a script can hold its items against it."""
    records = _flat(wanted)
    also: tuple[str, ...] = fault.about[1].fields if fault.name == "projection" else ()
    keys = tuple(
        {n: v for n, v in r.__kind__.encode(r).items() if n in _shown(r.__kind__, also)}
        for r in records
    )
    in_order = isinstance(wanted, Several) and fault.name == "order"
    if isinstance(operation, RawOperation):
        return WantedItems(keys, in_order=in_order)
    steps = operation.plan().steps
    table: Any = steps[0].table if steps else None
    types = tuple(dict.fromkeys(name for step in steps for name in step.entities))
    by_type = None if table is None or table.type_attribute is None else table.type_attribute
    return WantedItems(
        keys,
        in_order=in_order,
        types=None if by_type is None else (by_type, types),
        expires=None if table is None else table.settings.ttl,
        most=wanted.most if isinstance(wanted, Several) else None,
    )


def _shown(kind: EntityKind[Any], also: Sequence[str]) -> set[str]:
    """The attributes of a record's key, and of these fields."""
    return {*kind.key_names, *(kind.stored_names[n] for n in also if n in kind.stored_names)}


def _flat(wanted: Wanted) -> list[Any]:
    match wanted:
        case Several():
            return wanted.shown
        case Single(options):
            return list(options[:1])
        case Together(parts):
            return [record for part in parts.values() for record in _flat(part)]
        case _:
            return []
