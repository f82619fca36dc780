"""Who uses the design: each role, what it may ask and write, and what that grants."""

from collections.abc import Iterable, Iterator

from sortkey.design.roles import Role
from sortkey.document.model import CHECK, READS, Model, Planned
from sortkey.document.page import (
    Block,
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
    known = {planned.name: planned for planned in model.patterns}
    yield Paragraph(("A role has its patterns and nothing else; it is granted what they send.",))
    rows = tuple(
        row(_who(role), _patterns(role), _grants([known[p.name] for p in role.patterns]))
        for role in model.design.roles
    )
    yield Grid(("Role", "Patterns", "Grants"), rows)


def _who(role: Role) -> Line:
    acts: Line = (", for one ", Code(role.acts_for), " at a time") if role.acts_for else ()
    return (Strong(role.name), *acts)


def _patterns(role: Role) -> Line:
    names = dict.fromkeys(pattern.name for pattern in role.patterns)
    return joined((Link(name, f"pattern-{name}"),) for name in names)


def _grants(patterns: Iterable[Planned]) -> Line:
    """The actions on each table and index."""
    places: dict[str, set[str]] = {}
    for planned in patterns:
        for step in planned.steps:
            place = f"{step['table']}/{step['index']}" if "index" in step else step["table"]
            places.setdefault(place, set()).add(_action(planned, step["operation"]))
    return joined(
        (
            (Code(place), f" {', '.join(sorted(actions))}")
            for place, actions in sorted(places.items())
        ),
        "; ",
    )


def _action(planned: Planned, operation: str) -> str:
    """The action that a policy names for a request."""
    if operation == CHECK:
        return "ConditionCheckItem"
    if planned.plan["shape"] != "batch":
        return operation
    return "BatchGetItem" if operation in READS else "BatchWriteItem"
