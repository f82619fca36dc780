"""Affordable: the cost of a pattern as data grows, both in its answer and beside it.

A pattern is run on growing data along three axes: other partitions, other records in the partitions
that it reads, and the answer itself. The engine counts items and units; the growth class is the
widest axis along which they still rise.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from sortkey.clock import clock
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.queryable import query_instead
from sortkey.design.plans.tracing import trace
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import And, Between, Compare
from sortkey.operations.plan import Step
from sortkey.prove.acknowledged import declared_small, reason_for
from sortkey.prove.aliased import aliased
from sortkey.prove.bench import Bench
from sortkey.prove.counterexample import Recording
from sortkey.prove.curves import Axis, Curve, Point
from sortkey.prove.example import NOTHING_HIT, Example, called, example_of
from sortkey.prove.measuring import SIZES, Measuring, counts, records_between
from sortkey.prove.meter import Metered
from sortkey.prove.neighbours import dropped, groups
from sortkey.prove.source import Source
from sortkey.prove.trial import ProofSettings
from sortkey.prove.values import NOW
from sortkey.prove.variation import numbered
from sortkey.prove.verdict import ProofOutcome, Verdict
from sortkey.wording.prose import FEW, counted, listed

NAME = "affordable"
# The rules of `check` that find the same problem before anything runs.
_RULES = ("SK407", "SK408", "SK409", "SK411", "SK412")
# How far the end of a range is moved, as far as the pattern allows it.
_FURTHER = (800, 99, 10)
_REJECTED = "DynamoDB rejects the request, so there is no cost to measure"
_UNKNOWN = (
    "no generated value makes its filter false, so the cost of dropped items was not measured: "
    "provide values with `strategies`"
)
_UNSTATED = (
    "a Scan reads the whole table, and the design does not state that all of it is wanted: add "
    "where=, or query a key of the table or of an index"
)


class Class(Enum):
    """The growth of a pattern's cost, the worst first."""

    TABLE = "with the table"
    SHARED = "with a partition that all callers share"
    PARTITION = "with the partition"
    RESULT = "with the result"
    LIMITED = "up to a limit"
    CONSTANT = "constant"


_PROVED = frozenset({Class.RESULT, Class.LIMITED, Class.CONSTANT})


@dataclass(frozen=True, slots=True)
class Growth:
    """The cost of a pattern on its example, and how it grows."""

    grows: Class
    base: Point
    example: Example
    curves: tuple[Curve, ...] = ()
    acknowledged: str = ""
    # Whether it may read records that its filter drops, but none could be generated.
    unknown: bool = False
    # Whether the answer is one number.
    counts: bool = False
    # The call beside few records and beside more, if it is refuted.
    runs: tuple[Recording, ...] = ()

    @property
    def worst(self) -> Curve:
        """The curve that shows the growth; only if the cost grows beyond the answer."""
        axis = Axis.OTHERS if self.grows is Class.TABLE else Axis.PARTITION
        return next(curve for curve in self.curves if curve.axis is axis and curve.rises)

    @property
    def summary(self) -> str:
        """The cost in words: ``1 read unit; grows with the result``."""
        points = (self.base, *(point for curve in self.curves for point in curve.points))
        used = [([p.reads for p in points], "read"), ([p.writes for p in points], "write")]
        costs = [self._cost(units, f"{what} unit") for units, what in used if units[0]]
        rises = "" if self.grows is Class.CONSTANT else "grows "
        return f"{listed(costs) or 'no units'}; {rises}{self.grows.value}"

    def _cost(self, units: Sequence[float], noun: str) -> str:
        """Return the units of the example, and where there is a limit the units that reach it."""
        least, most = units[0], max(units)
        to = f"{least:,g} to " if self.grows is Class.LIMITED and most > least else ""
        return to + counted(most if to else least, noun)

    @property
    def value(self) -> dict[str, Any]:
        """The growth as JSON."""
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
            "summary": self.summary,
            "curves": curves,
            "records": list(map(source.of, example.records)),
            "call": source.call(example.pattern.name, example.arguments),
        }
        return known | ({"acknowledged": self.acknowledged} if self.acknowledged else {})


def subjects(design: Design) -> Sequence[Pattern[..., Any]]:
    """Return every pattern."""
    return design.patterns


def judge(pattern: Pattern[..., Any], design: Design, how: ProofSettings) -> Verdict:
    """Return whether a pattern's cost grows with nothing but its answer."""
    tried = aliased(pattern)
    rejected = _verdict(pattern, ProofOutcome.UNPROVEN, _REJECTED)
    if tried.findings:
        return rejected
    metered = Metered(design)
    try:
        with clock(NOW.timestamp):
            example = example_of(tried, design, how, metered)
            if example is None:
                return _verdict(pattern, ProofOutcome.UNPROVEN, NOTHING_HIT)
            found = _judged(tried, design, measured(example, design, how, metered))
    finally:
        metered.close()
    # The cost was measured with aliases for reserved words; the request itself is rejected.
    return rejected if pattern.findings and found.outcome is ProofOutcome.PROVED else found


def _judged(pattern: Pattern[..., Any], design: Design, growth: Growth) -> Verdict:
    figures = {"read_units": growth.base.reads, "write_units": growth.base.writes}
    used = {name: units for name, units in figures.items() if units}
    if growth.unknown:
        return _verdict(pattern, ProofOutcome.UNPROVEN, _UNKNOWN, used, growth)
    if growth.grows in _PROVED and _reads_unstated(pattern, design):
        return _verdict(pattern, ProofOutcome.UNPROVEN, _UNSTATED, used, growth)
    if growth.grows in _PROVED:
        return _verdict(pattern, ProofOutcome.PROVED, "", used, growth)
    reason = "" if growth.grows is Class.TABLE else reason_for(pattern, design, NAME, _RULES)
    reason = reason or _small(growth)
    if reason:
        known = replace(growth, acknowledged=reason)
        return _verdict(pattern, ProofOutcome.PROVED, "", used, known)
    shown = replace(growth, runs=_runs(growth, design))
    found = _verdict(pattern, ProofOutcome.REFUTED, _growth_message(growth), used, shown)
    return replace(found, change=_change(growth))


def _reads_unstated(pattern: Pattern[..., Any], design: Design) -> bool:
    """Return whether a raw Scan returns several entities without stating that all are wanted."""
    if not pattern.is_raw or pattern.where is not None:
        return False
    for step in trace(pattern, design).steps:
        keys = [(kind, key) for kind in design.kinds for key in kind.keys.values()]
        kinds = [k for k, key in keys if k.table is step.table and key.index == step.index]
        many = len(kinds) > 1 and not declared_small(kinds, whole=True)
        if step.verb == "Scan" and step.limit is None and many:
            return not reason_for(pattern, design, NAME, _RULES)
    return False


def _small(growth: Growth) -> str:
    """Return a sentence if the design declares the records that grow to be few, else ""."""
    grown = growth.worst.entities
    whole = growth.grows is not Class.PARTITION
    kinds = [
        kind for kind in growth.example.kinds if growth.grows is Class.TABLE or kind.name in grown
    ]
    return declared_small(kinds, whole=whole)


def _growth_message(growth: Growth) -> str:
    curve = growth.worst
    first, last = curve.points[0], curve.points[-1]
    more = "" if curve.bare else " more"
    names = listed(curve.entities, FEW)
    though = ", though the answer is one number" if growth.counts else ""
    unreturned = "" if growth.counts else " that it does not return"
    return (
        f"the cost grows {growth.grows.value}{though}: with {first.records}{more} {names} records"
        f"{unreturned}, one call reads {_used(first)}; with {last.records}{more}, {_used(last)}"
    )


def _used(point: Point) -> str:
    return f"{counted(point.items, 'item')} for {counted(point.units, 'unit')}"


def _change(growth: Growth) -> str:
    """Return what to write instead of a call that reads records that it does not return."""
    small = (
        "Expected(per_partition=...)" if growth.grows is Class.PARTITION else "Expected(count=...)"
    )
    declared = f"or declare {small} on {listed(growth.worst.entities, FEW)} if there are always few"
    steps = growth.example.operation()._plan().steps
    if growth.counts and any(map(_has_range, steps)):
        # Each call counts other records, so no single record can store the number.
        return (
            "Store a count for each part of the range, add up the counts of whole parts, and count "
            f"records only in the part that contains the argument, {declared}"
        )
    if growth.counts:
        return f"Store the count in a record that each write updates, {declared}"
    filters = [step.filter for step in steps if step.filter]
    names = sorted({name for condition in filters for name in condition_names(condition)})
    for step in steps:
        kinds = [kind for kind in growth.example.kinds if kind.name in step.entities]
        known = query_instead(step, kinds)
        if known is not None:
            return f"{known.replace('`', '')}, {declared}"
    if names:
        return f"Put {listed(names, FEW)} into the key of an index and query it, {declared}"
    if growth.grows is Class.TABLE:
        return f"Query a key of the table or of an index instead of scanning, {declared}"
    return (
        "Start the sort keys of each entity with its own prefix, so that a range contains one "
        f"entity only, {declared}"
    )


def _has_range(step: Step) -> bool:
    """Return whether a request compares the sort key with bounds rather than one value."""
    condition = step.key_condition
    parts = condition.conditions if isinstance(condition, And) else (condition,)
    return any(
        isinstance(part, Between) or (isinstance(part, Compare) and part.op != "=")
        for part in parts
    )


def _verdict(
    pattern: Pattern[..., Any],
    outcome: ProofOutcome,
    reason: str,
    figures: Mapping[str, float] | None = None,
    growth: Growth | None = None,
) -> Verdict:
    return Verdict(NAME, "pattern", pattern.name, outcome, reason, figures or {}, detail=growth)


def measured(example: Example, design: Design, how: ProofSettings, metered: Metered) -> Growth:
    """Measure how the cost of an example grows along each axis for which there are records."""
    wide = _widened(example, metered)
    bench = Measuring(wide, wide.operation(), metered)
    base = bench.point(0, bench.run())
    found = groups(bench, wide, how)
    curves = {axis: bench.curve(axis, some) for axis, some in found.items() if some}
    shared = _is_shared(example.pattern, design)
    unknown = False
    if (
        _class(base, curves.values(), shared=shared) in _PROVED
        and bench.walks
        and bench.most is None
    ):
        if Axis.PARTITION in curves and any(step.limit for step in bench.walks):
            # A walk that ends early may not reach the records after its first match.
            bare = bench.curve(Axis.PARTITION, found[Axis.PARTITION], bare=True)
            curves |= {bare.axis: bare} if bare.rises else {}
        read = dropped(bench, wide, how)
        unknown = read.unknown
        if read.axis is not None:
            curves[read.axis] = bench.curve(read.axis, read.groups, bare=read.bare)
    grows = _class(base, curves.values(), shared=shared)
    ordered = tuple(curves[axis] for axis in Axis if axis in curves)
    return Growth(
        grows,
        base,
        wide,
        ordered,
        unknown=unknown and grows in _PROVED,
        counts=counts(bench.operation),
    )


def _runs(growth: Growth, design: Design) -> tuple[Recording, ...]:
    """Return recordings of the call beside few records and beside more."""
    worst, bench = growth.worst, Bench(design)
    try:
        return tuple(_run(growth.example, bench, worst, size) for size in SIZES[:2])
    finally:
        bench.close()


def _run(example: Example, bench: Bench, curve: Curve, size: int) -> Recording:
    bench.fill(() if curve.bare else example.records)
    for record in records_between(curve.groups, 0, size):
        bench.overwrite(record)
    bench.watch()
    bench.db(example.operation())
    return bench.recording()


def _widened(example: Example, metered: Metered) -> Example:
    """Return the example with wider ranges, so that more records fit into them."""
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


def _class(base: Point, curves: Collection[Curve], *, shared: bool) -> Class:
    rising = {curve.axis for curve in curves if curve.rises}
    if Axis.OTHERS in rising:
        return Class.TABLE
    if Axis.PARTITION in rising:
        return Class.SHARED if shared else Class.PARTITION
    if Axis.ANSWER in rising:
        return Class.RESULT
    points = (point for curve in curves for point in curve.points)
    return Class.LIMITED if any(p.units > base.units for p in points) else Class.CONSTANT


def _is_shared(pattern: Pattern[..., Any], design: Design) -> bool:
    """Return whether no argument chooses the partition."""
    queries = [step for step in trace(pattern, design).steps if step.verb == "Query"]
    return bool(queries) and all(step.has_one_partition for step in queries)
