"""The conditions of which all must hold, and the attributes that they demand to equal a value."""

from collections.abc import Iterator

from sortkey.expressions.tree import And, Compare, Condition, Path, Value


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


def equalities(condition: Condition | None) -> Iterator[tuple[str, Value]]:
    """The attributes that must equal a value, with that value; not what lies within one."""
    for part in conjuncts(condition):
        match part:
            case Compare("=", Path((str(name),)), Value() as value):
                yield name, value
            case Compare("=", Value() as value, Path((str(name),))):
                yield name, value
            case _:
                pass
