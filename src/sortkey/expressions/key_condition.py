"""Key conditions: which part of a table or index a Query reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from sortkey.expressions.tree import Condition
from sortkey.wire.values import AttributeValue


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """Equalities on all partition attributes and the leading sort ones, then at most a range."""

    partition: tuple[AttributeValue, ...]
    equal: tuple[AttributeValue, ...] = ()
    last: tuple[str, tuple[AttributeValue, ...]] | None = None


def read_key_condition(
    condition: Condition, partition: Sequence[str], sort: Sequence[str]
) -> KeyCondition:
    """The key condition that an expression states about a key of these attributes."""
    raise NotImplementedError
