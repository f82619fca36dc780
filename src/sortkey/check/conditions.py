"""The demands of a condition, read from its tree."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from sortkey.design.plans.sources import Constant, Source, Variant, leaves, source_of
from sortkey.expressions.evaluate import condition_paths, holds
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Value,
)
from sortkey.wire.values import AttributeValue

# What an attribute may be, None among it where it may be absent; None alone where all is possible.
Possible: TypeAlias = tuple[AttributeValue | None, ...] | None
Known: TypeAlias = Callable[[str], Possible]
_EITHER = frozenset({True, False})


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


def wanted(condition: Condition | None, *, negated: bool = False) -> Iterator[Condition]:
    """The comparisons and functions that choose records by what they have, also in OR and NOT.

    Those that leave out a few records choose nothing: ``<>``, and NOT before anything else than a
    range.
    """
    match condition:
        case None:
            return
        case And(conditions) | Or(conditions):
            for part in conditions:
                yield from wanted(part, negated=negated)
        case Not(inner):
            yield from wanted(inner, negated=not negated)
        case Compare(op):
            leaving_out = op == ("=" if negated else "<>")
            if not leaving_out:
                yield condition
        case _:
            if not negated:
                yield condition


def operands(condition: Condition) -> tuple[Operand, ...]:
    """Return the places and values that a comparison or a function looks at."""
    match condition:
        case Compare(_, left, right):
            return left, right
        case Between(operand, low, high):
            return operand, low, high
        case In(operand, choices):
            return operand, *choices
        case BeginsWith(operand, other) | Contains(operand, other):
            return operand, other
        case _:
            return ()


def accepts_absence(condition: Condition | None, names: tuple[str, ...]) -> bool:
    """Whether the condition speaks of a record that is not there, also as one case of several."""
    return any(
        isinstance(part, AttributeNotExists) and part.path.name in names
        for part in anywhere(condition)
    )


def demands_absence(
    condition: Condition | None, names: tuple[str, ...], item: Mapping[str, Source] | None = None
) -> bool:
    """Whether the condition can only hold where there is no record with this key.

    With the item that is put, it may also hold on a record that has the same value already, as
    where a lock is taken again by its owner.
    """
    match condition:
        case And(conditions):
            return any(demands_absence(part, names, item) for part in conditions)
        case Or(conditions):
            return all(demands_absence(part, names, item) for part in conditions)
        case Not(AttributeExists(path)) | AttributeNotExists(path):
            return path.name in names
        case Compare("=", Path() as path, Value() as value):
            return item is not None and item.get(path.name) == source_of(value)
        case _:
            return False


def can_hold(condition: Condition | None, known: Known) -> bool:
    """Whether the condition may be true of an item of which this is known."""
    return condition is None or True in _outcomes(condition, known)


def nothing(name: str) -> Possible:  # noqa: ARG001 - the same for every attribute
    """Say of each attribute that it is not there: what is known where there is no item."""
    return (None,)


def _outcomes(condition: Condition, known: Known) -> frozenset[bool]:
    """Return the results that the condition may have."""
    match condition:
        case And(conditions):
            parts = [_outcomes(part, known) for part in conditions]
            may_hold, may_fail = all(True in p for p in parts), any(False in p for p in parts)
            return frozenset({True} if may_hold else ()) | frozenset({False} if may_fail else ())
        case Or(conditions):
            return _outcomes(Not(And(tuple(Not(part) for part in conditions))), known)
        case Not(inner):
            return frozenset(not outcome for outcome in _outcomes(inner, known))
        case _:
            return _leaf_outcomes(condition, known)


def _leaf_outcomes(condition: Condition, known: Known) -> frozenset[bool]:
    possible = [known(path.name) for path in condition_paths(condition)]
    if possible and all(values == (None,) for values in possible):
        # An operand that is not there decides a comparison, whatever the others are; a list of
        # choices may have more of them.
        is_choice = isinstance(condition, In) and not isinstance(condition.operand, Path)
        return _EITHER if is_choice else frozenset({holds(condition, {})})
    match condition:
        case Compare(op, Path(parts=(str(name),)), Value() as value):
            pass
        case _:
            return _EITHER
    values = known(name)
    if values is None or not _is_constant(source_of(value)):
        return _EITHER
    compared = Compare(op, Path((name,)), Value(value.value))
    items = [{} if held is None else {name: held} for held in values]
    return frozenset(holds(compared, item) for item in items)


def _is_constant(source: Source) -> bool:
    is_varying = isinstance(source, Variant)
    return not is_varying and all(isinstance(leaf, Constant) for leaf in leaves(source))
