"""The part of a WHERE clause that names keys, and the rest of it, which filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sortkey.engine.keys import KeyAttribute
from sortkey.engine.table import Rows, StoredTable, checked_key_bytes
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.evaluate import condition_names, condition_paths
from sortkey.expressions.faults import too_many_choices
from sortkey.expressions.key_condition import MIRRORED, KeyCondition
from sortkey.expressions.tree import (
    And,
    BeginsWith,
    Between,
    Compare,
    Condition,
    In,
    Not,
    Or,
    Path,
    Value,
)
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import IN_PARTITIONS, PARTITION_KEY_BYTES, SORT_KEY_BYTES
from sortkey.wire.values import AttributeValue, Item

_INCOMPLETE = "Where clause does not contain a mandatory equality on all key attributes"


class SingleItem(NamedTuple):
    """The key of the only item that a clause is about, and the other conditions."""

    key: Item
    others: tuple[Condition, ...]


def single_item(table: StoredTable, where: Condition | None) -> SingleItem | None:
    """Return the only item that the clause can be about, or None if there may be others."""
    left = list(conjuncts(where))
    key: Item = {}
    for attribute in (*table.rows.partition, *table.rows.sort):
        name = attribute.name
        stated = [part for part in left if _equal_to(part, name) is not None]
        values = [value for part in stated if (value := _equal_to(part, name)) is not None]
        if not values:
            return None
        _refuse_type(attribute, values[0])
        if any(value != values[0] for value in values):
            raise ValidationException(
                f"Multiple conditions on same key {name}. "
                "Only single item Update/Insert/Delete are supported"
            )
        key[name] = values[0]
        left = [part for part in left if part not in stated]
    return SingleItem(key, tuple(left))


def written_item(table: StoredTable, where: Condition | None) -> SingleItem:
    """Return the only item that an UPDATE or a DELETE is about."""
    refuse_nested_keys(table, where)
    found = single_item(table, where)
    if found is None:
        raise ValidationException(_INCOMPLETE)
    return found


@dataclass(frozen=True, slots=True)
class AccessPath:
    """What a SELECT reads: partitions in order, or everything, and the condition on each row.

    ``named`` says that the clause names the partitions in an equality or in an IN.
    """

    partitions: tuple[KeyCondition, ...] | None
    filter: Condition | None
    named: bool = False


def access_path(rows: Rows, where: Condition | None) -> AccessPath:
    """Return how the rows that fulfil the clause are read."""
    left = list(conjuncts(where))
    named = True
    stated = _equal_partition(rows, left)
    if stated is None and len(rows.partition) == 1:
        stated = _choice_of_partitions(rows.partition[0], left)
        if stated is None:
            named = False
            stated = _alternative_partitions(rows.partition[0], left)
    if stated is None:
        return AccessPath(None, where)
    equal, last = _sort_condition(rows, left)
    return AccessPath(
        tuple([KeyCondition(values, equal, last) for values in stated]),
        _all_of(left),
        named,
    )


def _all_of(conditions: Sequence[Condition]) -> Condition | None:
    if len(conditions) > 1:
        return And(tuple(conditions))
    return conditions[0] if conditions else None


def all_of(first: Condition, others: Sequence[Condition]) -> Condition:
    """Return the condition that the first and all others hold."""
    return And((first, *others)) if others else first


def _equal_partition(rows: Rows, left: list[Condition]) -> list[tuple[AttributeValue, ...]] | None:
    """Return the only partition, if every attribute of its key equals a value."""
    values: list[AttributeValue] = []
    used: list[Condition] = []
    for attribute in rows.partition:
        found = next((part for part in left if _equal_to(part, attribute.name) is not None), None)
        value = None if found is None else _equal_to(found, attribute.name)
        if found is None or value is None:
            return None
        _refuse_key_value(attribute, value, PARTITION_KEY_BYTES)
        values.append(value)
        used.append(found)
    for part in used:
        left.remove(part)
    return [tuple(values)]


def _choice_of_partitions(
    attribute: KeyAttribute, left: list[Condition]
) -> list[tuple[AttributeValue, ...]] | None:
    """Return the partitions that an IN names."""
    for part in left:
        if isinstance(part, In) and part.operand == Path((attribute.name,)):
            choices = [each.value for each in part.choices if isinstance(each, Value)]
            if len(choices) == len(part.choices):
                left.remove(part)
                return _partitions(attribute, choices)
    return None


def _alternative_partitions(
    attribute: KeyAttribute, left: list[Condition]
) -> list[tuple[AttributeValue, ...]] | None:
    """Return the partitions that equalities joined by OR name."""
    for part in left:
        if isinstance(part, Or):
            choices = [_equal_to(each, attribute.name) for each in part.conditions]
            values = [value for value in choices if value is not None]
            if len(values) == len(choices):
                left.remove(part)
                return _partitions(attribute, values)
    return None


def _partitions(
    attribute: KeyAttribute, values: Sequence[AttributeValue]
) -> list[tuple[AttributeValue, ...]]:
    """Return the partitions with these values of their key, in order and each once."""
    if len(values) > IN_PARTITIONS:
        raise ValidationException(str(too_many_choices(len(values))))
    found = {_refuse_key_value(attribute, value, PARTITION_KEY_BYTES): value for value in values}
    return [(found[content],) for content in sorted(found)]


def _sort_condition(
    rows: Rows, left: list[Condition]
) -> tuple[tuple[AttributeValue, ...], tuple[str, tuple[AttributeValue, ...]] | None]:
    """Return the values that leading sort attributes equal, and the range of the next one."""
    equal: list[AttributeValue] = []
    for attribute in rows.sort:
        for part in left:
            term = _term(part, attribute.name)
            if term is None:
                continue
            op, values = term
            for value in values:
                _refuse_key_value(attribute, value, SORT_KEY_BYTES)
            left.remove(part)
            if op != "=":
                return tuple(equal), (op, values)
            equal.append(values[0])
            break
        else:
            break
    return tuple(equal), None


def _term(part: Condition, name: str) -> tuple[str, tuple[AttributeValue, ...]] | None:
    """Return the operator and the values of a condition that a range of keys can express."""
    path = Path((name,))
    match part:
        case Compare(op, left, Value() as right) if left == path and op != "<>":
            return op, (right.value,)
        case Compare(op, Value() as left, right) if right == path and op != "<>":
            return MIRRORED[op], (left.value,)
        case Between(operand, Value() as low, Value() as high) if operand == path:
            return "BETWEEN", (low.value, high.value)
        case BeginsWith(operand, Value() as prefix) if operand == path:
            return "BEGINS_WITH", (prefix.value,)
        case _:
            return None


def _equal_to(part: Condition, name: str) -> AttributeValue | None:
    """Return the value that a condition demands an attribute to equal."""
    term = _term(part, name)
    return term[1][0] if term is not None and term[0] == "=" else None


def _refuse_type(attribute: KeyAttribute, value: AttributeValue) -> None:
    if attribute.kind not in value:
        raise ValidationException(
            "Key attribute's data type should match its data type in table's schema: "
            f"Key {attribute.name}"
        )


def _refuse_key_value(attribute: KeyAttribute, value: AttributeValue, most: int) -> bytes:
    """Return the bytes of a value, which must be one that this part of a key can have."""
    _refuse_type(attribute, value)
    return checked_key_bytes(attribute.name, attribute.kind, value[attribute.kind], most)


def refuse_nested_keys(table: StoredTable, where: Condition | None) -> None:
    """Reject a clause that looks into a key attribute."""
    if where is not None:
        table.refuse_nested_keys(
            frozenset(path.name for path in condition_paths(where) if len(path.parts) > 1)
        )


def demands(condition: Condition, names: frozenset[str]) -> bool:
    """Return whether the condition, in each of its alternatives, looks at one of the attributes."""
    match condition:
        case And():
            return any(demands(part, names) for part in condition.conditions)
        case Or():
            return all(demands(part, names) for part in condition.conditions)
        case Not():
            return demands(condition.condition, names)
        case _:
            return not names.isdisjoint(condition_names(condition))
