"""What a condition demands, read from its tree."""

from collections.abc import Iterator

from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Compare,
    Condition,
    Not,
    Or,
    Path,
    Value,
)


def conjuncts(condition: Condition | None) -> Iterator[Condition]:
    """The conditions of which all must hold."""
    match condition:
        case None:
            return
        case And(conditions):
            for part in conditions:
                yield from conjuncts(part)
        case _:
            yield condition


def anywhere(condition: Condition | None) -> Iterator[Condition]:
    """Every comparison and function, whether it must hold or not."""
    match condition:
        case None:
            return
        case And(conditions) | Or(conditions):
            for part in conditions:
                yield from anywhere(part)
        case Not(inner):
            yield from anywhere(inner)
        case _:
            yield condition


def equalities(condition: Condition | None) -> Iterator[tuple[str, Value]]:
    """The attributes that must equal a value, with that value."""
    for part in conjuncts(condition):
        match part:
            case Compare("=", Path() as path, Value() as value):
                yield path.name, value
            case Compare("=", Value() as value, Path() as path):
                yield path.name, value
            case _:
                pass


def demands_absence(condition: Condition | None, names: tuple[str, ...]) -> bool:
    """Whether the condition can only hold, or holds at once, where there is no such record."""
    return any(
        isinstance(part, AttributeNotExists) and part.path.name in names
        for part in anywhere(condition)
    )


def demands_presence(condition: Condition | None, names: tuple[str, ...]) -> bool:
    """Whether the condition fails where there is no such record."""
    return any(
        (isinstance(part, AttributeExists) and part.path.name in names)
        or (isinstance(part, Compare) and part.op == "=")
        for part in conjuncts(condition)
    )
