"""The roles of a design: their patterns, and the actions that these need."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.declaring.roles import Role
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.tracing import paths
from sortkey.document.model import CatalogModel
from sortkey.document.page import (
    Block,
    Break,
    Code,
    Grid,
    Line,
    Link,
    Paragraph,
    Strong,
    joined,
    row,
)


def role_blocks(model: CatalogModel) -> Iterator[Block]:
    """Yield a table of roles, each with its patterns and grants."""
    yield Paragraph(
        ("A role may call its patterns only. Its grants are the actions that they can send.",)
    )
    rows = tuple(
        row(_who(role), _patterns(role), _grants(model.design, role)) for role in model.design.roles
    )
    yield Grid(("Role", "Patterns", "Grants"), rows)


def _who(role: Role) -> Line:
    acts: Line = (", for one ", Code(role.acts_for), " at a time") if role.acts_for else ()
    return (Strong(role.name), *acts)


def _patterns(role: Role) -> Line:
    names = dict.fromkeys(pattern.name for pattern in role.patterns)
    links = [(Link(name, f"pattern-{name}"),) for name in names]
    streams = [("the stream of ", Code(str(table.definition))) for table in role.follows]
    return joined([*links, *streams])


def _grants(design: Design, role: Role) -> Line:
    """Return the actions that a role needs on each table, index and stream."""
    places: dict[str, set[str]] = {}
    for table in role.follows:
        places[f"{table.definition}/stream"] = {"DescribeStream", "GetRecords", "GetShardIterator"}
    for pattern in role.patterns:
        for place, action in _actions(design, pattern):
            places.setdefault(place, set()).add(action)
    grants = (
        (Code(place), f" {', '.join(sorted(actions))}") for place, actions in sorted(places.items())
    )
    return joined(grants, Break())


def _actions(design: Design, pattern: Pattern[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield the actions that a pattern sends on any path; none if the pattern fails."""
    with suppress(Exception):
        for path in paths(pattern, design):
            batch = path.shape == "batch"
            yield from (_action(step, batch=batch) for step in path.steps)
            yield from (_action(step, batch=False) for step in path.later)


def _action(step: PlannedStep, *, batch: bool) -> tuple[str, str]:
    """Return the table or index of a request, and the action that a policy names for it."""
    place = str(step.table) if step.index is None else f"{step.table}/{step.index}"
    if step.verb == "ConditionCheck":
        return place, "ConditionCheckItem"
    if batch:
        return place, "BatchGetItem" if step.reads else "BatchWriteItem"
    return place, step.verb
