"""The needs of a role: each request that one of its patterns sends, at once or after a response."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.declaring.roles import Role
from sortkey.design.plans.plan import PlannedStep, PlanPath
from sortkey.design.plans.tracing import paths
from sortkey.design.records.keys.template_findings import UNIQUE_PREFIX
from sortkey.design.records.kind import EntityKind
from sortkey.errors import Refused
from sortkey.expressions.render import Renderer
from sortkey.expressions.tree import Path as Place
from sortkey.operations.lock import OWNER
from sortkey.operations.plan import Shape, Step
from sortkey.synth.model import TableResource
from sortkey.synth.partitions import Partitions, joined, partitions_of

WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"})
_READS = frozenset({"GetItem", "Query", "Scan"})


@dataclass(frozen=True, slots=True)
class Need:
    """One request: an action on a table or index, and the partitions and attributes that it names.

    None means any.
    """

    action: str
    table: TableResource
    index: str | None
    pattern: str
    partitions: Partitions | None = None
    attributes: frozenset[str] | None = None


Sent: TypeAlias = Mapping[Pattern[..., Any], tuple[PlanPath, ...]]


def sent_by(design: Design) -> Sent:
    """Return the requests of each pattern in each of its variations.

    Raises:
        Refused: Every call of a pattern fails.
    """
    of_roles = (pattern for role in design.roles for pattern in role.patterns)
    patterns = dict.fromkeys((*design.patterns, *of_roles))
    return {pattern: _paths_of(pattern, design) for pattern in patterns}


def needs_of(
    role: Role, design: Design, sent: Sent, tables: Mapping[str, TableResource]
) -> Iterator[Need]:
    """Yield the needs of a role, pattern by pattern; ``tables`` are by their titles."""
    reader = _NeedsReader(role, design, tables)
    for pattern in role.patterns:
        for path in sent[pattern]:
            yield from reader.needs(pattern.name, path)


def operations_on(design: Design, sent: Sent) -> dict[str, tuple[str, ...]]:
    """Return the operations that all patterns send to each table, by the table's title."""
    found: dict[str, set[str]] = {}
    for pattern in design.patterns:
        for path in sent[pattern]:
            for step in path.steps:
                operations = found.setdefault(str(step.sent.table), set())
                operations.add(_operation(step.sent, path.shape))
            for step in path.later:
                found.setdefault(str(step.sent.table), set()).add(_operation(step.sent, "single"))
    return {table: tuple(sorted(operations)) for table, operations in found.items()}


def _paths_of(pattern: Pattern[..., Any], design: Design) -> tuple[PlanPath, ...]:
    try:
        return paths(pattern, design)
    except Exception as error:
        raise Refused(
            f"the requests of the pattern {pattern.name} are unknown: every call fails with {error}"
        ) from error


def _operation(step: Step, shape: Shape) -> str:
    """Return the operation that carries a step."""
    is_read = step.verb in _READS
    match shape:
        case "batch":
            return "BatchGetItem" if is_read else "BatchWriteItem"
        case "transaction":
            return "TransactGetItems" if is_read else "TransactWriteItems"
        case _ if step.verb == "ConditionCheck":
            return "TransactWriteItems"
        case _:
            return step.verb


class _NeedsReader:
    """Reads the needs of one role from the plans of its patterns."""

    def __init__(self, role: Role, design: Design, tables: Mapping[str, TableResource]) -> None:
        self._subject = role.acts_for
        self._tables = tables
        self._kinds = kinds_by_place(design)

    def needs(self, pattern: str, path: PlanPath) -> Iterator[Need]:
        """Yield each request of one variation of a pattern."""
        own: list[Need] = []
        for step in path.steps:
            kinds = self._kinds_of(step)
            # The lock of a unique field stays in place when its record moves.
            moving = any(kind.moving for kind in kinds) and not is_lock(step.sent)
            own.append(self._need(_action(step.sent, path.shape, moving=moving), pattern, step))
            if moving:
                yield from self._moves(pattern, step, kinds)
        yield from _together(own) if path.shape == "batch" else own
        for step in path.later:
            yield self._need(_action(step.sent, "single", moving=False), pattern, step)

    def _moves(
        self, pattern: str, step: PlannedStep, kinds: tuple[EntityKind[Any], ...]
    ) -> Iterator[Need]:
        """Yield the requests that move a record from an earlier shard before it is used."""
        if step.sent.verb in {"Query", "Scan"}:
            return
        yield self._whole("GetItem", pattern, step)
        if step.sent.verb == "GetItem":
            return
        for action in ("DeleteItem", "PutItem"):
            yield self._whole(action, pattern, step)
        for kind in kinds:
            for unique in kind.uniques:
                # The lock is claimed under the new key; an upcast may change its value.
                for action in ("PutItem", "DeleteItem") if kind.shape > 1 else ("PutItem",):
                    yield self._lock(action, pattern, step, f"{kind.name}#{unique.field}")

    def _need(self, action: str, pattern: str, step: PlannedStep) -> Need:
        found = self._whole(action, pattern, step)
        return replace(found, attributes=_attributes(step.sent, self._kinds_of(step)))

    def _whole(self, action: str, pattern: str, step: PlannedStep) -> Need:
        """Return a need of whole records."""
        table = self._tables[str(step.sent.table)]
        where = partitions_of(step, self._kinds_of(step), self._subject)
        return Need(action, table, step.sent.index, pattern, where)

    def _lock(self, action: str, pattern: str, step: PlannedStep, field: str) -> Need:
        table = self._tables[str(step.sent.table)]
        start = f"{UNIQUE_PREFIX}{field}#*"
        return Need(action, table, None, pattern, Partitions((start,), is_confined=False))

    def _kinds_of(self, step: PlannedStep) -> tuple[EntityKind[Any], ...]:
        return kinds_of(step, self._kinds)


def kinds_by_place(design: Design) -> dict[tuple[str, str], EntityKind[Any]]:
    """Return the entities of a design, by the titles of their tables and their own names."""
    return {(str(kind.table), kind.name): kind for kind in design.kinds}


def kinds_of(
    step: PlannedStep, kinds: Mapping[tuple[str, str], EntityKind[Any]]
) -> tuple[EntityKind[Any], ...]:
    """Return the entities whose records a step is about."""
    places = [(str(step.table), name) for name in step.entities]
    return tuple(kinds[place] for place in places if place in kinds)


def _action(step: Step, shape: Shape, *, moving: bool) -> str:
    """Return the permission of a step; in a transaction, each member needs its own."""
    if step.verb == "ConditionCheck":
        return "ConditionCheckItem"
    if shape != "batch":
        return step.verb
    if step.verb in _READS:
        # Records that move to other shards are read one by one.
        return step.verb if moving else "BatchGetItem"
    return "BatchWriteItem"


def is_lock(step: Step) -> bool:
    """Whether a step is about the lock of a unique field."""
    partition = step.table.key_names[0]
    if step.item is not None:
        value = step.item[partition]
    else:
        key = step.key or {}
        value = key[partition].value if partition in key else {}
    return str(value.get("S", "")).startswith(UNIQUE_PREFIX)


def _together(needs: Sequence[Need]) -> Iterator[Need]:
    """Return the needs of a batch: IAM allows all its requests to a table, or none."""
    for first in {(need.action, need.table.id): need for need in needs}.values():
        place = (first.action, first.table.id)
        yield _widened(first, [need for need in needs if (need.action, need.table.id) == place])


def merged(needs: Sequence[Need]) -> Iterator[Need]:
    """Yield each need with the partitions and attributes of all on its place with its action."""
    alike: dict[tuple[str, str, str | None], list[Need]] = {}
    for need in needs:
        alike.setdefault((need.action, need.table.id, need.index), []).append(need)
    for need in needs:
        yield _widened(need, alike[need.action, need.table.id, need.index])


def _widened(need: Need, others: Sequence[Need]) -> Need:
    where = [other.partitions for other in others]
    named = [other.attributes for other in others]
    return replace(
        need,
        partitions=None if None in where else joined(w for w in where if w is not None),
        attributes=None if None in named else frozenset[str]().union(*(n for n in named if n)),
    )


def _attributes(step: Step, kinds: tuple[EntityKind[Any], ...]) -> frozenset[str] | None:
    """Return the attributes that a step names, or None if it reads whole items."""
    if step.verb in _READS and step.projection is None:
        return None
    if step.verb == "UpdateItem" and step.update is None:
        return None
    names = set(step.table.key_names) | _named(step)
    if step.item is not None:
        names |= step.item.keys()
        # The locks of unique fields have no other attributes of their records.
        is_record = OWNER not in step.item
        names |= {name for kind in kinds if is_record for name in _writable(kind)}
    return frozenset(names)


def _writable(kind: EntityKind[Any]) -> Iterator[str]:
    """Return all attributes that a record may have."""
    yield from kind.stored_names.values()
    yield from (part.attribute.name for key in kind.keys.values() for part in key.parts)
    if kind.type_attribute is not None:
        yield kind.type_attribute
    if kind.shape > 1:
        yield kind.shape_attribute


def _named(step: Step) -> set[str]:
    """Return the attributes that the expressions of a step name."""
    names = _Names()
    for condition in (step.key_condition, step.filter, step.condition):
        if condition is not None:
            names.condition(condition)
    if step.update is not None:
        names.update(step.update)
    if step.projection is not None:
        names.projection(step.projection)
    return names.seen


class _Names(Renderer):
    """A renderer that collects the names of top-level attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def _path(self, path: Place) -> str:
        self.seen.add(path.name)
        return super()._path(path)
