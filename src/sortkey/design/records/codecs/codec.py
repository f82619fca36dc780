"""A codec: how one type of value is written as DynamoDB JSON, and read back the same."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.values import AttributeValue, kind_of

Encode: TypeAlias = Callable[[Any], AttributeValue]
Decode: TypeAlias = Callable[[AttributeValue], Any]
EncodeAlso: TypeAlias = Callable[[Any], AttributeValue | None]

NAMES = {
    "S": "text",
    "N": "a number",
    "B": "binary",
    "BOOL": "a boolean",
    "NULL": "null",
    "L": "a list",
    "M": "a map",
    "SS": "a set of text",
    "NS": "a set of numbers",
    "BS": "a set of binaries",
}


@dataclass(frozen=True, slots=True)
class Codec:
    """Writes values of some Python types as some wire kinds, and reads them back equal.

    What `decode` gives is what Pydantic takes for the type, also in strict mode. Both directions
    raise `Unstorable` for what they cannot carry exactly.
    """

    kinds: frozenset[str]
    encode: Encode
    decode: Decode
    types: frozenset[type]  # a union chooses its member by these
    # Another form that is read as the same value, if there is one; nothing is written in it.
    also: EncodeAlso | None = None
    # The codec of each element, if the value is a list of any length.
    element: "Codec | None" = None


def codec(kind: str, encode: Encode, decode: Decode, *types: type) -> Codec:
    """A codec that writes one wire kind."""
    return Codec(frozenset({kind}), encode, decode, frozenset(types))


def wrong_kind(value: AttributeValue, *wanted: str) -> Unstorable:
    """The refusal to read a value that is stored as another kind."""
    found = kind_of(value)
    expected = " or ".join(f"{kind} ({NAMES[kind]})" for kind in sorted(wanted))
    return Unstorable(
        f"is stored as {found} ({NAMES.get(found, 'not a DynamoDB type')}), not as {expected}"
    )


def wrong_type(value: Any, wanted: str) -> Unstorable:
    """The refusal to write a value that is not of the declared type."""
    found = "None" if value is None else f"of type {type(value).__name__}"
    return Unstorable(f"is {found}, not {wanted}; assign a value of the declared type")


def unreadable(text: str, wanted: str) -> Unstorable:
    """The refusal to read a text that does not spell such a value."""
    return Unstorable(f"is stored as {text!r}, which is not {wanted}")
