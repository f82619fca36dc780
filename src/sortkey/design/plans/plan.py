"""The plan of a pattern: what it sends, and where each value in that comes from.

A pattern is a function that returns an operation. Nothing in Python says how its result depends on
its arguments, so sortkey calls it several times, each time with other valid arguments, and compares
what it would send. This is what such a comparison shows:

- *Constant*: the value is the same in every call.
- *Argument*: the value is equal to the same argument in every call, compared through the codec of
  its field. The arguments are independent of each other: long texts in mixed case, numbers of
  several digits, times that differ in every component. So a constant cannot be taken for one, and
  two arguments cannot be taken for each other. The time of the call is an argument like any other.
  Only parts that must be equal in every call that the function accepts have one value
  (`sortkey.design.plans.arranging`).
- *Generated*: the value differs between two calls with the same arguments at the same time.
- *Derived*: the value changes, and is equal to no argument. Calls in which one argument alone is
  changed show from which arguments the function computes it.
- *Variant*: the value is an argument in some calls and a constant in others. The argument that
  decides is found in the same way.

A text is compared piece by piece, so that an argument in it becomes a slot of a template.

Calls can be compared only where they took the same *path*: they send the same operations with the
same expressions, apart from values. A plan describes the path of a call with all arguments. Where
another argument leads to another path (an optional argument left out, a flag, one of a few values,
two that are equal, one that is a special value), that path has a plan of its own
(`sortkey.design.plans.branching`).

A plan can be wrong only where calls cannot show a difference. A clamp that lies beyond every number
that is drawn (``min(n, 10**9)``), a slice that is longer than every text, or a comparison of a
computed value (``if name.count("-") > 4``) look as if they were not there. A value of few possible
ones (a digest modulo 2) may be the same in all calls by chance, and so may the wall clock, which
does not follow the calls: use `utc_now()`. `check` reports the lines that no call reached, and
claims nothing about them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.sources import Source, arguments_in, is_shared
from sortkey.design.tables.table import Index, TableDefinition
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Update
from sortkey.operations.plan import Shape, Step, Verb

# So long a text is not part of a message by accident.
_TELLING = 8

READS: frozenset[Verb] = frozenset({"GetItem", "Query", "Scan"})
WRITES: frozenset[Verb] = frozenset({"PutItem", "UpdateItem", "DeleteItem"})


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of a key attribute; ``upper`` is the second bound of ``between``."""

    op: str
    source: Source
    upper: Source | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The one or two values."""
        return (self.source,) if self.upper is None else (self.source, self.upper)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One request to one table, or one action of a batch or a transaction.

    The values of its expressions are `Planned`. ``shards`` is the number of partitions over which a
    key is spread, so that the step stands for a Query of each. ``sent`` is what one call sent.
    """

    verb: Verb
    table: TableDefinition
    index: str | None
    entities: tuple[str, ...]
    key: Mapping[str, Compared]
    item: Mapping[str, Source] | None
    # A key condition that has none of the forms that DynamoDB takes; of raw requests only.
    unread: Condition | None
    filter: Condition | None
    condition: Condition | None
    update: Update | None
    projection: Projection | None
    consistent: bool
    forward: bool
    limit: Source | None
    select: str | None
    sent: Step = field(compare=False, repr=False)
    shards: int | None = None

    @property
    def reads(self) -> bool:
        """Whether records are read."""
        return self.verb in READS

    @property
    def writes(self) -> bool:
        """Whether a record is written."""
        return self.verb in WRITES

    @property
    def definition(self) -> Index | None:
        """The index that is read, or the table's own key; None where there is no such index."""
        return self.table.primary if self.index is None else self.table.indexes.get(self.index)

    @property
    def partition(self) -> Iterator[Compared]:
        """The comparisons of the partition key's attributes."""
        attributes = () if self.definition is None else self.definition.partition
        return (self.key[a.name] for a in attributes if a.name in self.key)

    @property
    def has_one_partition(self) -> bool:
        """Whether all calls at one time read the same partition, whatever their arguments."""
        sources = [source for compared in self.partition for source in compared.sources]
        return bool(sources) and all(map(is_shared, sources))

    @property
    def key_arguments(self) -> frozenset[str]:
        """The arguments that choose which items are read or written."""
        return _arguments(self.key.values())

    @property
    def partition_arguments(self) -> frozenset[str]:
        """The arguments that choose the partition."""
        return _arguments(self.partition)


def _arguments(compared: Any) -> frozenset[str]:
    sources = [source for one in compared for source in one.sources]
    return frozenset[str]().union(*map(arguments_in, sources))


@dataclass(frozen=True, slots=True)
class PlanPath:
    """The steps of a pattern on one path; ``later`` are those that only an answer calls for."""

    shape: Shape
    steps: tuple[PlannedStep, ...]
    later: tuple[PlannedStep, ...] = ()
    # All but the values that each step sends, the same in all calls on the path.
    forms: tuple[Any, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True)
class PatternPlan:
    """The plan of one pattern: the path of a call with all arguments, or why there is none.

    ``others`` are the paths of calls with an argument left out, or with another value of a choice.
    """

    pattern: Pattern[..., Any]
    path: PlanPath | None = None
    others: tuple[PlanPath, ...] = ()
    error: Exception | None = None
    # The arguments of the call that failed, and their parts, by their names.
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def shape(self) -> Shape | None:
        """The shape in which the steps are sent; None if there is no plan."""
        return None if self.path is None else self.path.shape

    @property
    def why(self) -> str:
        """Why there is no plan, with the names of arguments in place of the values drawn."""
        text = str(self.error)
        for name, part in self.given.items():
            if isinstance(part, str) and len(part) > _TELLING:
                text = text.replace(part, f"{{{name}}}")
        return f"{type(self.error).__name__}: {text}"

    @property
    def paths(self) -> tuple[PlanPath, ...]:
        """The path of a call with all arguments, then the others; none where there is no plan."""
        return () if self.path is None else (self.path, *self.others)

    @cached_property
    def steps(self) -> tuple[PlannedStep, ...]:
        """The steps of the path; none where there is no plan."""
        return () if self.path is None else self.path.steps

    @property
    def later(self) -> tuple[PlannedStep, ...]:
        """The requests that only an answer calls for."""
        return () if self.path is None else self.path.later
