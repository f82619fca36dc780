"""How many units a second the hottest key of a table or an index takes, at the declared rates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sortkey.check.fields import type_of
from sortkey.check.model import AnyKind, AnyPattern, Model, Request
from sortkey.design.demand import (
    IN_TRANSACTION,
    choices_of,
    is_span,
    read_units,
    write_units,
)
from sortkey.design.keys import EntityKey
from sortkey.design.marks import plain_type
from sortkey.design.table import Index


@dataclass(frozen=True, slots=True)
class Load:
    """What one pattern asks of the hottest partition key of a table or an index."""

    pattern: AnyPattern
    key: EntityKey
    reads: float
    writes: float

    @property
    def index(self) -> Index:
        """The table's own key, or the index."""
        return self.key.definition

    @property
    def template(self) -> str:
        """How the partition is written."""
        return ", ".join(part.template.text for part in self.key.partition)


def loads(model: Model) -> Iterator[Load]:
    """Everything that is asked of hottest keys, as far as rates and shares are known.

    All calls of a pattern may take the path that asks most of a key.
    """
    for asked in model.asked:
        most: dict[tuple[int, str], Load] = {}
        for path in asked.paths:
            for place, load in _together(path.requests).items():
                other = most.get(place, load)
                most[place] = replace(
                    other,
                    reads=max(other.reads, load.reads),
                    writes=max(other.writes, load.writes),
                )
        yield from most.values()


def _together(requests: Iterable[Request]) -> dict[tuple[int, str], Load]:
    """What the requests of one path ask of each key."""
    found: dict[tuple[int, str], Load] = {}
    for load in (load for request in requests for load in _loads_of(request)):
        place = id(load.index), load.template
        known = found.get(place)
        found[place] = (
            load
            if known is None
            else replace(known, reads=known.reads + load.reads, writes=known.writes + load.writes)
        )
    return found


def _loads_of(request: Request) -> Iterator[Load]:
    if request.rate is None:
        return
    for kind in request.kinds[:1]:
        if request.reads:
            yield from _reading(request, kind)
        elif request.writes:
            yield from _writing(request, kind)


def writes_of(model: Model, kind: AnyKind) -> list[float | None]:
    """How many records of an entity each pattern writes in a second; None where no rate is said."""
    found: list[float | None] = []
    for asked in model.asked:
        counts = [
            sum(request.writes and kind in request.kinds for request in path.requests)
            for path in asked.paths
        ]
        if any(counts):
            rate = asked.pattern.rate
            found.append(None if rate is None else rate.per_second * max(counts))
    return found


def is_narrow(kind: AnyKind, key: EntityKey) -> bool:
    """Whether a partition has few values at a time: a constant, one of a few, or a span of time."""
    slots = [slot for part in key.partition for slot in part.template.slots]
    return all(
        choices_of(type_of(kind, slot.field)) is not None or is_span(kind, slot) for slot in slots
    )


def _reading(request: Request, kind: AnyKind) -> Iterator[Load]:
    key = next((k for k in kind.keys.values() if k.definition is request.index), None)
    share = None if key is None else _share(request, kind, key)
    if key is None or share is None or request.rate is None:
        return
    cost = read_units(request.pattern, kind, request.step)
    factor = IN_TRANSACTION if request.shape == "transaction" else 1
    yield Load(request.pattern, key, request.rate * share * cost * factor, 0)


def _writing(request: Request, kind: AnyKind) -> Iterator[Load]:
    factor = IN_TRANSACTION if request.shape == "transaction" else 1
    for key in kind.keys.values():
        share = _share(request, kind, key)
        if share is None or request.rate is None or key.definition.kind == "local":
            continue
        # The index is written apart from the transaction.
        times = factor if key.index is None else 1
        units = request.rate * share * write_units(kind) * times
        yield Load(request.pattern, key, 0, units)


def _share(request: Request, kind: AnyKind, key: EntityKey) -> float | None:
    """The part of what is asked that meets the hottest key; None where nobody knows."""
    shards = key.shard_count
    slots = [slot for part in key.partition for slot in part.template.slots]
    if not slots or (request.reads and request.step.has_one_partition):
        return 1 / shards
    if request.writes and is_narrow(kind, key):
        few = [choices_of(type_of(kind, slot.field)) for slot in slots]
        # Of a span of time, all that is written now falls into one.
        return 1 / shards / max(1, min((count for count in few if count), default=1))
    if request.reads and (few := _choices(request)):
        return 1 / shards / few
    expected = kind.expected and kind.expected.hottest_share
    return None if expected is None else expected / shards


def _choices(request: Request) -> int | None:
    """How many partitions the arguments can choose among, where they are few."""
    held = [p.type for p in request.pattern.parameters if p.name in request.partition_arguments]
    few = [choices_of(plain_type(each)[0]) for each in held]
    known = [count for count in few if count is not None]
    return min(known) if known and len(known) == len(held) else None
