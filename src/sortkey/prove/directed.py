"""Directed cases: records that random generation seldom makes beside a call that finds something.

These are a record of another entity with the same values, which a raw request may return as its
own; a few records like one that is found, so that their order matters; and more records than a
limit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

from sortkey.design.declaring.entity import Entity
from sortkey.design.raw.operation import RawOperation
from sortkey.design.records.kind import EntityKind
from sortkey.errors import SortkeyError
from sortkey.expressions.tree import Condition
from sortkey.operations.operation import Operation
from sortkey.prove.meter import item_of
from sortkey.prove.samples import Case
from sortkey.prove.solving import Changes, Solving
from sortkey.prove.strategies import Strategies
from sortkey.prove.twins import expiry
from sortkey.prove.variation import Variation, simplest, variations
from sortkey.prove.variation import like as like_it

# A larger limit is replaced by a small one, to be tried on a few records instead of many.
_MOST = 50
_SMALL = 2
_MOST_CASES = 6
_FEW = 3


def visitors(
    case: Case, kinds: Sequence[EntityKind[Any]], strategies: Strategies
) -> Iterator[Case]:
    """Yield cases with a record of each of these entities that resembles those of the case.

    It has the same values in fields of the same name, and in the same place of a key.
    """
    known: dict[str, Any] = {}
    for record in reversed(case.records):
        known |= record.__dict__
    for kind in kinds if case.records else ():
        if not kind.table.raw:
            continue
        partition = dict(_in_same_place(kind, case.records[0], "partition"))
        sort = dict(_in_same_place(kind, case.records[0], "sort"))
        for fields in (partition, {**partition, **sort})[: 2 if sort else 1]:
            visitor = simplest(kind, {**known, **fields}, strategies)
            if visitor is not None:
                yield Case((visitor, *case.records), case.calls)


def _in_same_place(
    kind: EntityKind[Any], record: Entity, member: Literal["partition", "sort"]
) -> Iterator[tuple[str, Any]]:
    """Yield the fields with which a record of an entity has the key texts of another record."""
    item = item_of(record)
    for key in kind.keys.values():
        for part in getattr(key, member):
            text = item.get(part.attribute.name, {}).get("S", "")
            yield from (part.parse(text) or {}).items() if text else ()


def companions(case: Case) -> Iterator[Case]:
    """Yield a case with a few more records like each of its own.

    Their keys ascend while another field descends, so that the two sort differently.
    """
    for like in case.records:
        kind = like.__kind__
        for variation in variations(like, kind.model.model_fields):
            turned = [name for name in variation.numbers if name not in kind.key_fields]
            made = [_companion(variation, turned, number) for number in range(1, _FEW + 1)]
            records = tuple(record for record in made if record is not None)
            if len(records) == _FEW:
                yield Case((*case.records, *records), case.calls)


def _companion(variation: Variation, turned: Sequence[str], number: int) -> Entity | None:
    numbers = {name: _FEW + 1 - number if name in turned else number for name in variation.numbers}
    values = {name: made(numbers[name]) for name, made in variation.numbers.items()}
    return like_it(variation.like, {**values, **variation.others})


def is_cut(operation: Operation[Any]) -> bool:
    """Return whether a raw read ends at its limit, so that records beyond it are not returned."""
    return isinstance(operation, RawOperation) and operation._ends_at_limit


def scaled(operation: RawOperation) -> RawOperation:
    """Return a read with a small limit instead of a large one, and ``first`` reduced to match.

    Records beyond the limit are missing whatever its value. Any other read is returned unchanged.
    """
    [step, *_] = operation._parts
    limit, first = step.limit or 0, operation._first
    if not is_cut(operation) or limit <= _MOST:
        return operation
    least = limit if first is None else min(limit, first)
    small = {number: _SMALL + (number > least) for number in (limit, first) if number is not None}
    parts = (replace(step, limit=small[limit]),)
    return replace(operation, _parts=parts, _first=None if first is None else small[first])


def crowds(case: Case, operation: RawOperation) -> Iterator[Case]:
    """Yield the first call of a case on more records than its limit, all like one it finds."""
    step = scaled(operation)._parts[0]
    limit = step.limit or 0
    made = 0
    for like in case.records:
        for variation in variations(like, ()):
            yield from _case(variation, limit + 1, case)
            for changes in () if step.filter is None else _dropped(step.filter, like):
                other = Variation(like, variation.numbers, {**variation.others, **changes})
                yield from _case(variation, 2 * limit + 2, case, by_turns=other)
            made += 1
            if made == _MOST_CASES:
                return


def _dropped(condition: Condition, like: Entity) -> Iterator[Changes]:
    """Yield changes that make a filter drop a record: another value, or an expiry in the past."""
    yield from islice(Solving(condition, like, wanted=False).changes(), 1)
    end = expiry(like.__kind__)
    if end:
        yield end


def _case(
    variation: Variation, count: int, case: Case, by_turns: Variation | None = None
) -> Iterator[Case]:
    """Yield the call on so many records; two variations alternate, starting with either."""
    orders = [(variation, variation)]
    if by_turns is not None:
        orders = [(variation, by_turns), (by_turns, variation)]
    for groups in orders:
        records = [groups[number % 2].record(number) for number in range(1, count + 1)]
        whole = tuple(record for record in records if record is not None)
        if len(whole) == count and len({_key(record) for record in whole} - {""}) == count:
            yield Case(whole, case.calls[:1])


def _key(record: Entity) -> str:
    try:
        return repr(record.__kind__.key_of(record))
    except SortkeyError:
        return ""
