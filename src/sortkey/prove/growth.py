"""Affordable: what a pattern costs while the data grows that it returns, and that it does not.

A pattern is run on growing data along three axes: other people's partitions, other records in the
partitions that it reads, and the answer itself. Items and units are counted by the engine; the
growth class is the widest axis along which they still rise.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.pattern import Pattern
from sortkey.design.tracing import trace
from sortkey.expressions.tree import And, Compare, Condition, Path, Value
from sortkey.operations.clock import clock
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.operations.walk import PageOf, Walk
from sortkey.prove.acknowledged import reason_for
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Recording
from sortkey.prove.example import NOTHING_HIT, Example, called, example_of
from sortkey.prove.meter import Metered, Run, item_of
from sortkey.prove.source import Source
from sortkey.prove.trial import Settings
from sortkey.prove.values import NOW
from sortkey.prove.variation import Variation, numbered, simplest, variations
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.wire.values import Item

NAME = "affordable"
# The rules of `check` that say the same before anything runs.
_RULES = ("SK407", "SK408", "SK409", "SK411", "SK412")

_SIZES = (10, 40, 160)
_MOST_PAGE = 250
_WALKS = frozenset({"Query", "Scan"})
# So many records tell whether more of them enter the answer.
_TRIED = 3
_MOST_GROUPS = 3
# How far the end of a range is moved, as far as the pattern lets it.
_FURTHER = (800, 99, 10)


class Axis(Enum):
    """What grows while a pattern is measured."""

    OTHERS = "other partitions"
    PARTITION = "the rest of its partition"
    ANSWER = "the answer"


class Class(Enum):
    """How a pattern's cost grows, the worst first."""

    TABLE = "with the table"
    SHARED = "with a partition that all share"
    PARTITION = "with the partition"
    ANSWER = "with the answer"
    CONSTANT = "constant"


@dataclass(frozen=True, slots=True)
class Point:
    """What one run used, beside so many more records."""

    records: int
    items: int
    reads: float
    writes: float
    returned: int


@dataclass(frozen=True, slots=True)
class Curve:
    """What a pattern uses along one axis, and the records that grow there."""

    axis: Axis
    points: tuple[Point, ...]
    groups: tuple[Variation, ...]

    @property
    def entities(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(dict.fromkeys(group.kind.name for group in self.groups))

    @property
    def rises(self) -> bool:
        """Whether the cost still rises at the end; a unit is too coarse to see each record."""
        before, last = self.points[-2:]
        return last.items > before.items or last.writes > before.writes

    @property
    def slope(self) -> float:
        """The units that each more record costs, at the end."""
        before, last = self.points[-2:]
        units = last.reads + last.writes - before.reads - before.writes
        return units / (last.records - before.records)


@dataclass(frozen=True, slots=True)
class Growth:
    """What a pattern costs on its example, and how that grows."""

    grows: Class
    base: Point
    example: Example
    curves: tuple[Curve, ...] = ()
    acknowledged: str = ""
    # The call beside few records and beside more, where it is refuted.
    runs: tuple[Recording, ...] = ()

    @property
    def worst(self) -> Curve:
        """The curve that shows how it grows, where it does."""
        axis = Axis.OTHERS if self.grows is Class.TABLE else Axis.PARTITION
        return next(curve for curve in self.curves if curve.axis is axis and curve.rises)

    @property
    def told(self) -> str:
        """The same for people: ``1 read unit; grows with the answer``."""
        used = [(self.base.reads, "read"), (self.base.writes, "write")]
        units = " and ".join(
            f"{units:g} {what} unit{'' if units == 1 else 's'}" for units, what in used if units
        )
        rises = "" if self.grows is Class.CONSTANT else "grows "
        return f"{units or 'no units'}; {rises}{self.grows.value}"

    @property
    def value(self) -> dict[str, Any]:
        """The same for programs."""
        curves = {
            curve.axis.name.lower(): [
                {
                    "records": point.records,
                    "items_read": point.items,
                    "read_units": point.reads,
                    "write_units": point.writes,
                    "returned": point.returned,
                }
                for point in curve.points
            ]
            for curve in self.curves
        }
        source, example = Source(), self.example
        known = {
            "grows": self.grows.value,
            "curves": curves,
            "records": list(map(source.of, example.records)),
            "call": source.call(example.pattern.name, example.arguments),
        }
        return known | ({"acknowledged": self.acknowledged} if self.acknowledged else {})


def subjects(design: Design) -> Sequence[Pattern[..., Any]]:
    """Every pattern."""
    return design.patterns


def judge(pattern: Pattern[..., Any], design: Design, how: Settings) -> Verdict:
    """Whether a pattern's cost grows with nothing but what it returns."""
    if pattern.findings:
        return _verdict(pattern, Outcome.UNPROVEN, "DynamoDB refuses it, so that it costs nothing")
    metered = Metered(design)
    try:
        with clock(NOW.timestamp):
            example = example_of(pattern, design, how, metered)
            if example is None:
                return _verdict(pattern, Outcome.UNPROVEN, NOTHING_HIT)
            return _judged(pattern, design, measured(example, design, how, metered))
    finally:
        metered.close()


def _judged(pattern: Pattern[..., Any], design: Design, growth: Growth) -> Verdict:
    figures = {"read_units": growth.base.reads, "write_units": growth.base.writes}
    told = {name: units for name, units in figures.items() if units}
    if growth.grows in {Class.ANSWER, Class.CONSTANT}:
        return _verdict(pattern, Outcome.PROVED, "", told, growth)
    reason = reason_for(pattern, design, NAME, _RULES)
    if reason and growth.grows is not Class.TABLE:
        known = replace(growth, acknowledged=reason)
        return _verdict(pattern, Outcome.PROVED, "", told, known)
    shown = replace(growth, runs=_runs(growth, design))
    return _verdict(pattern, Outcome.REFUTED, _told(growth), told, shown)


def _told(growth: Growth) -> str:
    curve = growth.worst
    first, last = curve.points[0], curve.points[-1]
    records = f"{last.records} more records of {', '.join(curve.entities)}"
    where = {
        Class.TABLE: f"{records} that it has nothing to do with",
        Class.SHARED: f"{records} in the one partition that all share",
        Class.PARTITION: f"{records} in its partition that it does not return",
    }[growth.grows]
    return (
        f"its cost grows {growth.grows.value}: beside {where}, it reads {last.items:,} items and "
        f"takes {last.reads + last.writes:,g} units; beside {first.records}, {first.items:,} and "
        f"{first.reads + first.writes:,g}"
    )


def _verdict(
    pattern: Pattern[..., Any],
    outcome: Outcome,
    reason: str,
    figures: Mapping[str, float] | None = None,
    growth: Growth | None = None,
) -> Verdict:
    return Verdict(NAME, "pattern", pattern.name, outcome, reason, figures or {}, detail=growth)


def measured(example: Example, design: Design, how: Settings, metered: Metered) -> Growth:
    """How the cost of an example grows, along each axis for which there are records."""
    wide = _widened(example, metered)
    bench = _Measuring(wide, wide.operation(), metered)
    base = bench.point(0, bench.run())
    groups = _groups(bench, wide, how)
    curves = [bench.curve(axis, some) for axis, some in groups.items() if some]
    shared = _is_shared(example.pattern, design)
    return Growth(_class(curves, shared=shared), base, wide, tuple(curves))


def _runs(growth: Growth, design: Design) -> tuple[Recording, ...]:
    """The call beside few records and beside more, in DynamoDB's own terms."""
    groups, bench = growth.worst.groups, Bench(design)
    try:
        return tuple(_run(growth.example, bench, _some(groups, 0, size)) for size in _SIZES[:2])
    finally:
        bench.close()


def _run(example: Example, bench: Bench, beside: Iterator[Entity]) -> Recording:
    bench.fill(example.records)
    for record in beside:
        bench.overwrite(record)
    bench.watch()
    bench.db(example.operation())
    return bench.recording()


def _widened(example: Example, metered: Metered) -> Example:
    """The example with each argument that ends a range moved out, so that more fits into it."""
    whole = called(example.pattern, example.records, example.arguments, metered)
    if whole is None or whole.usage.write_units:
        return example
    wide: dict[str, Any] = dict(example.arguments)
    for parameter in example.pattern.parameters:
        family = numbered(parameter.type, example.arguments.get(parameter.name))
        if family is None:
            continue
        for further in map(family, _FURTHER):
            arguments = {**wide, parameter.name: further}
            run = called(example.pattern, example.records, arguments, metered)
            if run is not None and run.returned >= whole.returned:
                wide = arguments
                break
    return replace(example, arguments=wide)


def _class(curves: Sequence[Curve], *, shared: bool) -> Class:
    rising = {curve.axis for curve in curves if curve.rises}
    if Axis.OTHERS in rising:
        return Class.TABLE
    if Axis.PARTITION in rising:
        return Class.SHARED if shared else Class.PARTITION
    return Class.ANSWER if Axis.ANSWER in rising else Class.CONSTANT


def _is_shared(pattern: Pattern[..., Any], design: Design) -> bool:
    """Whether nothing that a caller says chooses the partition."""
    queries = [step for step in trace(pattern, design).steps if step.verb == "Query"]
    return bool(queries) and all(step.has_one_partition for step in queries)


@dataclass(slots=True)
class _Measuring:
    """One call, measured again and again."""

    example: Example
    operation: Operation[Any]
    metered: Metered
    _start: bytes = field(init=False, default=b"")

    def __post_init__(self) -> None:
        stored = self.metered.begin(self.example.records)
        self.metered.store(stored)
        self._start = self.metered.image()

    @property
    def steps(self) -> Sequence[Step]:
        """What the call sends."""
        return self.operation.plan().steps

    def run(self) -> Run:
        """What the call comes to with what is stored now."""
        return self.metered.run(self.operation)

    def run_beside(self, records: Sequence[Entity]) -> Run:
        """What the call comes to beside these records alone."""
        self.metered.back(self._start)
        self.metered.store(records)
        return self.run()

    def point(self, records: int, run: Run) -> Point:
        """What one run used."""
        usage = run.usage
        return Point(records, usage.items, usage.read_units, usage.write_units, run.returned)

    def curve(self, axis: Axis, groups: Sequence[Variation]) -> Curve:
        """What the call uses beside more and more records of these groups.

        Where they cost something that they should not, only those that do are shown.
        """
        mixed = self._curve(axis, groups)
        if axis is Axis.ANSWER or not mixed.rises:
            return mixed
        guilty = [group for group in groups if self._curve(axis, [group]).rises]
        return self._curve(axis, guilty) if guilty else mixed

    def _curve(self, axis: Axis, groups: Sequence[Variation]) -> Curve:
        self.metered.back(self._start)
        points: list[Point] = []
        made = 0
        for size in _sizes(self.operation, axis):
            self.metered.store(_some(groups, made, size))
            made = size
            points.append(self.point(size, self.run()))
        return Curve(axis, tuple(points), tuple(groups))


def _sizes(operation: Operation[Any], axis: Axis) -> Sequence[int]:
    """How many records are added; more than a page, where the answer comes in pages.

    What is only asked for by key is held against fewer: it goes through none of them.
    """
    if all(step.verb not in _WALKS for step in operation.plan().steps):
        return _SIZES[:-1]
    page = _limit(operation) if axis is Axis.ANSWER else 0
    return _SIZES if page <= _SIZES[1] else (page // 2, page * 2, page * 3)


def _limit(operation: Operation[Any]) -> int:
    if isinstance(operation, PageOf):
        return min(operation.size, _MOST_PAGE)
    if isinstance(operation, Walk):
        return min(operation.most or 0, _MOST_PAGE)
    return 0


def _some(groups: Sequence[Variation], start: int, end: int) -> Iterator[Entity]:
    for number in range(start, end):
        record = groups[number % len(groups)].record(number + 1)
        if record is not None:
            yield record


# Which records grow.


def _groups(bench: _Measuring, example: Example, how: Settings) -> dict[Axis, list[Variation]]:
    """The records to grow along each axis, of each entity some."""
    found: dict[Axis, list[Variation]] = {axis: [] for axis in Axis}
    places = [test for step in bench.steps for test in _partitions(step)]
    returned = bench.run_beside(()).returned
    own = {name for step in bench.steps for name in step.entities}
    for like in _likes(example, how):
        kept = dict.fromkeys(Axis, 0)
        most = _MOST_GROUPS if like.__kind__.name in own else 1
        for variation in variations(like, example.asked.get(like.__kind__.name, ())):
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


def _likes(example: Example, how: Settings) -> Iterator[Entity]:
    """A record of each entity, with the values of the example where their names are the same."""
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
    """The first few records of a variation that are records of their own."""
    made = [variation.record(number) for number in range(1, _TRIED + 1)]
    records = [record for record in made if record is not None]
    keys = {repr(r.__kind__.key_of(r)) for r in (variation.like, *records)}
    return records if len(keys) == len(records) + 1 else []


def _axis(
    records: Sequence[Entity],
    places: Sequence[Callable[[str, Item], bool]],
    bench: _Measuring,
    returned: int,
) -> Axis | None:
    """Along which axis these records lie; None where they are at odds with the call."""
    items = [(r.__kind__.table.name_in("dev"), item_of(r)) for r in records]
    inside = [any(test(*item) for test in places) for item in items]
    if any(inside) and not all(inside):
        return None
    if len(places) == len(bench.steps) and not any(inside):
        return Axis.OTHERS
    run = bench.run_beside(records)
    if run.error is not None:
        return None
    more = run.returned - returned
    if more == len(records):
        return Axis.ANSWER
    if more:
        return None
    return Axis.PARTITION if all(inside) else Axis.OTHERS


def _partitions(step: Step) -> Iterator[Callable[[str, Item], bool]]:
    """Whether an item lies in the partition that a step is about; nothing for a Scan."""
    table: Any = step.table
    index = table.primary if step.index is None else table.indexes[step.index]
    names = [attribute.name for attribute in index.partition]
    held = dict(_equals(step.key_condition)) if step.key is None else dict(step.key)
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


def _equals(condition: Condition | None) -> Iterator[tuple[str, Value]]:
    match condition:
        case And(conditions):
            for part in conditions:
                yield from _equals(part)
        case Compare("=", Path() as path, Value() as value):
            yield path.name, value
        case _:
            return
