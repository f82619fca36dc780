"""Who uses the design: each role, what it may ask and write, and what that grants."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from sortkey.design.design import Design
from sortkey.design.pattern import Pattern
from sortkey.design.plan import PlannedStep
from sortkey.design.roles import Role
from sortkey.design.tracing import paths
from sortkey.document.model import Model
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


def role_blocks(model: Model) -> Iterator[Block]:
    """All roles, each in a row with what its patterns send."""
    yield Paragraph(
        ("A role has its patterns and nothing else. It is granted what they can come to send.",)
    )
    rows = tuple(
        row(_who(role), _patterns(role), _grants(model.design, role.patterns))
        for role in model.design.roles
    )
    yield Grid(("Role", "Patterns", "Grants"), rows)


def _who(role: Role) -> Line:
    acts: Line = (", for one ", Code(role.acts_for), " at a time") if role.acts_for else ()
    return (Strong(role.name), *acts)


def _patterns(role: Role) -> Line:
    names = dict.fromkeys(pattern.name for pattern in role.patterns)
    return joined((Link(name, f"pattern-{name}"),) for name in names)


def _grants(design: Design, patterns: Iterable[Pattern[..., Any]]) -> Line:
    """The actions on each table and index."""
    places: dict[str, set[str]] = {}
    for pattern in patterns:
        for place, action in _actions(design, pattern):
            places.setdefault(place, set()).add(action)
    grants = (
        (Code(place), f" {', '.join(sorted(actions))}") for place, actions in sorted(places.items())
    )
    return joined(grants, Break())


def _actions(design: Design, pattern: Pattern[..., Any]) -> Iterator[tuple[str, str]]:
    """What a pattern sends, whatever it is asked with and answered; nothing where it fails."""
    with suppress(Exception):
        for path in paths(pattern, design):
            batch = path.shape == "batch"
            yield from (_action(step, batch=batch) for step in path.steps)
            yield from (_action(step, batch=False) for step in path.later)


def _action(step: PlannedStep, *, batch: bool) -> tuple[str, str]:
    """The table or index of a request, and the action that a policy names for it."""
    place = str(step.table) if step.index is None else f"{step.table}/{step.index}"
    if step.verb == "ConditionCheck":
        return place, "ConditionCheckItem"
    if batch:
        return place, "BatchGetItem" if step.reads else "BatchWriteItem"
    return place, step.verb
