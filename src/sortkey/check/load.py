"""The load of hot keys as rules judge it, including what only the names of fields suggest."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import prod

from sortkey.check.fields import is_text, names_a_choice, names_a_span
from sortkey.check.model import AnyKind, Model, PlannedPattern, PlannedRequest
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Severity
from sortkey.design.plans.demand import write_units
from sortkey.design.plans.load import (
    MOST_UNITS,
    KeyLoad,
    LoadMeter,
    heaviest,
    partition_slots,
)
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wire.limits import KEY_WRITE_UNITS


def loads(model: Model) -> Iterator[KeyLoad]:
    """Yield the load of the hottest keys, as far as rates and shares are known."""
    for planned in model.patterns:
        paths = ((load for r in path.requests for load in _of(model, r)) for path in planned.paths)
        yield from (load for load in heaviest(paths) if load.per_second)


def _of(model: Model, request: PlannedRequest) -> Iterator[KeyLoad]:
    if not model.is_rejected(request):
        meter = _meter(model)
        for load in meter.loads(request.pattern, request.shape, request.step, request.kinds):
            yield _by_name(model, load)


def _by_name(model: Model, load: KeyLoad) -> KeyLoad:
    """Treat current writes as one partition if only the names of fields suggest it."""
    kind, key = load.kind, load.key
    if kind is None or key is None or load.limit == "reads" or load.grows:
        return load
    named = narrow_names(model, kind, key)
    is_named = bool(named) and all(map(names_a_span, named))
    return replace(load, share=1 / key.shard_count, by_name=True) if is_named else load


def _meter(model: Model) -> LoadMeter:
    return LoadMeter(model.constants, model.design.about.users)


def writes_of(model: Model, kind: AnyKind) -> list[float | None]:
    """Yield the records of an entity that each pattern writes per second; None without a rate."""
    found: list[float | None] = []
    for planned in model.once(_writers):
        counts = [
            sum(request.writes and kind in request.kinds for request in path.requests)
            for path in planned.paths
        ]
        if any(counts):
            rate = planned.pattern.rate
            found.append(None if rate is None else rate.per_second * max(counts))
    return found


def _writers(model: Model) -> Iterator[PlannedPattern]:
    return (each for each in model.patterns if any(request.writes for request in each.requests))


def is_slow(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether all writes have rates that a tenth of a partition can serve."""
    rates = writes_of(model, kind)
    return bool(rates) and None not in rates and not is_fast(model, kind, key)


def is_fast(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether the declared rates of its writes need more than that."""
    known = sum(rate for rate in writes_of(model, kind) if rate is not None)
    return known * write_units(kind, key) > KEY_WRITE_UNITS / 10


def weight(found: Iterable[KeyLoad]) -> Severity | None:
    """Return the severity of the load on one key; None below half of the limit.

    The loads are of one place, and all of reads or all of writes.
    """
    units, declared, most = 0.0, 0.0, 0
    for load in found:
        units += load.per_second
        declared += 0 if load.by_name else load.per_second
        most = MOST_UNITS[load.limit]
    if units <= most / 2:
        return None
    if declared <= most / 2:
        return INFORMATION
    return ERROR if declared > most else WARNING


def is_narrow(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether a partition has few values at a time: a constant, one of a few, or a span of time."""
    return not _wide(model, kind, key)


def narrow_names(model: Model, kind: AnyKind, key: EntityKey) -> list[str]:
    """Return the fields whose names alone suggest few values at a time, if all do."""
    named = _wide(model, kind, key)
    is_so = all(is_text(kind, n) and (names_a_choice(n) or names_a_span(n)) for n in named)
    return list(dict.fromkeys(named)) if is_so else []


def _wide(model: Model, kind: AnyKind, key: EntityKey) -> list[str]:
    """Return the fields of a partition with many values, by their types and in requests."""
    values = _meter(model).values
    return [slot.field for slot in partition_slots(key) if values(kind, key, slot) is None]


def constant_fields(model: Model, kind: AnyKind, key: EntityKey) -> list[str]:
    """Return the fields of a partition with few values only because requests use constants."""
    said = _meter(model).constants
    return [slot.field for slot in partition_slots(key) if said(kind, key, slot) is not None]


def spreading(key: EntityKey | None) -> str:
    """Return the fix that spreads the partitions of a key; a shard number follows literal text."""
    has_text = key is None or any(
        isinstance(piece, str) for piece in key.partition[0].template.parts
    )
    return "Spread it with shards=" if has_text else "Give it a template with shards="


def partitions(model: Model, kind: AnyKind, key: EntityKey) -> int | None:
    """Return the number of partitions of an entity, if types or requests limit it."""
    counts = [_meter(model).choices(kind, key, slot) for slot in partition_slots(key)]
    known = [count for count in counts if count is not None]
    return prod(known) * key.shard_count if len(known) == len(counts) else None
