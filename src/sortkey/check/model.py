"""The model that rules look at: a design, and the plan of each of its patterns, made once."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from sortkey.check.deployed import NOTHING, Deployed, DeployedTable
from sortkey.check.mentions import mentioned_kinds
from sortkey.check.samples.matching import Matched, Unmatched, match_samples
from sortkey.check.samples.reading import Sample
from sortkey.design.acknowledging import Ignored
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.declaring.roles import About, Role
from sortkey.design.findings import Finding, Subject
from sortkey.design.plans.constants import Slotted, constants_in
from sortkey.design.plans.key_forms import entities_of
from sortkey.design.plans.plan import Compared, PatternPlan, PlannedStep, PlanPath
from sortkey.design.plans.projecting import held_by
from sortkey.design.plans.sources import Text
from sortkey.design.plans.tracing import trace
from sortkey.design.raw.findings import in_action
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.design.records.kind import EntityKind
from sortkey.design.records.unbuilt import UnbuiltEntity
from sortkey.design.tables.expectations import Expected
from sortkey.design.tables.table import Index, Table, TableDefinition
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import And
from sortkey.operations.plan import Shape
from sortkey.programs.program import WalkedProgram

T = TypeVar("T")

AnyPattern: TypeAlias = Pattern[..., Any]
AnyKind: TypeAlias = EntityKind[Any]
Rejected: TypeAlias = tuple[AnyPattern, int | None]


@dataclass(frozen=True, slots=True, eq=False)
class PlannedRequest:
    """One step of a pattern's plan, with the entities that it is about.

    ``action`` is its number among those of a raw transaction or batch.
    """

    pattern: AnyPattern
    shape: Shape
    step: PlannedStep
    kinds: tuple[AnyKind, ...]
    action: int | None = None

    def place(self, member: str) -> str:
        """Return where in its pattern a member of a raw request is."""
        return member if self.action is None else in_action(self.action, member)

    @property
    def actions(self) -> tuple[int, ...]:
        """Its number among the actions, or none where it is sent alone."""
        return () if self.action is None else (self.action,)

    @property
    def deletes_a_record(self) -> bool:
        """Whether it deletes a record, and not the lock of a unique value."""
        return self.verb == "DeleteItem" and not any(
            isinstance(part.source, Text) and part.source.template.startswith(UNIQUE_PREFIX)
            for part in self.step.key.values()
        )

    @property
    def unreadable(self) -> tuple[Finding, ...]:
        """The findings that make it unclear what it reads or writes."""
        return tuple(f for f in self.pattern.findings if f.blocks and self._has(f))

    def _has(self, finding: Finding) -> bool:
        """Whether a finding of its pattern is about it."""
        return not finding.actions or self.action in finding.actions

    @property
    def table(self) -> TableDefinition:
        """The table that is read or written."""
        return self.step.table

    @property
    def index(self) -> Index | None:
        """The index that is read, or the table's own key; None where there is no such index."""
        return self.step.definition

    @property
    def held(self) -> frozenset[str] | None:
        """The attributes that its index holds; None where it holds all."""
        return None if self.index is None else held_by(self.index, self.table)

    @property
    def unheld_in_filter(self) -> frozenset[str]:
        """The attributes that its filter finds absent from every entry of a global index."""
        condition = self.step.filter
        if condition is None or self.held is None or self.index is None:
            return frozenset()
        # A local index fetches from the table what it does not hold.
        return (
            condition_names(condition) - self.held if self.index.kind == "global" else frozenset()
        )

    @property
    def verb(self) -> str:
        """The operation."""
        return self.step.verb

    @property
    def is_raw(self) -> bool:
        """Whether it was written as text, so that nothing was added to it."""
        return self.pattern.is_raw

    @property
    def reads(self) -> bool:
        """Whether records are read."""
        return self.step.reads

    @property
    def writes(self) -> bool:
        """Whether a record is written."""
        return self.step.writes

    @property
    def rate(self) -> float | None:
        """The number of times it is sent per second."""
        return None if self.pattern.rate is None else self.pattern.rate.per_second

    def key_of(self, kind: AnyKind) -> EntityKey | None:
        """The key that an entity has in the table or index that is read."""
        return next((k for k in kind.keys.values() if k.definition is self.index), None)

    def expected_of(self, kind: AnyKind) -> Expected:
        """Return what is expected of an entity's records in the table or index that is read."""
        return kind.expected_by(self.key_of(kind))

    @property
    def key_arguments(self) -> frozenset[str]:
        """The arguments that choose which items are read."""
        return self.step.key_arguments

    @property
    def partition_arguments(self) -> frozenset[str]:
        """The arguments that choose the partition."""
        return self.step.partition_arguments

    @property
    def sort_key(self) -> Iterator[Compared]:
        """Yield the comparison of each attribute of the sort key."""
        attributes = () if self.index is None else self.index.sort
        return (self.step.key[a.name] for a in attributes if a.name in self.step.key)


@dataclass(frozen=True, slots=True, eq=False)
class RequestPath:
    """The requests that a pattern sends together on one path, and how it sends them."""

    shape: Shape
    requests: tuple[PlannedRequest, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PlannedPattern:
    """One pattern with its plan, or the error that prevented it.

    ``requests`` are those of all paths, each once. `Model.patterns` has them without those that are
    rejected, which stay in the ``paths``.
    """

    pattern: AnyPattern
    plan: PatternPlan
    paths: tuple[RequestPath, ...]
    requests: tuple[PlannedRequest, ...]

    @property
    def transactions(self) -> tuple[RequestPath, ...]:
        """The paths on which all is sent in one transaction."""
        return tuple(path for path in self.paths if path.shape == "transaction")


@dataclass(frozen=True, slots=True, eq=False)
class Acknowledged:
    """A rule that the design acknowledges in a place, and the reason."""

    subject: Subject
    rule: str
    reason: str


class Model:
    """A design with its plans; ``before`` is what is deployed, as far as that is known.

    ``rejected`` holds the requests that DynamoDB would refuse or that no record answers, once the
    rules that find them have run: each by its pattern and the number of its action, or None for all
    of them. What such a request would do is not judged by the others, since each cause is one
    finding. A request that is rejected and can be read is not among them.
    ``unused`` holds what is acknowledged and was not found, once all other rules have run.
    ``samples`` are items that the design is to store. ``programs`` are the walked handlers of its
    functions, or None if they were not walked.
    """

    def __init__(
        self,
        design: Design,
        before: Deployed = NOTHING,
        samples: Sequence[Sample] = (),
        programs: Sequence[WalkedProgram] | None = None,
    ) -> None:
        self.design = design
        self.before = before
        self.unused: tuple[Acknowledged, ...] = ()
        self.samples = tuple(samples)
        self.programs = None if programs is None else tuple(programs)
        self.rejected: frozenset[Rejected] = frozenset()
        self._found: dict[object, tuple[Any, ...]] = {}

    def once(self, find: "Callable[[Model], Iterable[T]]") -> tuple[T, ...]:
        """Return what a function finds in the model, which several rules ask for."""
        if find not in self._found:
            self._found[find] = tuple(find(self))
        return self._found[find]

    @cached_property
    def kinds(self) -> tuple[AnyKind, ...]:
        """Every entity, compiled."""
        return tuple(self.design.kinds)

    @cached_property
    def _every_planned(self) -> tuple[PlannedPattern, ...]:
        return tuple(self._planned(pattern) for pattern in self.design.patterns)

    def reject(self, requests: Iterable[Rejected]) -> None:
        """Leave these requests out of what is judged from now on."""
        self.rejected = frozenset(requests)
        self._found.clear()
        for known in ("patterns", "requests"):
            vars(self).pop(known, None)

    def is_rejected(self, request: PlannedRequest) -> bool:
        """Whether the effect of a request is not judged."""
        whole, action = (request.pattern, None), (request.pattern, request.action)
        return whole in self.rejected or action in self.rejected

    @cached_property
    def patterns(self) -> tuple[PlannedPattern, ...]:
        """The patterns of which something is not rejected, each with its plan."""
        left = (
            replace(one, requests=tuple(r for r in one.requests if not self.is_rejected(r)))
            for one in self._every_planned
            if (one.pattern, None) not in self.rejected
        )
        return tuple(one for one in left if one.requests or not one.paths)

    @cached_property
    def requests(self) -> tuple[PlannedRequest, ...]:
        """The steps that are not rejected: those whose behaviour can be judged."""
        return tuple(request for planned in self.patterns for request in planned.requests)

    @cached_property
    def every_request(self) -> tuple[PlannedRequest, ...]:
        """Every step of every pattern, including rejected ones."""
        return tuple(request for planned in self._every_planned for request in planned.requests)

    @cached_property
    def unplanned(self) -> tuple[AnyPattern, ...]:
        """The patterns whose requests are unknown, since every call fails: SK405 and SK406."""
        return tuple(one.pattern for one in self._every_planned if one.plan.error is not None)

    @cached_property
    def obscure(self) -> frozenset[AnyKind]:
        """The entities that unplanned patterns mention, so that not all of their uses are known.

        A rule must not conclude from a missing request of such an entity that there is none.
        """
        mentioned = (mentioned_kinds(pattern, self.kinds) for pattern in self.unplanned)
        return frozenset[AnyKind]().union(*mentioned)

    def is_obscure(self, index: Index) -> bool:
        """Whether an unplanned pattern may read an index: an entity that it mentions has a key."""
        return any(key.definition is index for kind in self.obscure for key in kind.keys.values())

    @cached_property
    def constants(self) -> Mapping[Slotted, frozenset[str]]:
        """The values of the fields of partition keys for which every request says a constant."""
        return constants_in((request.step, request.kinds) for request in self.every_request)

    @property
    def raw_requests(self) -> Iterator[PlannedRequest]:
        """The steps that were written as text."""
        return (request for request in self.requests if request.is_raw)

    @property
    def queries(self) -> Iterator[PlannedRequest]:
        """The steps that read a range of a table or an index."""
        return (request for request in self.requests if request.verb == "Query")

    def requests_of(self, kind: AnyKind) -> Iterator[PlannedRequest]:
        """Every step that reads or writes an entity's records."""
        return (request for request in self.every_request if kind in request.kinds)

    def kinds_of(self, table: TableDefinition) -> Iterator[AnyKind]:
        """The entities of a table."""
        return (kind for kind in self.kinds if kind.table is table)

    def collected(self, code: str) -> Iterator[Finding]:
        """Yield the findings with this code that were made with the classes and raw patterns."""
        return (finding for finding in self.design.findings if finding.code == code)

    @property
    def matched(self) -> tuple[Matched, ...]:
        """Every sample item that is a record of an entity."""
        return self._matches[0]

    @property
    def unmatched(self) -> tuple[Unmatched, ...]:
        """Every sample item that is not, as far as one can see."""
        return self._matches[1]

    @cached_property
    def _matches(self) -> tuple[tuple[Matched, ...], tuple[Unmatched, ...]]:
        return match_samples(self.design, self.samples)

    @property
    def deployed_tables(self) -> Iterator[tuple[type[Table], DeployedTable]]:
        """The tables that are deployed already, each with what it was."""
        for table in self.design.tables:
            if table.__name__ in self.before.tables:
                yield table, self.before.tables[table.__name__]

    @cached_property
    def _subjects(self) -> Mapping[str, Subject]:
        found: dict[str, Subject] = {"The design": self.design.about}
        for role in self.design.roles:
            found[str(role)] = role
        for function in self.design.functions:
            found[str(function)] = function
        for table in self.design.tables:
            found[table.__name__] = table
            found |= {entity.model.__name__: entity for entity in table.definition.unbuilt}
        found |= {collection.__name__: collection for collection in self.design.collections}
        found |= {kind.model.__name__: kind for kind in self.kinds}
        return found | {pattern.name: pattern for pattern in self.design.patterns}

    def subject_at(self, where: str) -> Subject:
        """Return what a place of the design is part of; the design itself if that is not known."""
        found = self._subjects.get(where) or self._subjects.get(where.partition(".")[0])
        return self.design.about if found is None else found

    @property
    def acknowledged(self) -> Iterator[Acknowledged]:
        """Every rule that the design acknowledges somewhere, with its reason."""
        holders: Iterable[Subject] = (
            self.design.about,
            *self.design.tables,
            *(index for table in self.design.tables for index in table.definition.indexes.values()),
            *(entity for table in self.design.tables for entity in table.definition.unbuilt),
            *self.kinds,
            *self.design.patterns,
            *self.design.functions,
        )
        for holder in holders:
            yield from (Acknowledged(holder, *said) for said in _ignored_by(holder).items())

    def is_unclear(self, subject: Subject) -> bool:
        """Whether an unplanned pattern may do something that a finding about a subject needs."""
        match subject:
            case Pattern():
                return subject in self.unplanned
            case EntityKind():
                return subject in self.obscure
            case Index():
                return self.is_obscure(subject)
            case type() if issubclass(subject, Table):
                return any(kind.table is subject.definition for kind in self.obscure)
            case _:
                return bool(self.unplanned)

    def holders(self, subject: Subject) -> Iterator[Subject]:
        """Return the places where a finding about a subject can be acknowledged."""
        yield subject
        match subject:
            case EntityKey():
                owner = self._owner_of(subject)
                if owner is not None:
                    yield owner
                yield from self._table_of(subject.table)
            case Index():
                yield from self._table_of(subject.table and subject.table.definition)
            case EntityKind():
                yield from self._table_of(subject.table)
            case Matched():
                yield subject.kind
                yield from self._table_of(subject.kind.table)
            case Unmatched():
                if subject.table is not None:
                    yield subject.table
            case Role():
                yield from (each for each in self.design.functions if each.role is subject)
            case UnbuiltEntity():
                for table in self.design.tables:
                    if subject in table.definition.unbuilt:
                        yield table
            case _:
                pass
        yield self.design.about

    def _owner_of(self, key: EntityKey) -> AnyKind | None:
        return next((kind for kind in self.kinds if key in kind.keys.values()), None)

    def _table_of(self, definition: TableDefinition | None) -> Iterator[type[Table]]:
        return (table for table in self.design.tables if table.definition is definition)

    def _planned(self, pattern: AnyPattern) -> PlannedPattern:
        plan = trace(pattern, self.design)
        paths = tuple(
            RequestPath(path.shape, tuple(self._requests(pattern, path))) for path in plan.paths
        )
        return PlannedPattern(pattern, plan, paths, tuple(_once(paths)))

    def _requests(self, pattern: AnyPattern, path: PlanPath) -> Iterator[PlannedRequest]:
        numbers = pattern.action_numbers or [None] * len(path.steps)
        for number, step in zip(numbers, path.steps, strict=True):
            kinds = entities_of(pattern, step, self.kinds)
            yield PlannedRequest(pattern, path.shape, _joined(step, path), kinds, number)


def _joined(step: PlannedStep, path: PlanPath) -> PlannedStep:
    """Return a write with the conditions that a transaction checks on the same item.

    DynamoDB rejects that, and joining them is what to do.
    """
    checks = [
        other.condition
        for other in path.steps
        if other.verb == "ConditionCheck" and (other.table, other.key) == (step.table, step.key)
    ]
    found = [condition for condition in (step.condition, *checks) if condition is not None]
    if not step.writes or not checks or not found:
        return step
    return replace(step, condition=found[0] if len(found) == 1 else And(tuple(found)))


def _once(paths: Iterable[RequestPath]) -> Iterator[PlannedRequest]:
    """Yield the requests of all paths, without those that an earlier path sends too."""
    known: list[tuple[str, PlannedStep]] = []
    for path in paths:
        new = [request for request in path.requests if (request.shape, request.step) not in known]
        yield from new
        known += [(request.shape, request.step) for request in new]


def _ignored_by(subject: Subject) -> Ignored:
    match subject:
        case EntityKind() | UnbuiltEntity() | Pattern() | About() | Index() | Function():
            return subject.ignore
        case type() if issubclass(subject, Table):
            return subject.definition.ignore
        case _:
            return {}
