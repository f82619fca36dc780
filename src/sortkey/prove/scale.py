"""Scalable: the load of the hottest key of a table or an index, and when DynamoDB throttles it.

Nothing is run: the load is calculated from the rates of the patterns, the sizes and counts of the
records, and how unevenly they are spread (see `sortkey.design.plans.load`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.design.plans.constants import constants_in
from sortkey.design.plans.key_forms import entities_of
from sortkey.design.plans.load import (
    MOST_UNITS,
    KeyLoad,
    Limit,
    LoadMeter,
    heaviest,
    most_demanding,
    partition_text,
)
from sortkey.design.plans.tracing import trace
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index
from sortkey.prove.acknowledged import reason_for
from sortkey.prove.trial import ProofSettings
from sortkey.prove.verdict import ProofOutcome, Verdict
from sortkey.wire.limits import KEY_READ_UNITS, KEY_WRITE_UNITS
from sortkey.wording.prose import listed, noun

NAME = "scalable"
# The rules of `check` that find the same problem.
_RULES = ("SK801", "SK802", "SK803")

# From ten thousand to a billion.
USERS = tuple(10**power for power in range(4, 10))
_MULTIPLES = tuple(10**power for power in range(6))


@dataclass(frozen=True, slots=True)
class Column:
    """The units that the hottest key takes at a number of users."""

    users: int
    writes: float
    reads: float

    @property
    def share(self) -> float:
        """The load as a share of one partition's limit; above 1 it is throttled."""
        return max(self.writes / KEY_WRITE_UNITS, self.reads / KEY_READ_UNITS)

    @property
    def shards(self) -> int:
        """The number of partitions that would serve the load."""
        return max(1, ceil(self.share))


@dataclass(frozen=True, slots=True)
class KeyScaling:
    """The hottest key of one form: its load now and as the users grow, and how to spread it."""

    loads: tuple[KeyLoad, ...]
    # The number of users that the declared rates are for; None if it is not declared.
    users: int | None
    split: str
    shards: int
    acknowledged: str = ""

    def at(self, multiple: float, users: int = 0) -> Column:
        """Return the units of the key at so many times the declared users."""
        return Column(users, self._units("writes", multiple), self._units("reads", multiple))

    def _units(self, limit: Limit, multiple: float) -> float:
        own = [load for load in self.loads if load.limit == limit]
        return sum(load.per_second * (multiple if load.grows else 1) for load in own)

    @property
    def now(self) -> Column:
        """The units of the key at the declared rates."""
        return self.at(1, self.users or 0)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The units of the key from ten thousand users to a billion; else at multiples of now."""
        if self.users is None:
            return tuple(self.at(multiple, multiple) for multiple in _MULTIPLES)
        return tuple(self.at(users / self.users, users) for users in USERS)

    @property
    def ceiling(self) -> float:
        """The multiple of the declared users that one key serves; infinite if no load grows."""
        return min(self._ceiling(limit) for limit in MOST_UNITS)

    def _ceiling(self, limit: Limit) -> float:
        fixed = sum(
            load.per_second for load in self.loads if load.limit == limit and not load.grows
        )
        rising = sum(load.per_second for load in self.loads if load.limit == limit and load.grows)
        return inf if not rising else max(0.0, (MOST_UNITS[limit] - fixed) / rising)

    @property
    def users_at_ceiling(self) -> int | None:
        """The number of users that one key serves; None if it is unknown or unlimited."""
        if self.users is None or self.ceiling == inf:
            return None
        return int(self.users * self.ceiling)

    @property
    def value(self) -> dict[str, Any]:
        """The scaling as JSON."""
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
                {"pattern": load.pattern.name, f"{load.limit}_units": round(load.per_second, 3)}
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
    """The partition keys of one form on a table or an index, and the load of patterns on them.

    ``all_loads`` are the loads on every path, ``loads`` those of each pattern's heaviest path.
    """

    index: Index
    template: str
    keys: tuple[tuple[EntityKind[Any], EntityKey], ...]
    all_loads: tuple[KeyLoad, ...]
    loads: tuple[KeyLoad, ...]

    @property
    def name(self) -> str:
        """The table or index, and the form of the key."""
        return f"{self.index} {self.template}"


def subjects(design: Design) -> Sequence[KeyPlace]:
    """Return every form of partition key that a pattern uses, on each table and index."""
    patterns = list(_loads(design))
    all_loads = [load for paths in patterns for path in paths for load in path]
    loads = [load for paths in patterns for load in heaviest(paths)]
    keys: dict[tuple[int, str], list[tuple[EntityKind[Any], EntityKey]]] = {}
    for kind in design.kinds:
        for key in kind.keys.values():
            if key.definition.kind != "local":
                keys.setdefault((id(key.definition), partition_text(key)), []).append((kind, key))
    found = (
        KeyPlace(
            own[0][1].definition,
            place[1],
            tuple(own),
            tuple(load for load in all_loads if load.place == place),
            tuple(load for load in loads if load.place == place),
        )
        for place, own in keys.items()
    )
    return [place for place in found if place.all_loads]


def judge(place: KeyPlace, design: Design, how: ProofSettings) -> Verdict:  # noqa: ARG001 - nothing is run
    """Return whether DynamoDB serves the hottest key of this form at the declared rates."""
    all_loads = place.all_loads
    rejected = dict.fromkeys(load.pattern.name for load in all_loads if load.pattern.findings)
    unrated = dict.fromkeys(load.pattern.name for load in all_loads if load.pattern.rate is None)
    unknown = dict.fromkeys(
        load.kind.name for load in all_loads if load.kind and load.share is None
    )
    holders = (place.index, *(kind for kind, _ in place.keys))
    reasons = (reason_for(holder, design, NAME, _RULES) for holder in holders)
    scaling = KeyScaling(
        tuple(load for load in place.loads if load.per_second),
        design.about.users,
        _split(place),
        min(key.shard_count for _, key in place.keys),
        next(filter(None, reasons), ""),
    )
    now = scaling.now
    figures = {"write_units": round(now.writes, 3), "read_units": round(now.reads, 3)}
    nonzero = {name: units for name, units in figures.items() if units}
    if now.share > 1 and not scaling.acknowledged:
        found = _verdict(place, ProofOutcome.REFUTED, _hot(scaling), nonzero, scaling)
        change = f"Spread the key with shards={now.shards * scaling.shards}, or lower the rate"
        return replace(found, change=change)
    if rejected:
        requests = noun(len(rejected), "request")
        reason = f"DynamoDB rejects the {requests} of {listed(rejected, 1)}, so the load is unknown"
        return _verdict(place, ProofOutcome.UNPROVEN, reason, nonzero, scaling)
    if unrated:
        rates = "rate of {} is" if len(unrated) == 1 else "rates of {} are"
        reason = f"the {rates.format(listed(unrated, 1))} not declared: add rate="
        return _verdict(place, ProofOutcome.UNPROVEN, reason, nonzero, scaling)
    if unknown:
        reason = (
            f"the number of keys over which the records of {listed(unknown, 1)} spread is not "
            "declared: add Expected(count=, per_partition=), Expected(hottest_share=) or "
            "About(users=)"
        )
        return _verdict(place, ProofOutcome.UNPROVEN, reason, nonzero, scaling)
    return _verdict(place, ProofOutcome.PROVED, "", nonzero, scaling)


def _verdict(
    place: KeyPlace,
    outcome: ProofOutcome,
    reason: str,
    figures: Mapping[str, float],
    scaling: KeyScaling,
) -> Verdict:
    return Verdict(NAME, "key", place.name, outcome, reason, figures, detail=scaling)


def _hot(scaling: KeyScaling) -> str:
    now = scaling.now
    limit: Limit = (
        "writes" if now.writes / KEY_WRITE_UNITS >= now.reads / KEY_READ_UNITS else "reads"
    )
    units = now.writes if limit == "writes" else now.reads
    hottest = most_demanding(load for load in scaling.loads if load.limit == limit)
    return (
        f"its hottest key takes {units:,.0f} {limit[:-1]} units a second at the declared rates, "
        f"most of them for {hottest}, but DynamoDB serves only {MOST_UNITS[limit]:,} for one key; "
        f"{scaling.split}"
    )


def _split(place: KeyPlace) -> str:
    """Return whether DynamoDB can split a hot key by itself, and why or why not."""
    table = place.index.table
    indexes = table.definition.indexes.values() if table else ()
    if any(index.kind == "local" for index in indexes) and place.index.kind == "primary":
        return "DynamoDB cannot split a hot key, since the table has a local index"
    slots = [[s for part in key.sort for s in part.template.slots] for _, key in place.keys]
    if not any(slots):
        return "DynamoDB cannot split a hot key, since it has one record"
    if all(own[0].is_time or own[0].is_number for own in slots if own):
        return "splitting a hot key does not help, since all new records go to its end"
    return "DynamoDB can split a hot key, since its records spread over the sort key"


def _loads(design: Design) -> Iterator[list[list[KeyLoad]]]:
    """Yield the load of each pattern on the keys of entities, path by path."""
    kinds = tuple(design.kinds)
    plans = [trace(pattern, design) for pattern in design.patterns]
    sent = [
        [
            [(step, entities_of(plan.pattern, step, kinds)) for step in path.steps]
            for path in plan.paths
        ]
        for plan in plans
    ]
    constants = constants_in(one for paths in sent for path in paths for one in path)
    meter = LoadMeter(constants, design.about.users)
    for plan, paths in zip(plans, sent, strict=True):
        yield [
            [load for step, of in steps for load in meter.loads(plan.pattern, path.shape, step, of)]
            for path, steps in zip(plan.paths, paths, strict=True)
        ]
