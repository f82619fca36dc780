"""Neighbours: the records that are added beside a call while it is measured, along each axis.

A record that the call reads costs something, whether or not it is returned. A filter drops records
after they are read, so a call with a filter is measured beside records that it does not match.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeAlias

from sortkey.design.declaring.entity import Entity
from sortkey.errors import SortkeyError
from sortkey.expressions.conjuncts import equalities
from sortkey.expressions.tree import Value
from sortkey.operations.plan import Step
from sortkey.prove.curves import Axis
from sortkey.prove.example import Example
from sortkey.prove.measuring import Measuring, counts
from sortkey.prove.meter import item_of
from sortkey.prove.solving import Solving
from sortkey.prove.trial import ProofSettings
from sortkey.prove.variation import Variation, simplest, variations
from sortkey.wire.values import Item

# So many records show whether the answer grows with them.
_TRIED = 3
_MOST_GROUPS = 3
# How many changes that make a filter drop a record are tried.
_MOST_CHANGES = 4

Places: TypeAlias = Sequence[Callable[[str, Item], bool]]


def groups(bench: Measuring, example: Example, how: ProofSettings) -> dict[Axis, list[Variation]]:
    """Return the variations to grow along each axis, some of each entity."""
    found: dict[Axis, list[Variation]] = {axis: [] for axis in Axis}
    places = _places(bench)
    returned = bench.run_beside(()).returned
    own = {name for step in bench.steps for name in step.entities}
    for like in _likes(example, how):
        kept = dict.fromkeys(Axis, 0)
        most = _MOST_GROUPS if like.__kind__.name in own else 1
        for variation in variations(like, example.compared_fields.get(like.__kind__.name, ())):
            records = _tried(variation)
            if len(records) < _TRIED:
                continue
            axis = _axis(records, places, bench, returned)
            if axis is not None and kept[axis] < most:
                kept[axis] += 1
                found[axis].append(variation)
            if all(count == most for count in kept.values()):
                break
    return found


def _likes(example: Example, how: ProofSettings) -> Iterator[Entity]:
    """Yield a record of each entity, with the example's values in fields of the same name."""
    stored = {record.__kind__: record for record in reversed(example.records)}
    known = {name: value for name, value in example.arguments.items() if value is not None}
    for record in (*_records_in(example.arguments), *stored.values()):
        known = {**record.__dict__, **known}
    for kind in example.kinds:
        made = stored.get(kind) or simplest(kind, known, how.strategies)
        if made is not None:
            yield made


def _records_in(arguments: Mapping[str, Any]) -> Iterator[Entity]:
    return (value for value in arguments.values() if isinstance(value, Entity))


def _tried(variation: Variation) -> list[Entity]:
    """Return the first few records of a variation; empty unless all have different keys."""
    made = [variation.record(number) for number in range(1, _TRIED + 1)]
    records = [record for record in made if record is not None]
    keys = {repr(r.__kind__.key_of(r)) for r in (variation.like, *records)}
    return records if len(keys) == len(records) + 1 else []


def _axis(
    records: Sequence[Entity], places: Places, bench: Measuring, returned: int
) -> Axis | None:
    """Return the axis along which these records lie; None if they lie along none."""
    inside = _inside(records, places)
    if any(inside) and not all(inside):
        return None
    if len(places) == len(bench.steps) and not any(inside):
        return Axis.OTHERS
    run = bench.run_beside(records)
    if run.error is not None:
        return None
    more = run.returned - returned
    # Counted records are read for one number; they are not part of the answer.
    if more == len(records) and not counts(bench.operation):
        return Axis.ANSWER
    if more and not counts(bench.operation):
        return None
    return Axis.PARTITION if all(inside) else Axis.OTHERS


# Records that a filter drops.


@dataclass(frozen=True, slots=True)
class Dropped:
    """Records that a call reads and its filter drops, and the axis along which they lie.

    ``unknown`` says that there may be others, for which no value that drops them was found.
    """

    axis: Axis | None = None
    groups: tuple[Variation, ...] = ()
    bare: bool = False
    unknown: bool = False


def dropped(bench: Measuring, example: Example, how: ProofSettings) -> Dropped:
    """Return records that a call reads although its filters do not match them."""
    steps = [step for step in bench.walks if not is_single(step)]
    filters = [step.filter for step in steps if step.filter is not None]
    unknown = False
    for like in _likes(example, how):
        for condition in filters:
            dropping = Solving(condition, like, wanted=False)
            for changes in islice(dropping.changes(), _MOST_CHANGES):
                found = _read(bench, like, changes)
                if found is not None:
                    return found
                unknown = True
            is_own = any(like.__kind__.name in step.entities for step in bench.walks)
            unknown |= is_own and not dropping.is_complete
    return Dropped(unknown=unknown)


def _read(bench: Measuring, like: Entity, changes: Mapping[str, Any]) -> Dropped | None:
    """Return records with these changes if the call reads and drops them, else None."""
    places = _places(bench)
    before = bench.run_beside(())
    for variation in variations(like, ()):
        made = replace(variation, others={**variation.others, **changes})
        try:
            records = _tried(made)
            if len(records) < _TRIED:
                continue
            inside = _inside(records, places)
            for bare in (False, True):
                run = bench.run_beside(records, bare=bare)
                start = 0 if bare else before.usage.items
                returned = 0 if bare else before.returned
                if (
                    run.error is None
                    and run.returned == returned
                    and run.usage.items >= start + len(records)
                ):
                    axis = Axis.PARTITION if all(inside) else Axis.OTHERS
                    return Dropped(axis, (made,), bare)
        except SortkeyError:
            continue  # a value that a key refuses
    return None


def is_single(step: Step) -> bool:
    """Return whether a step binds the whole primary key, so that it reads at most one item."""
    names = {name for name, _ in equalities(step.key_condition)}
    return step.index is None and step.verb == "Query" and names == {*step.table.key_names}


# Partitions.


def _places(bench: Measuring) -> Places:
    return [test for step in bench.steps for test in _partitions(step)]


def _inside(records: Sequence[Entity], places: Places) -> list[bool]:
    items = [(r.__kind__.table.name_in("dev"), item_of(r)) for r in records]
    return [any(test(*item) for test in places) for item in items]


def _partitions(step: Step) -> Iterator[Callable[[str, Item], bool]]:
    """Yield a test of whether an item lies in the partition of a step; nothing for a Scan."""
    table: Any = step.table
    index = table.primary if step.index is None else table.indexes[step.index]
    names = [attribute.name for attribute in index.partition]
    held = dict(equalities(step.key_condition)) if step.key is None else dict(step.key)
    if step.item is not None:
        held = {name: Value(value) for name, value in step.item.items()}
    wanted = {name: held[name].value for name in names if name in held}
    if len(wanted) == len(names):
        own = table.name_in("dev")
        yield (
            lambda name, item: (
                name == own
                and all(item.get(attribute) == value for attribute, value in wanted.items())
            )
        )
