"""Scalable: how much the hottest key of a table or an index takes, and when DynamoDB throttles it.

It is reckoned, not run: from the rates of the patterns, the sizes and counts of the records, and
how unevenly they are spread. What falls on one key grows with the users where the key is shared by
all, or where its share of the whole is declared; where each user has a key, it stays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, inf
from typing import Any, Literal, TypeAlias

from sortkey.design.compile import field_types
from sortkey.design.demand import (
    IN_TRANSACTION,
    choices_of,
    is_span,
    read_units,
    write_units,
)
from sortkey.design.design import Design
from sortkey.design.keys import EntityKey
from sortkey.design.kind import EntityKind
from sortkey.design.marks import plain_type
from sortkey.design.pattern import Pattern
from sortkey.design.plan import PlannedStep
from sortkey.design.sources import arguments_in
from sortkey.design.table import Index
from sortkey.design.tracing import trace
from sortkey.prove.acknowledged import reason_for
from sortkey.prove.trial import Settings
from sortkey.prove.verdict import Outcome, Verdict
from sortkey.wire.limits import KEY_READ_UNITS, KEY_WRITE_UNITS

NAME = "scalable"
# The rules of `check` that say the same.
_RULES = ("SK801", "SK802", "SK803")

# From ten thousand to a billion.
USERS = tuple(10**power for power in range(4, 10))
_MULTIPLES = tuple(10**power for power in range(6))

Limit: TypeAlias = Literal["writes", "reads"]
_MOST: Mapping[Limit, int] = {"writes": KEY_WRITE_UNITS, "reads": KEY_READ_UNITS}


@dataclass(frozen=True, slots=True)
class Load:
    """What one pattern asks of the hottest key in a second, at the declared rates."""

    pattern: str
    limit: Limit
    units: float
    # Whether it grows with the number of users.
    grows: bool


@dataclass(frozen=True, slots=True)
class Column:
    """What the hottest key takes at a number of users."""

    users: int
    writes: float
    reads: float

    @property
    def share(self) -> float:
        """The part of what one partition serves; above one it is throttled."""
        return max(self.writes / KEY_WRITE_UNITS, self.reads / KEY_READ_UNITS)

    @property
    def shards(self) -> int:
        """How many partitions would serve it."""
        return max(1, ceil(self.share))


@dataclass(frozen=True, slots=True)
class Scaling:
    """The hottest key of one kind: what it takes now and as the users grow, and what would help."""

    loads: tuple[Load, ...]
    # How many users the declared rates are of; None where the design does not say.
    users: int | None
    split: str
    shards: int
    acknowledged: str = ""

    def at(self, multiple: float, users: int = 0) -> Column:
        """What the key takes at so many times the declared users."""
        return Column(users, self._units("writes", multiple), self._units("reads", multiple))

    def _units(self, limit: Limit, multiple: float) -> float:
        own = [load for load in self.loads if load.limit == limit]
        return sum(load.units * (multiple if load.grows else 1) for load in own)

    @property
    def now(self) -> Column:
        """What the key takes at the declared rates."""
        return self.at(1, self.users or 0)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What the key takes from ten thousand users to a billion; else at multiples of now."""
        if self.users is None:
            return tuple(self.at(multiple, multiple) for multiple in _MULTIPLES)
        return tuple(self.at(users / self.users, users) for users in USERS)

    @property
    def ceiling(self) -> float:
        """How many times the declared users one key serves; without end where none grows."""
        return min(self._ceiling(limit) for limit in _MOST)

    def _ceiling(self, limit: Limit) -> float:
        fixed = sum(load.units for load in self.loads if load.limit == limit and not load.grows)
        rising = sum(load.units for load in self.loads if load.limit == limit and load.grows)
        return inf if not rising else max(0.0, (_MOST[limit] - fixed) / rising)

    @property
    def users_at_ceiling(self) -> int | None:
        """How many users one key serves, where that is known and has an end."""
        if self.users is None or self.ceiling == inf:
            return None
        return int(self.users * self.ceiling)

    @property
    def value(self) -> dict[str, Any]:
        """The same for programs."""
        known = {
            "users": self.users,
            "times": None if self.ceiling == inf else round(self.ceiling, 3),
            "users_at_ceiling": self.users_at_ceiling,
            "split": self.split,
            "shards": self.shards if self.shards > 1 else None,
            "acknowledged": self.acknowledged or None,
        }
        return {name: value for name, value in known.items() if value is not None} | {
            "loads": [
                {"pattern": load.pattern, f"{load.limit}_units": round(load.units, 3)}
                | {"grows": load.grows}
                for load in self.loads
            ],
            "columns": [
                {
                    "users" if self.users else "times": column.users,
                    "write_units": round(column.writes, 3),
                    "read_units": round(column.reads, 3),
                    "shards": column.shards,
                }
                for column in self.columns
            ],
        }


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """The partition keys of one form on a table or an index, and what asks for them."""

    index: Index
    template: str
    keys: tuple[tuple[EntityKind[Any], EntityKey], ...]
    demand: "_Demand"

    @property
    def name(self) -> str:
        """Where it is, and its form."""
        return f"{self.index} {self.template}"


def subjects(design: Design) -> Sequence[KeyPlace]:
    """Every form of partition key that a pattern reads or writes, on each table and index."""
    demand = _Demand(design)
    asked = {ask.key for ask in demand.asks}
    found: dict[tuple[int, str], list[tuple[EntityKind[Any], EntityKey]]] = {}
    for kind in design.kinds:
        for key in kind.keys.values():
            if key.definition.kind != "local":
                found.setdefault((id(key.definition), _text(key)), []).append((kind, key))
    return [
        KeyPlace(keys[0][1].definition, text, tuple(keys), demand)
        for (_, text), keys in found.items()
        if any(id(key) in asked for _, key in keys)
    ]


def judge(place: KeyPlace, design: Design, how: Settings) -> Verdict:  # noqa: ARG001 - nothing is run
    """Whether the hottest key of this form is served at the declared rates."""
    asked = [ask for ask in place.demand.asks if ask.key in {id(key) for _, key in place.keys}]
    rejected = dict.fromkeys(ask.pattern.name for ask in asked if ask.pattern.findings)
    unrated = dict.fromkeys(ask.pattern.name for ask in asked if ask.pattern.rate is None)
    unknown = dict.fromkeys(ask.kind.name for ask in asked if ask.share is None)
    reasons = [reason_for(kind, design, NAME, _RULES) for kind, _ in place.keys]
    scaling = Scaling(
        tuple(load for ask in asked for load in ask.loads),
        design.about.users,
        _split(place),
        min(key.shard_count for _, key in place.keys),
        next(filter(None, reasons), ""),
    )
    now = scaling.now
    figures = {"write_units": round(now.writes, 3), "read_units": round(now.reads, 3)}
    told = {name: units for name, units in figures.items() if units}
    if now.share > 1 and not scaling.acknowledged:
        found = _verdict(place, Outcome.REFUTED, _hot(scaling), told, scaling)
        change = f"Spread the key with shards={now.shards * scaling.shards}, or lower the rate"
        return replace(found, change=change)
    if rejected:
        reason = f"DynamoDB rejects the request of {_few(rejected)}, so its load is not known"
        return _verdict(place, Outcome.UNPROVEN, reason, told, scaling)
    if unrated:
        reason = f"the rate of {_few(unrated)} is not declared: give rate="
        return _verdict(place, Outcome.UNPROVEN, reason, told, scaling)
    if unknown:
        reason = (
            f"the number of keys over which the records of {_few(unknown)} spread is not declared: "
            "give Expected(count=, per_partition=) or Expected(hottest_share=), or About(users=)"
        )
        return _verdict(place, Outcome.UNPROVEN, reason, told, scaling)
    return _verdict(place, Outcome.PROVED, "", told, scaling)


def _verdict(
    place: KeyPlace, outcome: Outcome, reason: str, figures: Mapping[str, float], scaling: Scaling
) -> Verdict:
    return Verdict(NAME, "key", place.name, outcome, reason, figures, detail=scaling)


def _few(names: Mapping[str, None]) -> str:
    first, *rest = names
    return f"{first} and {len(rest)} more" if len(rest) > 1 else " and ".join(names)


def _hot(scaling: Scaling) -> str:
    now = scaling.now
    limit: Limit = (
        "writes" if now.writes / KEY_WRITE_UNITS >= now.reads / KEY_READ_UNITS else "reads"
    )
    units = now.writes if limit == "writes" else now.reads
    hottest = max((ld for ld in scaling.loads if ld.limit == limit), key=lambda load: load.units)
    return (
        f"its hottest key takes {units:,.0f} {limit[:-1]} units a second at the declared rates, "
        f"most of them for {hottest.pattern}, and DynamoDB serves {_MOST[limit]:,} of one key; "
        f"{scaling.split}"
    )


def _split(place: KeyPlace) -> str:
    """Whether DynamoDB could spread a hot key by itself, and why not."""
    table = place.index.table
    indexes = table.definition.indexes.values() if table else ()
    if any(index.kind == "local" for index in indexes) and place.index.kind == "primary":
        return "DynamoDB cannot split a hot key, since the table has a local index"
    slots = [[s for part in key.sort for s in part.template.slots] for _, key in place.keys]
    if not any(slots):
        return "DynamoDB cannot split a hot key, since it has one record"
    if all(own[0].is_time or own[0].is_number for own in slots if own):
        return "splitting a hot key does not help, since new records all come at its end"
    return "DynamoDB can split a hot key, since its records spread over the sort key"


# What patterns ask.


@dataclass(frozen=True, slots=True)
class _Ask:
    """One pattern on one key of one entity: units for each call, and the hottest key's share."""

    pattern: Pattern[..., Any]
    kind: EntityKind[Any]
    key: int
    limit: Limit
    units: float
    share: float | None
    grows: bool

    @property
    def loads(self) -> Iterator[Load]:
        """What that is in a second, where it is known."""
        if self.pattern.rate is not None and self.share is not None:
            units = self.units * self.share * self.pattern.rate.per_second
            yield Load(self.pattern.name, self.limit, units, self.grows)


class _Demand:
    """Everything that the patterns of a design ask of its keys."""

    def __init__(self, design: Design) -> None:
        self._design = design

    @cached_property
    def asks(self) -> tuple[_Ask, ...]:
        """Each pattern, on each key that it reads or writes."""
        return tuple(ask for pattern in self._design.patterns for ask in self._of(pattern))

    def _of(self, pattern: Pattern[..., Any]) -> Iterator[_Ask]:
        plan = trace(pattern, self._design)
        times = IN_TRANSACTION if plan.shape == "transaction" else 1
        for step in plan.steps:
            for kind in self._kinds(step):
                if step.reads:
                    yield from self._read(pattern, step, kind, times)
                elif step.writes:
                    yield from self._written(pattern, kind, times)

    def _kinds(self, step: PlannedStep) -> Iterator[EntityKind[Any]]:
        kinds = [kind for kind in self._design.kinds if kind.table is step.table]
        # Of what one Query reads together, the first stands for all.
        found = [kind for kind in kinds if kind.name in step.entities]
        return iter(found[:1])

    def _read(
        self, pattern: Pattern[..., Any], step: PlannedStep, kind: EntityKind[Any], times: int
    ) -> Iterator[_Ask]:
        for key in kind.keys.values():
            if key.index != step.index or key.definition.kind == "local":
                continue
            cost = times * read_units(pattern, kind, step)
            if step.verb == "Scan" and step.limit is None:
                share, grows = 1.0, True  # each partition is read whole, each time
            else:
                share, grows = self._share(kind, key, _chosen(pattern, step, key))
            yield _Ask(pattern, kind, id(key), "reads", cost, share, grows)

    def _written(
        self, pattern: Pattern[..., Any], kind: EntityKind[Any], times: int
    ) -> Iterator[_Ask]:
        for key in kind.keys.values():
            # An index is written apart from the transaction.
            cost = write_units(kind, key) * (times if key.index is None else 1)
            slots = [slot for part in key.partition for slot in part.template.slots]
            types = field_types(kind.model)
            few = [1 if is_span(kind, s) else choices_of(types[s.field]) for s in slots]
            share, grows = self._share(kind, key, few)
            yield _Ask(pattern, kind, id(key), "writes", cost, share, grows)

    def _share(
        self, kind: EntityKind[Any], key: EntityKey, few: Sequence[int | None]
    ) -> tuple[float | None, bool]:
        """The part of all that is asked which meets the hottest key, and whether that is fixed."""
        narrow = [count for count in few if count is not None]
        if len(narrow) == len(few):
            return 1 / key.shard_count / max(1, min(narrow, default=1)), True
        expected = kind.expected_by(key)
        if expected.hottest_share is not None:
            return expected.hottest_share / key.shard_count, True
        partitions = expected.count and expected.count / (expected.per_partition or 1)
        spread = partitions or self._design.about.users
        return (1 / spread / key.shard_count if spread else None), False


def _chosen(pattern: Pattern[..., Any], step: PlannedStep, key: EntityKey) -> list[int | None]:
    """Among how many values each argument chooses that is in the partition; None for many."""
    names = [part.attribute.name for part in key.partition]
    sources = [step.key[name].source for name in names if name in step.key]
    chosen = {name for source in sources for name in arguments_in(source)}
    types = {p.name: plain_type(p.type)[0] for p in pattern.parameters}
    if not chosen:
        return [] if step.has_one_partition else [None]
    # A field of an argument is of another type than the argument.
    return [choices_of(types.get(name)) for name in sorted(chosen)]


def _text(key: EntityKey) -> str:
    return ", ".join(part.template.text for part in key.partition)
