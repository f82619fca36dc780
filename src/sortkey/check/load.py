"""How many units a second the hottest key of a table or an index takes, at the declared rates.

What is asked of a key depends on the values of its partition, whether a template makes them, a
field, several attributes or a raw request. All that is written now falls into one value where that
is a constant, in the design or in the request, or a span of time such as a day; it falls into one
of a few where the type has few values, or where all requests say constants. Otherwise
`Expected(hottest_share=...)` of the key or of its entity says how it is spread, and without it
nothing is known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sortkey.check.constants import slot_sources, written_source
from sortkey.check.fields import is_text, names_a_choice, names_a_span, type_of
from sortkey.check.model import AnyKind, AnyPattern, Asked, Model, Request
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Severity
from sortkey.design.demand import (
    IN_TRANSACTION,
    choices_of,
    is_day,
    is_span,
    read_units,
    write_units,
)
from sortkey.design.keys import EntityKey
from sortkey.design.marks import plain_type
from sortkey.design.notation import bare
from sortkey.design.slots import Slot
from sortkey.design.sources import Argument, Constant, Source, Text, leaves, slot_name
from sortkey.design.table import Index
from sortkey.wire.limits import KEY_WRITE_UNITS


@dataclass(frozen=True, slots=True)
class Load:
    """What one pattern asks of the hottest partition key of a table or an index.

    ``by_name`` says that only the name of a field lets its values fall together. A raw request may
    be about no entity, and has no key then.
    """

    pattern: AnyPattern
    index: Index
    template: str
    key: EntityKey | None
    reads: float = 0
    writes: float = 0
    by_name: bool = False

    @property
    def place(self) -> tuple[int, str, bool]:
        """Loads of one place add up."""
        return id(self.index), self.template, self.by_name


def loads(model: Model) -> Iterator[Load]:
    """Everything that is asked of hottest keys, as far as rates and shares are known.

    All calls of a pattern may take the path that asks most of a key.
    """
    for asked in model.asked:
        most: dict[object, Load] = {}
        for path in asked.paths:
            sent = tuple(r for r in path.requests if not model.is_rejected(r))
            for place, load in _together(model, sent).items():
                other = most.get(place, load)
                most[place] = replace(
                    other,
                    reads=max(other.reads, load.reads),
                    writes=max(other.writes, load.writes),
                )
        yield from most.values()


def writes_of(model: Model, kind: AnyKind) -> list[float | None]:
    """How many records of an entity each pattern writes in a second; None where no rate is said."""
    found: list[float | None] = []
    for asked in model.once(_writers):
        counts = [
            sum(request.writes and kind in request.kinds for request in path.requests)
            for path in asked.paths
        ]
        if any(counts):
            rate = asked.pattern.rate
            found.append(None if rate is None else rate.per_second * max(counts))
    return found


def _writers(model: Model) -> Iterator[Asked]:
    return (asked for asked in model.asked if any(request.writes for request in asked.requests))


def is_slow(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether all that writes it says its rate, and a tenth of a partition serves it."""
    rates = writes_of(model, kind)
    return bool(rates) and None not in rates and not is_fast(model, kind, key)


def is_fast(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether the rates of what writes it, as far as they are said, need more than that."""
    known = sum(rate for rate in writes_of(model, kind) if rate is not None)
    return known * write_units(kind, key) > KEY_WRITE_UNITS / 10


def weight(found: Iterable[Load], what: str, most: int) -> Severity | None:
    """How much it weighs that one key takes so much; None where it takes less than half of it."""
    units, declared = 0.0, 0.0
    for load in found:
        asked = load.writes if what == "write" else load.reads
        units += asked
        declared += 0 if load.by_name else asked
    if units <= most / 2:
        return None
    if declared <= most / 2:
        return INFORMATION
    return ERROR if declared > most else WARNING


def is_narrow(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Whether a partition has few values at a time: a constant, one of a few, or a span of time."""
    return all(_values(model, kind, key, slot) is not None for slot in _slots(key))


def narrow_names(model: Model, kind: AnyKind, key: EntityKey) -> list[str]:
    """The fields whose names alone say that a partition has few values at a time, if all do."""
    named = [slot.field for slot in _slots(key) if _values(model, kind, key, slot) is None]
    is_so = all(is_text(kind, n) and (names_a_choice(n) or names_a_span(n)) for n in named)
    return list(dict.fromkeys(named)) if is_so else []


def said_by_requests(model: Model, kind: AnyKind, key: EntityKey) -> list[str]:
    """The fields of a partition that have few values only because all requests say constants."""
    return [slot.field for slot in _slots(key) if _constants(model, kind, key, slot) is not None]


def spreading(key: EntityKey | None) -> str:
    """How the partitions of a key are spread; the number of a shard stands after a text."""
    has_text = key is None or any(
        isinstance(piece, str) for piece in key.partition[0].template.parts
    )
    return "Spread it with shards=" if has_text else "Give it a template with shards="


def partitions(model: Model, kind: AnyKind, key: EntityKey) -> int | None:
    """Over how many partitions all records of an entity lie, where types or requests say so."""
    count = 1
    for slot in _slots(key):
        few = choices_of(type_of(kind, slot.field)) or _constants(model, kind, key, slot)
        if few is None:
            return None
        count *= few
    return count * key.shard_count


def _slots(key: EntityKey) -> list[Slot]:
    return [slot for part in key.partition for slot in part.template.slots]


def _together(model: Model, requests: Iterable[Request]) -> dict[object, Load]:
    """What the requests of one path ask of each key."""
    found: dict[object, Load] = {}
    for load in (load for request in requests for load in _loads_of(model, request)):
        known = found.get(load.place)
        found[load.place] = (
            load
            if known is None
            else replace(known, reads=known.reads + load.reads, writes=known.writes + load.writes)
        )
    return found


def _loads_of(model: Model, request: Request) -> Iterator[Load]:
    if request.rate is None:
        return
    if not request.kinds:
        yield from _of_no_entity(request, request.rate)
    for kind in request.kinds[:1]:
        if request.reads:
            yield from _reading(request, kind, request.rate)
        elif request.writes:
            yield from _writing(model, request, kind, request.rate)


def _factor(request: Request) -> int:
    return IN_TRANSACTION if request.shape == "transaction" else 1


def _load(request: Request, key: EntityKey) -> Load:
    template = ", ".join(part.template.text for part in key.partition)
    return Load(request.pattern, key.definition, template, key)


def _reading(request: Request, kind: AnyKind, rate: float) -> Iterator[Load]:
    key = request.key_of(kind)
    share = None if key is None else _read_share(request, kind, key)
    if key is not None and share is not None:
        units = rate * share * read_units(request.pattern, kind, request.step) * _factor(request)
        yield replace(_load(request, key), reads=units)


def _writing(model: Model, request: Request, kind: AnyKind, rate: float) -> Iterator[Load]:
    for key in kind.keys.values():
        if key.definition.kind == "local":
            continue
        # The index is written apart from the transaction.
        times = _factor(request) if key.index is None else 1
        units = rate * write_units(kind, key) * times
        share = _written_share(model, request, kind, key)
        if share is not None:
            yield replace(_load(request, key), writes=units * share)
        elif (named := narrow_names(model, kind, key)) and all(map(names_a_span, named)):
            yield replace(_load(request, key), writes=units / key.shard_count, by_name=True)


# The part of what is asked that meets the hottest key; None where nothing says it.


def _read_share(request: Request, kind: AnyKind, key: EntityKey) -> float | None:
    if not _slots(key) or request.step.has_one_partition:
        return 1 / key.shard_count
    few = _choices(request)
    return 1 / key.shard_count / few if few else _expected_share(kind, key)


def _written_share(model: Model, request: Request, kind: AnyKind, key: EntityKey) -> float | None:
    counts = [_values(model, kind, key, slot, source) for slot, source in _sources(request, key)]
    known = [count for count in counts if count is not None]
    is_told = key.expected is not None and key.expected.hottest_share is not None
    if len(known) < len(counts) or (is_told and any(count > 1 for count in known)):
        return _expected_share(kind, key)
    return 1 / key.shard_count / min((count for count in known if count > 1), default=1)


def _expected_share(kind: AnyKind, key: EntityKey) -> float | None:
    share = kind.expected_by(key).hottest_share
    return None if share is None else share / key.shard_count


def _values(
    model: Model, kind: AnyKind, key: EntityKey, slot: Slot, source: Source | None = None
) -> int | None:
    """Over how many values of a slot all that is written now is spread; None where many."""
    if (source is not None and _is_constant(source)) or is_span(kind, slot):
        return 1
    return choices_of(type_of(kind, slot.field)) or _constants(model, kind, key, slot)


def _constants(model: Model, kind: AnyKind, key: EntityKey, slot: Slot) -> int | None:
    """How many constants all requests say for a text of a partition; None where they say others."""
    said = model.constants.get((id(key), slot.field))
    return None if said is None or not is_text(kind, slot.field) else len(said)


def _is_constant(source: Source) -> bool:
    return all(isinstance(leaf, Constant) for leaf in leaves(source))


def _sources(request: Request, key: EntityKey) -> Iterator[tuple[Slot, Source | None]]:
    """Each slot of a partition key, with what a request puts there where that is known."""
    for part in key.partition:
        source = written_source(request.step, key, part)
        known = {} if source is None else dict(slot_sources(part, source))
        yield from ((slot, known.get(slot.field)) for slot in part.template.slots)


def _choices(request: Request) -> int | None:
    """How many partitions the arguments can choose among, where they are few."""
    held = [p.type for p in request.pattern.parameters if p.name in request.partition_arguments]
    few = [choices_of(plain_type(each)[0]) for each in held]
    known = [count for count in few if count is not None]
    return min(known) if known and len(known) == len(held) else None


# Raw requests that are about no entity.


def _of_no_entity(request: Request, rate: float) -> Iterator[Load]:
    """What a request asks of the partitions whose values it says itself."""
    if request.reads:
        sources = [source for compared in request.step.partition for source in compared.sources]
        if request.index is not None and request.step.has_one_partition:
            units = rate * (1 if request.step.consistent else 0.5) * _factor(request)
            yield Load(request.pattern, request.index, _texts(sources), None, reads=units)
    for index in (request.table.primary, *request.table.indexes.values()):
        written = _written_partition(request, index)
        if written is not None and index.kind != "local":
            times = _factor(request) if index.kind == "primary" else 1
            yield Load(request.pattern, index, _texts(written), None, writes=rate * times)


def _written_partition(request: Request, index: Index) -> list[Source] | None:
    """The values of a partition into which all falls that is written now; None where it does not.

    Only an item that is put says its attributes in an index.
    """
    key = {name: compared.source for name, compared in request.step.key.items()}
    held = key if request.step.item is None else request.step.item
    sources = [held[a.name] for a in index.partition if a.name in held]
    if not request.writes or len(sources) < len(index.partition):
        return None
    types = {p.name: plain_type(p.type)[0] for p in request.pattern.parameters}
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
