"""Values of an expression, each with the attribute that it is compared with or written to."""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.expressions.tree import (
    Add,
    And,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Delete,
    IfNotExists,
    In,
    Not,
    Or,
    Path,
    Set,
    Update,
    Value,
)


def placed(tree: Condition | Update | None) -> Iterator[tuple[str, Value]]:
    """Yield each value of an expression, after the attribute that it belongs to."""
    match tree:
        case And(conditions) | Or(conditions):
            for condition in conditions:
                yield from placed(condition)
        case Not(condition):
            yield from placed(condition)
        case Compare(_, left, right):
            yield from _pairs((left, right))
        case Between(operand, low, high):
            yield from _pairs((operand, low, high))
        case In(operand, choices):
            yield from _pairs((operand, *choices))
        case BeginsWith(operand, prefix):
            yield from _pairs((operand, prefix))
        case Update(actions):
            for action in actions:
                match action:
                    case Set(path, IfNotExists(_, otherwise)):
                        yield from _pairs((path, otherwise))
                    case Set(path, operand) | Add(path, operand) | Delete(path, operand):
                        yield from _pairs((path, operand))
                    case _:
                        pass
        case _:
            return


def _pairs(operands: Sequence[Any]) -> Iterator[tuple[str, Value]]:
    for path in operands:
        if isinstance(path, Path) and len(path.parts) == 1:
            for value in operands:
                if isinstance(value, Value):
                    yield path.name, value
