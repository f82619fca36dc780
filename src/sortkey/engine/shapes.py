"""The shapes of requests: declared once, checked fast, rejected in DynamoDB's own words.

A request is a ``TypedDict`` whose members are in the order in which DynamoDB validates them;
constraints are written beside the types: ``Annotated[int, Range(1)]``. The body of a valid request
is used unchanged. An invalid one is read a second time, slowly, to report everything that is wrong
with it: first a type that does not fit, then up to ten constraints that are not met.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    NotRequired,
    Protocol,
    TypeAlias,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import orjson

from sortkey.wire.errors import SerializationException, ValidationException
from sortkey.wire.values import AttributeValue, members_of, mismatch, read_value

MOST_COMPLAINTS = 10
NAME_PATTERN = "[a-zA-Z0-9_.-]+"


@dataclass(frozen=True, slots=True)
class Length:
    """A text, list or map has at least, and perhaps at most, so many elements."""

    least: int
    most: int | None = None

    def complaints(self, value: Any) -> list[str]:
        """Return DynamoDB's messages about a value that is too short or too long."""
        if len(value) < self.least:
            return [f"Member must have length greater than or equal to {self.least}"]
        if self.most is not None and len(value) > self.most:
            return [f"Member must have length less than or equal to {self.most}"]
        return []


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A number is at least, and perhaps at most, this."""

    least: int
    most: int | None = None

    def complaints(self, value: Any) -> list[str]:
        """Return DynamoDB's messages about a number that is too small or too large."""
        if value < self.least:
            return [f"Member must have value greater than or equal to {self.least}"]
        if self.most is not None and value > self.most:
            return [f"Member must have value less than or equal to {self.most}"]
        return []


@dataclass(frozen=True, slots=True)
class Matches:
    """A text matches this pattern from end to end.

    If the service's own pattern takes long for a long text, ``quickly`` is one for the same texts.
    """

    pattern: str
    quickly: str | None = None

    def complaints(self, value: Any) -> list[str]:
        """Return DynamoDB's messages about a text that does not match."""
        if re.fullmatch(self.quickly or self.pattern, value):
            return []
        return [f"Member must satisfy regular expression pattern: {self.pattern}"]


@dataclass(frozen=True, slots=True)
class OneOf:
    """A text is one of these, in the order in which DynamoDB lists them."""

    values: tuple[str, ...]

    def complaints(self, value: Any) -> list[str]:
        """Return DynamoDB's messages about a text that is none of them."""
        if value in self.values:
            return []
        return [f"Member must satisfy enum value set: [{', '.join(self.values)}]"]


@dataclass(frozen=True, slots=True)
class IsTableName:
    """A text is a table's name, or its ARN."""

    def complaints(self, value: Any) -> list[str]:
        """Return DynamoDB's messages about a text that is neither."""
        if _TABLE_NAME.fullmatch(value):
            return []
        return Length(1, 255).complaints(value) or Matches(NAME_PATTERN).complaints(value)


_TABLE_NAME = re.compile(r"(arn:[^/]*:table/)?[a-zA-Z0-9_.-]{1,255}")
TableName = Annotated[str, IsTableName()]
ResourceName = Annotated[str, Matches(NAME_PATTERN), Length(3, 255)]
ShardId = Annotated[str, Length(28, 65)]
BackupArn = Annotated[str, Length(37, 1024)]
ExportArn = Annotated[str, Length(37, 1024)]
StreamArn = Annotated[str, Length(37, 1024), Matches(r"arn:[^/]*:table/[a-zA-Z0-9_.-]+/stream/.+")]


Constraint: TypeAlias = Length | NumberRange | Matches | OneOf | IsTableName


class ValueCheck(Protocol):
    """The check of a value of one declared type."""

    def fits(self, value: Any) -> bool:
        """Return whether the value has the type and meets its constraints; fast, no reasons."""
        ...

    def refuse_type(self, value: Any) -> None:
        """Raise DynamoDB's error if the value, or anything in it, has another type."""
        ...

    def complain(self, path: str, value: Any, complaints: list[str]) -> None:
        """Add DynamoDB's message about each constraint that the value does not meet."""
        ...

    def shown(self, value: Any) -> str:
        """Return the value as DynamoDB prints it in a complaint."""
        ...

    def stripped(self, value: Any) -> Any:
        """Return the value without members that are null, which count as absent."""
        ...


class _Constrained:
    """The base of all checks: the constraints written beside the type."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self.constraints = constraints

    def meets(self, value: Any) -> bool:
        for constraint in self.constraints:  # noqa: SIM110 - a generator costs more than the check
            if constraint.complaints(value):
                return False
        return True

    def complain(self, path: str, value: Any, complaints: list[str]) -> None:
        complaints.extend(
            f"Value '{self.shown(value)}' at '{path}' failed to satisfy constraint: {complaint}"
            for constraint in self.constraints
            for complaint in constraint.complaints(value)
        )

    def shown(self, value: Any) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        return shown_json(value) if isinstance(value, dict) else str(value)

    def stripped(self, value: Any) -> Any:
        return value


class _Scalar(_Constrained):
    """A text, a flag or a number."""

    def __init__(self, declared: type, constraints: Sequence[Constraint]) -> None:
        super().__init__(constraints)
        self._kinds, self._java = _SCALARS[declared]

    def fits(self, value: Any) -> bool:
        if type(value) not in self._kinds or (type(value) is int and abs(value) > _LARGEST_INTEGER):
            return False
        return not self.constraints or self.meets(value)

    def refuse_type(self, value: Any) -> None:
        if type(value) not in self._kinds or (type(value) is int and abs(value) > _LARGEST_INTEGER):
            raise mismatch(value, self._java)


_LARGEST_INTEGER = (1 << 63) - 1
_SCALARS: dict[type, tuple[frozenset[type], str]] = {
    str: (frozenset({str}), "String"),
    bool: (frozenset({bool}), "Boolean"),
    int: (frozenset({int}), "Integer"),
    float: (frozenset({int, float}), "Double"),
}


class _Attribute(_Constrained):
    """An attribute value. Actions read these themselves, so here they only must be structures."""

    def fits(self, value: Any) -> bool:
        return type(value) is dict

    def refuse_type(self, value: Any) -> None:
        # A value that is well typed but invalid is rejected later, when it is read.
        with suppress(ValidationException):
            read_value(value)


class _Item(_Constrained):
    """A map of attribute values: an item or a key, whose values the action reads itself."""

    def fits(self, value: Any) -> bool:
        return type(value) is dict and (not self.constraints or self.meets(value))

    def refuse_type(self, value: Any) -> None:
        if type(value) is not dict:
            read_value({"M": value})
        entries: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        for element in entries.values():
            # A value that is well typed but invalid is rejected later, when it is read.
            with suppress(ValidationException):
                read_value(element)


class _List(_Constrained):
    """A list of one type."""

    def __init__(self, element: ValueCheck, constraints: Sequence[Constraint]) -> None:
        super().__init__(constraints)
        self._element = element

    def fits(self, value: Any) -> bool:
        if type(value) is not list:
            return False
        elements: list[Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        return all(map(self._element.fits, elements)) and self.meets(elements)

    def refuse_type(self, value: Any) -> None:
        for element in members_of(value):
            self._element.refuse_type(element)

    def complain(self, path: str, value: Any, complaints: list[str]) -> None:
        super().complain(path, value, complaints)
        for number, element in enumerate(value, 1):
            self._element.complain(f"{path}.{number}.member", element, complaints)

    def shown(self, value: Any) -> str:
        return f"[{', '.join(map(self._element.shown, value))}]"

    def stripped(self, value: Any) -> Any:
        return [self._element.stripped(element) for element in value if element is not None]


class _Map(_Constrained):
    """A map from names to one type."""

    def __init__(self, element: ValueCheck, java: str, constraints: Sequence[Constraint]) -> None:
        super().__init__(constraints)
        self._element = element
        self._java = java

    def fits(self, value: Any) -> bool:
        if type(value) is not dict:
            return False
        entries: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        return all(map(self._element.fits, entries.values())) and self.meets(entries)

    def refuse_type(self, value: Any) -> None:
        if isinstance(value, list):
            raise SerializationException(
                f"Unrecognized collection type java.util.Map<java.lang.String, {self._java}>"
            )
        if not isinstance(value, dict):
            raise SerializationException("Unexpected field type")
        entries: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        for element in entries.values():
            self._element.refuse_type(element)

    def complain(self, path: str, value: Any, complaints: list[str]) -> None:
        super().complain(path, value, complaints)
        for key, element in value.items():
            self._element.complain(f"{path}.{key}.member", element, complaints)

    def stripped(self, value: Any) -> Any:
        return {
            key: self._element.stripped(element)
            for key, element in value.items()
            if element is not None
        }


class Shape(_Constrained):
    """A structure: a whole request, or one inside it."""

    def __init__(self, declared: type) -> None:
        super().__init__(())
        self.name = declared.__name__
        self.members: dict[str, ValueCheck] = {}
        self.required: list[str] = []
        for name, hint in get_type_hints(declared, include_extras=True).items():
            if get_origin(hint) is NotRequired:
                (hint,) = get_args(hint)  # noqa: PLW2901 - the same hint, unwrapped
            else:
                self.required.append(name)
            self.members[name] = _check(hint)
        self._required = frozenset(self.required)

    def read(self, body: Any) -> dict[str, Any]:
        """Return the request, or raise DynamoDB's error; null and unknown members are left out."""
        if not self.fits(body):
            self.refuse_type(body)
            stripped = self.stripped(body)
            self.refuse_constraints(stripped)
            return stripped
        return body

    def fits(self, value: Any) -> bool:
        """Return whether the structure is valid and has no unknown members; without reasons."""
        if type(value) is not dict:
            return False
        body: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        members = self.members
        for name, member in body.items():
            check = members.get(name)
            if check is None or not check.fits(member):
                return False
        return self._required <= body.keys()

    def refuse_type(self, value: Any) -> None:
        """Raise DynamoDB's error if anything in the structure has the wrong type."""
        if isinstance(value, list):
            raise SerializationException(
                f"Unrecognized collection type class com.amazonaws.dynamodb.v20120810.{self.name}"
            )
        if not isinstance(value, dict):
            raise SerializationException("Unexpected value type in payload")
        body: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType] - JSON
        for name, check in self.members.items():
            if body.get(name) is not None:
                check.refuse_type(body[name])

    def refuse_constraints(self, body: dict[str, Any]) -> None:
        """Raise DynamoDB's messages about the constraints that a request does not meet."""
        complaints: list[str] = []
        self.complain("", body, complaints)
        if complaints:
            shown = complaints[:MOST_COMPLAINTS]
            plural = "s" if len(shown) > 1 else ""
            raise ValidationException(
                f"{len(shown)} validation error{plural} detected: {'; '.join(shown)}"
            )

    def complain(self, path: str, value: Any, complaints: list[str]) -> None:
        """Add DynamoDB's message about each member that is missing or violates a constraint."""
        for name, check in self.members.items():
            inner = f"{path}.{name[0].lower()}{name[1:]}".lstrip(".")
            if name in value:
                check.complain(inner, value[name], complaints)
            elif name in self._required:
                complaints.append(
                    f"Value null at '{inner}' failed to satisfy constraint: Member must not be null"
                )

    def stripped(self, value: Any) -> Any:
        """Return the structure's known members that are not null."""
        return {
            name: check.stripped(value[name])
            for name, check in self.members.items()
            if value.get(name) is not None
        }

    def shown(self, value: Any) -> str:
        """Return the structure as DynamoDB prints it: its name, and its members in order."""
        members = ", ".join(
            f"{name[0].lower()}{name[1:]}={check.shown(value[name])}"
            for name, check in self.members.items()
            if name in value
        )
        return f"{self.name}({members})"


def _check(hint: Any) -> ValueCheck:
    """Return the check for a declared type."""
    constraints: Sequence[Constraint] = ()
    if get_origin(hint) is Annotated:
        hint, *constraints = get_args(hint)
    if hint == AttributeValue:
        return _Attribute(constraints)
    if hint in _SCALARS:
        return _Scalar(hint, constraints)
    if is_typeddict(hint):
        return Shape(hint)
    if get_origin(hint) is list:
        [element] = get_args(hint)
        return _List(_check(element), constraints)
    _, element = get_args(hint)
    if element == AttributeValue:
        return _Item(constraints)
    return _Map(_check(element), _java_name(element), constraints)


def _java_name(hint: Any) -> str:
    if hint == AttributeValue:
        return "com.amazonaws.dynamodb.v20120810.AttributeValue"
    if hint is str:
        return "java.lang.String"
    if get_origin(hint) is list:
        return f"java.util.List<{_java_name(get_args(hint)[0])}>"
    return f"com.amazonaws.dynamodb.v20120810.{getattr(hint, '__name__', 'AttributeValue')}"


def shown_json(value: Any) -> str:
    """Return a JSON value in a complaint; one too deep to be written down is left out."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return "..."
