"""SK414 unbounded-read: a query reads a whole partition, however large it becomes."""

from collections.abc import Iterator
from datetime import date
from typing import Literal, TypeAlias

from sortkey.check.growth import finds_one, grows
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, WARNING, Finding, Missing, rule
from sortkey.design.plans.sources import Constant, Source, Text, constant_text, is_shared, leaves
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wire.limits import KB, PAGE_BYTES

Reach: TypeAlias = Literal["bounded", "half-open", "open"]

_MANY = 1000
_UNKNOWN = Missing("the size", "read", "Expected(per_partition=...)")
# The comparisons of a slot of a key that have one end.
_SYMBOLS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}


@rule("SK414", "unbounded-read", WARNING)
def unbounded_read(model: Model) -> Iterator[Finding]:
    """A query reads a whole partition, however large it becomes.

    It has no range, no limit and no pages. A few records today may take seconds and megabytes in a
    year. A range with one end, such as all orders since a date, is not limited either; one that
    begins a fixed time before now is. `expected=Expected(per_partition=...)`, on the entity or its
    key, declares that the partition stays small.

    Without it, and without a rate, a read of one partition for all records is information. So is a
    read of a partition that an argument selects, if the number of records grows with time, as with
    messages and readings: their sort key has a time, or their name is that of a recurring event.
    Other reads are not judged, and one line at the end of the report says so.

    Flagged:
        class Order(Entity, table=App, expected=Expected(per_partition=50_000)):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("A shop's orders", rate="5/s")
        def orders(shop_id: str) -> Op[list[Order]]:
            return Order.query(shop_id=shop_id)

    Instead:
        class Order(Entity, table=App, expected=Expected(per_partition=50_000)):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("A shop's orders", rate="5/s", page=50)
        def orders(shop_id: str, after: str | None = None) -> Op[Page[Order]]:
            return Order.query(shop_id=shop_id).page(50, after)
    """
    for request in model.queries:
        if request.step.limit is not None or (reach := _reach(request)) == "bounded":
            continue
        chosen = bool(request.key_arguments)
        counts = [_count(request, kind, chosen=chosen) for kind in request.kinds]
        known = [count for count in counts if count is not None]
        if request.kinds and len(known) == len(counts):
            if _is_small(request, known):
                continue
            held = f"about {sum(known):,} records"
        else:
            held = "the expected number of records is not declared"
        what = (
            f"its range has one end, so it reads more as a partition of {request.index} grows"
            if reach == "half-open"
            else f"it reads all of a partition of {request.index}"
        )
        is_unknown = len(known) < max(len(counts), 1)
        growing = [
            kind.name for kind in request.kinds if is_unknown and chosen and grows(request, kind)
        ]
        added = f"{what}, which {' and '.join(growing)} records are added to without end"
        yield Finding(
            request.pattern,
            added if growing else f"{what}: {held}",
            "Read pages or a range with two ends, or declare `Expected(per_partition=...)` on the "
            "entity or its key",
            severity=INFORMATION if is_unknown and (chosen or not request.rate) else WARNING,
            missing=_UNKNOWN if is_unknown and chosen and not growing else None,
        )


def _reach(request: PlannedRequest) -> Reach:
    """Return whether a query's range of the sort key has two ends, one or none."""
    compared = list(request.sort_key)
    if not compared or request.index is None:
        return "open"
    last = compared[-1]
    ranged = last.source.range if isinstance(last.source, Text) else None
    op = last.op if ranged is None else _SYMBOLS.get(ranged.op, ranged.op)
    bounds = last.sources if ranged is None else ranged.bounds
    match op:
        case "=":
            # If more attributes follow, this is only a prefix of the key. In an index many
            # records can have the same constant.
            is_whole = len(compared) == len(request.index.sort)
            is_chosen = request.index.kind == "primary" or constant_text(last.source) is None
            return "bounded" if is_whole and is_chosen else "open"
        case "between":
            return _between(*bounds)
        case ">" | ">=":
            # Few times are far in the future, so a range that begins a while ago is a window.
            is_fixed = all(isinstance(leaf, Constant) for leaf in leaves(bounds[0]))
            return "bounded" if is_shared(bounds[0]) and not is_fixed else "half-open"
        case "<" | "<=":
            return "half-open"
        case _:
            # A prefix of one value of a slot is a range of its own.
            return "open" if ranged is None else "bounded"


def _between(low: Source, high: Source) -> Reach:
    """Return the reach of a range with two bounds: a constant text or time is not an end."""
    first, last = _constant(low), _constant(high)
    if first is not None and last is not None:
        return "open" if last.startswith(first) else "bounded"
    return "bounded" if first is None and last is None else "half-open"


def _constant(source: Source) -> str | None:
    """Return the text or time that a bound has in every call."""
    match source:
        case Constant(date() as day):
            return day.isoformat()
        case _:
            return constant_text(source)


def _count(request: PlannedRequest, kind: AnyKind, *, chosen: bool) -> int | None:
    """Return how many records of an entity a partition contains; 1 if its keys imply it."""
    keys = [key for key in kind.keys.values() if key.definition is request.index]
    if chosen and any(_holds_one(kind, key) for key in keys):
        return 1
    expected = request.expected_of(kind)
    if not chosen:
        return expected.count
    # The count of all records is an upper bound, useful only if it is small.
    is_few = expected.count is not None and expected.count <= _MANY
    return expected.per_partition or (expected.count if is_few else None)


def _holds_one(kind: AnyKind, key: EntityKey) -> bool:
    """Whether a partition has one record of an entity: its sort key is a constant.

    In an index many records can have the same key, so its partition key has to identify the record.
    """
    if not key.sort or any(part.fields for part in key.sort):
        return False
    chosen = {name for part in key.partition for name in part.fields}
    return (
        key is kind.primary
        or chosen >= set(kind.primary.all_fields)
        or any(finds_one(kind, name) for name in chosen)
    )


def _is_small(request: PlannedRequest, counts: list[int]) -> bool:
    sizes = [request.expected_of(kind).size_bytes or KB for kind in request.kinds]
    size = sum(count * size for count, size in zip(counts, sizes, strict=True))
    return sum(counts) <= _MANY and size <= PAGE_BYTES
