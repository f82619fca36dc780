"""A request's ``#names`` and ``:values``, and the expressions read with them."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sortkey.expressions.faults import ExpressionError
from sortkey.expressions.parse_condition import parse_condition
from sortkey.expressions.parse_projection import parse_projection
from sortkey.expressions.parse_update import parse_update
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Update, Value
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import ATTRIBUTE_NAME_BYTES
from sortkey.wire.values import read_value

_WORD = re.compile(r"[A-Za-z0-9_]+")
_LONGEST_KEY = 255


class Placeholders:
    """One request's names and values: reads its expressions and knows which were used."""

    __slots__ = ("_names", "_used_names", "_used_values", "_values")

    def __init__(self, names: Mapping[str, str] | None, values: Mapping[str, Any] | None) -> None:
        self._names: Mapping[str, str] = {} if names is None else _checked_names(names)
        self._values: Mapping[str, Value] = {} if values is None else _checked_values(values)
        self._used_names: set[str] = set()
        self._used_values: set[str] = set()

    def condition(self, text: str, member: str = "ConditionExpression") -> Condition:
        """The condition that the text states; ``member`` stands in the refusals."""
        try:
            parsed = parse_condition(text)
            condition = parsed.template.bind(self._names, self._values)
        except ExpressionError as fault:
            raise _invalid(member, fault) from None
        self._used_names.update(parsed.names)
        self._used_values.update(parsed.values)
        return condition

    def update(self, text: str) -> Update:
        """The update that the text describes."""
        try:
            parsed = parse_update(text)
            update = parsed.bind(self._names, self._values)
        except ExpressionError as fault:
            raise _invalid("UpdateExpression", fault) from None
        self._used_names.update(parsed.names)
        self._used_values.update(parsed.values)
        return update

    def projection(self, text: str) -> Projection:
        """The paths that the text lists."""
        try:
            parsed = parse_projection(text)
            projection = parsed.bind(self._names)
        except ExpressionError as fault:
            raise _invalid("ProjectionExpression", fault) from None
        self._used_names.update(parsed.names)
        return projection

    def refuse_unused(self) -> None:
        """Refuse names and values that no expression read so far has used."""
        if self._names or self._values:
            _refuse_unused("ExpressionAttributeNames", self._names, self._used_names)
            _refuse_unused("ExpressionAttributeValues", self._values, self._used_values)


def _invalid(member: str, fault: ExpressionError) -> ValidationException:
    return ValidationException(f"Invalid {member}: {fault}")


def _refuse_unused(member: str, given: Mapping[str, Any], used: set[str]) -> None:
    if given.keys() <= used:
        return
    unused = ", ".join(key for key in given if key not in used)
    raise ValidationException(
        f"Value provided in {member} unused in expressions: keys: {{{unused}}}"
    )


def _checked_names(names: Mapping[str, str]) -> Mapping[str, str]:
    _refuse_keys("ExpressionAttributeNames", names, _is_name)
    for key, name in names.items():
        if not name:
            raise ValidationException(
                "ExpressionAttributeNames contains invalid value: "
                f"Empty attribute name for key {key}"
            )
        if len(name) > ATTRIBUTE_NAME_BYTES // 4 and len(name.encode()) > ATTRIBUTE_NAME_BYTES:
            raise ValidationException(
                "ExpressionAttributeNames contains invalid value: Attribute name is too large, "
                f"must be less than {ATTRIBUTE_NAME_BYTES + 1} bytes for key {key}"
            )
    return names


def _checked_values(values: Mapping[str, Any]) -> Mapping[str, Value]:
    _refuse_keys("ExpressionAttributeValues", values, _is_value)
    read: dict[str, Value] = {}
    for key, value in values.items():
        try:
            read[key] = Value(read_value(value)[0])
        except ValidationException as fault:
            raise ValidationException(
                f"ExpressionAttributeValues contains invalid value: {fault.message} for key {key}"
            ) from None
    return read


def _refuse_keys(
    member: str, given: Mapping[str, Any], is_placeholder: Callable[[str], bool]
) -> None:
    if not given:
        raise ValidationException(f"{member} must not be empty")
    for key in given:
        if len(key) > _LONGEST_KEY:
            raise ValidationException(
                f"{member} contains invalid key: The expression attribute map contains a key "
                f"that is too long; size of key: {len(key.encode())}"
            )
        if not is_placeholder(key):
            raise ValidationException(f'{member} contains invalid key: Syntax error; key: "{key}"')


@lru_cache(maxsize=4096)
def _is_name(key: str) -> bool:
    return key[:1] == "#" and _WORD.fullmatch(key, 1) is not None


@lru_cache(maxsize=4096)
def _is_value(key: str) -> bool:
    return key[:1] == ":" and _WORD.fullmatch(key, 1) is not None
