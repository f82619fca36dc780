"""Items as DynamoDB spells them: ``{"pk": {"S": "SHOP#1"}}``.

All values of a caller enter the engine through `read_item` and `read_value`: they reject what
DynamoDB rejects, write numbers in canonical form, and return sizes.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from sortkey.wire.errors import SerializationException, ServiceError, ValidationException
from sortkey.wire.limits import ATTRIBUTE_NAME_BYTES, ITEM_BYTES, NESTING_LEVELS
from sortkey.wire.numbers import canonical_number, number_size, read_number

AttributeValue: TypeAlias = dict[str, Any]
Item: TypeAlias = dict[str, AttributeValue]

TYPES = frozenset({"S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"})


def kind_of(value: AttributeValue) -> str:
    """A value's type: ``"S"``, ``"N"``, ``"M"`` and so on."""
    return next(iter(value))


def binary(encoded: str) -> bytes:
    """The bytes that a ``B`` spells in base 64."""
    return b64decode(encoded)


def read_item(item: Mapping[str, Any]) -> tuple[Item, int]:
    """The item in canonical form, and its size in bytes as DynamoDB measures it."""
    read: Item = {}
    total = 0
    for name, value in item.items():
        if not name or len(name) > _SURELY_SHORT:
            check_name(name)
        # Most values are texts, which `read_value` returns as they are; this saves its call.
        if type(value) is dict and len(value) == 1 and type(text := value.get("S")) is str:  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportUnknownArgumentType]
            read[name] = value
            size = len(text) if text.isascii() else len(text.encode())
        else:
            read[name], size = read_value(value)
        total += size + (len(name) if name.isascii() else len(name.encode()))
    return read, total


def check_name(name: str) -> None:
    """Refuse an attribute name that DynamoDB could not hold."""
    if not name:
        raise ValidationException("Empty attribute name")
    if len(name.encode()) > ATTRIBUTE_NAME_BYTES:
        raise ValidationException(
            _INVALID + "Attribute name is too large, must be less than 65536 bytes"
        )


def read_value(value: Any, depth: int = 0) -> tuple[AttributeValue, int]:
    """The value in canonical form, and its size in bytes."""
    if type(value) is not dict:
        raise _not_a_value(value)
    pair: AttributeValue = value  # pyright: ignore[reportUnknownVariableType]
    if len(pair) != 1:
        return _read_unusual(pair, depth)
    ((kind, raw),) = pair.items()
    if kind == "S":
        if type(raw) is not str:
            raise mismatch(raw, "String")
        return pair, len(raw) if raw.isascii() else len(raw.encode())
    if kind == "N":
        if type(raw) is not str:
            raise mismatch(raw, "String")
        number, size = read_number(raw)
        return ({"N": number} if number is not raw else pair), size
    reader = _READERS.get(kind)
    if reader is None or raw is None:
        # The parser drops nulls and unknown types, which leaves nothing.
        raise ValidationException(EMPTY_VALUE)
    return reader(raw, depth)


_SURELY_SHORT = ATTRIBUTE_NAME_BYTES // 4  # no character takes more than four bytes
EMPTY_VALUE = (
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
)
TWO_TYPES = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
    "supported datatypes"
)
# A list or map that no item can contain is not read to its end: it may have millions of values.
_SURELY_TOO_LARGE = 4 * ITEM_BYTES
TOO_LARGE = "Item size has exceeded the maximum allowed size"
_INVALID = "One or more parameter values were invalid: "


def _not_a_value(value: Any) -> SerializationException:
    if isinstance(value, list):
        return SerializationException(
            "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue"
        )
    return SerializationException("Unexpected value type in payload")


def _read_unusual(members: AttributeValue, depth: int) -> tuple[AttributeValue, int]:
    """Refuse what is not one type and its value, unless the rest is null or unknown."""
    known = {kind: raw for kind, raw in members.items() if kind in TYPES and raw is not None}
    if not known:
        raise ValidationException(EMPTY_VALUE)
    if len(known) > 1:
        for kind, raw in known.items():
            read_value({kind: raw}, depth)  # a fault inside is reported first
        raise ValidationException(TWO_TYPES)
    return read_value(known, depth)


def _read_bool(raw: Any, _: int) -> tuple[AttributeValue, int]:
    return {"BOOL": _boolean(raw)}, 1


def _read_null(raw: Any, _: int) -> tuple[AttributeValue, int]:
    if not _boolean(raw):
        raise ValidationException(
            _INVALID + "Null attribute value types must have the value of true"
        )
    return {"NULL": True}, 1


def _boolean(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        if raw.upper() in {"TRUE", "1", "YES"}:
            return True
        if raw.upper() in {"FALSE", "0", "NO"}:
            return False
        raise SerializationException("Unexpected token received from parser")
    raise mismatch(raw, "Boolean")


def _read_binary(raw: Any, _: int) -> tuple[AttributeValue, int]:
    return {"B": raw}, len(checked_binary(raw))


def checked_binary(raw: Any) -> bytes:
    """The bytes behind a base 64 text, which must be one and in its shortest form."""
    if not isinstance(raw, str):
        raise mismatch(raw, "Blob")
    if len(raw) % 4:
        raise SerializationException(
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(raw)}"
        )
    try:
        content = b64decode(raw, validate=True)
    except (Base64Error, ValueError):
        content = b""
    # The bits that padding leaves over must be zero, so that equal bytes have one spelling.
    if raw and (not content or (raw[-1] == "=" and b64encode(content).decode() != raw)):
        raise SerializationException("Invalid last non-pad Base64 character dectected")
    return content


def _read_list(raw: Any, depth: int) -> tuple[AttributeValue, int]:
    _refuse_depth(depth)
    read: list[AttributeValue] = []
    total = 3
    for element in members_of(raw):
        value, size = read_value(element, depth + 1)
        read.append(value)
        total += size + 1
        if total > _SURELY_TOO_LARGE:
            raise ValidationException(TOO_LARGE)
    return {"L": read}, total


def _read_map(raw: Any, depth: int) -> tuple[AttributeValue, int]:
    _refuse_depth(depth)
    if isinstance(raw, list):
        raise SerializationException(
            "Unrecognized collection type java.util.Map<java.lang.String, "
            "com.amazonaws.dynamodb.v20120810.AttributeValue>"
        )
    if not isinstance(raw, dict):
        raise SerializationException("Unexpected field type")
    entries: dict[str, Any] = raw  # pyright: ignore[reportUnknownVariableType]
    read: Item = {}
    total = 3
    for name, element in entries.items():
        check_name(name)
        read[name], size = read_value(element, depth + 1)
        total += size + 1 + len(name.encode())
        if total > _SURELY_TOO_LARGE:
            raise ValidationException(TOO_LARGE)
    return {"M": read}, total


def refuse_nesting(value: AttributeValue, depth: int = 0) -> None:
    """Refuse a canonical value with more levels than an item may have."""
    kind = kind_of(value)
    if kind in {"L", "M"}:
        _refuse_depth(depth)
        for element in value["L"] if kind == "L" else value["M"].values():
            refuse_nesting(element, depth + 1)


def _refuse_depth(depth: int) -> None:
    if depth + 1 >= NESTING_LEVELS:  # the item itself is a level
        raise ValidationException(
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
            "levels beyond supported limit"
        )


def members_of(raw: Any) -> list[Any]:
    """The elements of a JSON list, refused if it is something else."""
    if isinstance(raw, dict):
        raise SerializationException("Start of structure or map found where not expected")
    if not isinstance(raw, list):
        raise SerializationException("Unexpected field type")
    return raw  # pyright: ignore[reportUnknownVariableType]


def _read_strings(raw: Any, _: int) -> tuple[AttributeValue, int]:
    texts: list[str] = []
    for element in members_of(raw):
        if not isinstance(element, str):
            raise mismatch(element, "String")
        texts.append(element)
    if not texts:
        raise ValidationException(_INVALID + "An string set  may not be empty")
    if len(set(texts)) != len(texts):
        shown = ", ".join(texts)
        raise ValidationException(f"{_INVALID}Input collection [{shown}] contains duplicates.")
    return {"SS": texts}, sum(len(text.encode()) for text in texts)


def _read_numbers(raw: Any, _: int) -> tuple[AttributeValue, int]:
    texts: list[str] = []
    for element in members_of(raw):
        if not isinstance(element, str):
            raise mismatch(element, "String")
        texts.append(element)
    if not texts:
        raise ValidationException(_INVALID + "An number set  may not be empty")
    numbers = [canonical_number(text) for text in texts]
    if len(set(numbers)) != len(numbers):
        raise ValidationException("Input collection contains duplicates")
    return {"NS": numbers}, sum(map(number_size, numbers))


def _read_binaries(raw: Any, _: int) -> tuple[AttributeValue, int]:
    texts = members_of(raw)
    contents = [checked_binary(text) for text in texts]
    if not texts:
        raise ValidationException(_INVALID + "Binary sets should not be empty")
    if len(set(contents)) != len(contents):
        shown = ", ".join(texts)
        raise ValidationException(
            f"{_INVALID}Input collection [{shown}]of type BS contains duplicates."
        )
    return {"BS": texts}, sum(map(len, contents))


_READERS = {
    "B": _read_binary,
    "BOOL": _read_bool,
    "NULL": _read_null,
    "L": _read_list,
    "M": _read_map,
    "SS": _read_strings,
    "NS": _read_numbers,
    "BS": _read_binaries,
}


def mismatch(raw: Any, wanted: str) -> ServiceError:
    """The refusal of a JSON value of the wrong type, in the words of DynamoDB's parser."""
    if raw is None:
        return ValidationException(EMPTY_VALUE)
    if isinstance(raw, list):
        java = "java.nio.ByteBuffer" if wanted == "Blob" else f"java.lang.{wanted}"
        return SerializationException(f"Unrecognized collection type class {java}")
    if isinstance(raw, dict):
        return SerializationException("Start of structure or map found where not expected")
    if wanted == "Blob":
        return SerializationException("only base-64-encoded strings are convertible to bytes")
    if isinstance(raw, bool):
        found = "TRUE_VALUE" if raw else "FALSE_VALUE"
    elif isinstance(raw, str):
        found = "STRING_VALUE"
    else:
        found = "NUMBER_VALUE" if isinstance(raw, int) else "DECIMAL_VALUE"
    return SerializationException(f"{found} cannot be converted to {wanted}")


def value_size(value: AttributeValue) -> int:
    """The size in bytes of a value in canonical form."""
    kind = kind_of(value)
    raw = value[kind]
    match kind:
        case "S":
            return len(raw.encode())
        case "N":
            return number_size(raw)
        case "B":
            return len(binary(raw))
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + value_size(element) for element in raw)
        case "M":
            return 3 + len(raw) + item_size(raw)
        case "NS":
            return sum(map(number_size, raw))
        case "BS":
            return sum(len(binary(element)) for element in raw)
        case _:
            return sum(len(element.encode()) for element in raw)


def item_size(item: Item) -> int:
    """The size in bytes of an item in canonical form: its names and its values."""
    return sum(attribute_size(item, name) for name in item)


def attribute_size(item: Item, name: str) -> int:
    """The size in bytes of one attribute, its name and its value; nothing if it is not there."""
    value = item.get(name)
    return 0 if value is None else len(name.encode()) + value_size(value)


def same_value(one: AttributeValue, other: AttributeValue) -> bool:
    """Whether two canonical values are equal: sets in any order, the rest as spelt."""
    if one == other:
        return True
    kind = kind_of(one)
    if kind != kind_of(other):
        return False
    left, right = one[kind], other[kind]
    match kind:
        case "SS" | "NS" | "BS":
            return _same_members(left, right)
        case "L":
            return len(left) == len(right) and all(map(same_value, left, right))
        case "M":
            return left.keys() == right.keys() and all(
                same_value(left[name], right[name]) for name in left
            )
        case _:
            return False


def hashable(value: AttributeValue) -> Hashable:
    """Return a hashable form of the value, equal for equal values."""
    kind = kind_of(value)
    raw = value[kind]
    match kind:
        case "SS" | "NS" | "BS":
            content: Hashable = frozenset(raw)
        case "L":
            content = tuple(map(hashable, raw))
        case "M":
            content = frozenset((name, hashable(element)) for name, element in raw.items())
        case _:
            return kind, raw
    return kind, hash(content), content


def _same_members(left: Iterable[str], right: Iterable[str]) -> bool:
    return set(left) == set(right)


_decimal = lru_cache(maxsize=4096)(Decimal)


def sort_token(value: AttributeValue) -> str | bytes | Decimal | None:
    """Return a value that Python sorts as DynamoDB sorts this one, or None if it has no order."""
    kind = kind_of(value)
    match kind:
        case "S":
            return value["S"].encode()
        case "N":
            return _decimal(value["N"])
        case "B":
            return binary(value["B"])
        case _:
            return None
