"""Recognising: finding the records of a raw answer, which consists of plain items."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.plans.plan import PatternPlan
from sortkey.design.plans.projecting import Absent, NarrowRead, narrow_read
from sortkey.design.plans.tracing import trace
from sortkey.design.raw.operation import RawOperation, plain_item
from sortkey.design.records.kind import EntityKind
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import WantedItems
from sortkey.prove.state import RecordState
from sortkey.prove.wanted import Mismatch, Several, Single, Wanted, WantedParts
from sortkey.wording.prose import a


def recognised(
    operation: Operation[Any], found: Any, state: RecordState, wanted: Sequence[Any], bench: Bench
) -> Any:
    """Return an answer as records; an item that matches no stored record stays an item.

    If a projection makes several records equal, the ``wanted`` ones are preferred.
    """
    if not isinstance(operation, RawOperation):
        return found
    stored = state.records.values()
    known = _Known([*wanted, *(record for record in stored if record not in wanted)], bench)
    tables = [str(step.table) for step in operation._parts]
    if isinstance(found, list | Page):
        items = cast("Sequence[Any]", list(cast("Any", found)))
        # A transaction has a response for each of its reads, in their order.
        by_place = operation._operation == "TransactGetItems"
        sources = [[table] for table in tables] if by_place else [tables] * len(items)
        return [
            known.record(item, each)
            for item, each in zip(items, sources, strict=True)
            if item is not None
        ]
    return known.record(found, tables)


def lacking(found: Any, answer: Any, absent: Mapping[str, Absent]) -> Iterator[Mismatch]:
    """Yield the first record that an index returns without fields that its entity requires.

    ``absent`` has these fields by the names of entities, unless they are absent on purpose.
    """
    if not absent or not isinstance(found, list | Page):
        return
    items = list(cast("Any", found))
    for item, record in zip(items, cast("list[Any]", answer), strict=True):
        kind = record.__kind__ if isinstance(record, Entity) else None
        if kind is not None and kind.name in absent:
            message = f"{a(kind.name)} is returned without {absent[kind.name].shown}"
            yield Mismatch(message, record, item, "projection", (record, absent[kind.name]))
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
    """Records and the items that they are stored as."""

    def __init__(self, records: Sequence[Entity], bench: Bench) -> None:
        self._left = [
            (str(record.__kind__.table), record, plain_item(bench.item_of(record)))
            for record in records
        ]
        self._used: set[int] = set()

    def record(self, item: Any, tables: Sequence[str]) -> Any:
        """Return the record of an item; an item without its key prefers an unused record."""
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
    """Return whether a value equals another one, or a projection of it."""
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


def wanted_items(operation: Operation[Any], wanted: Wanted, mismatch: Mismatch) -> WantedItems:
    """Return the items that DynamoDB should have returned, for a script to compare."""
    records = _flat(wanted)
    also: tuple[str, ...] = mismatch.about[1].fields if mismatch.name == "projection" else ()
    keys = tuple(
        {n: v for n, v in r.__kind__.encode(r).items() if n in _shown(r.__kind__, also)}
        for r in records
    )
    in_order = isinstance(wanted, Several) and mismatch.name == "order"
    if isinstance(operation, RawOperation):
        return WantedItems(keys, in_order=in_order)
    steps = operation._plan().steps
    table: Any = steps[0].table if steps else None
    types = tuple(dict.fromkeys(name for step in steps for name in step.entities))
    by_type = None if table is None or table.type_attribute is None else table.type_attribute
    return WantedItems(
        keys,
        in_order=in_order,
        types=None if by_type is None else (by_type, types),
        expires=None if table is None else table.settings.ttl,
        limit=wanted.most if isinstance(wanted, Several) else None,
    )


def _shown(kind: EntityKind[Any], also: Sequence[str]) -> set[str]:
    """Return the attributes of the key and of these fields."""
    return {*kind.key_names, *(kind.stored_names[n] for n in also if n in kind.stored_names)}


def _flat(wanted: Wanted) -> list[Any]:
    match wanted:
        case Several():
            return wanted.shown
        case Single(options):
            return list(options[:1])
        case WantedParts(parts):
            return [record for part in parts.values() for record in _flat(part)]
        case _:
            return []
