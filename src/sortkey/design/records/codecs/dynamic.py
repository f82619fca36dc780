"""`Any`: each value is written by what it is, and read by how it is stored.

Whole numbers come back as int and others as Decimal, so a float comes back as the number with
the same digits: ``float()`` of it is the float that was written.
"""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

from sortkey.design.records.codecs.codec import Codec, wrong_kind
from sortkey.design.records.codecs.containers import empty_set, refuse_key
from sortkey.design.records.codecs.scalars import (
    decode_bool,
    decode_bytes,
    decode_decimal,
    decode_none,
    decode_text,
    encode_bool,
    encode_bytes,
    encode_decimal,
    encode_float,
    encode_int,
    encode_none,
    encode_text,
)
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.limits import NESTING_LEVELS
from sortkey.wire.values import TYPES, AttributeValue, Item, kind_of

_SETS = {"S": "SS", "N": "NS", "B": "BS"}


def encode_any(value: Any, depth: int = 1) -> AttributeValue:
    """Any value that DynamoDB has a kind for."""
    for base in type(value).__mro__:
        scalar = _SCALARS.get(base)
        if scalar is not None:
            return scalar(value)
        container = _CONTAINERS.get(base)
        if container is not None:
            if depth >= NESTING_LEVELS:
                raise Unstorable(f"is nested deeper than the {NESTING_LEVELS} levels of an item")
            return container(value, depth + 1)
    raise Unstorable(
        f"is of type {type(value).__name__}, which an untyped field cannot give back; declare the "
        "field's type, or turn the value into str, int, Decimal, bool, bytes, list, dict or set"
    )


def _encode_list(value: list[Any], depth: int) -> AttributeValue:
    return {"L": [written for _, written in _each(enumerate(value), depth)]}


def _encode_dict(value: dict[Any, Any], depth: int) -> AttributeValue:
    names = [_name(key) for key in value]
    return {"M": dict(_each(zip(names, value.values(), strict=True), depth))}


def _name(key: Any) -> str:
    if not isinstance(key, str):
        raise Unstorable(
            f"has the key {key!r}, and only str keys come back from an untyped dict; declare "
            "its type, such as dict[int, str]"
        )
    name: str = encode_text(key)["S"]
    refuse_key(name)
    return name


def _each(members: Iterable[tuple[Any, Any]], depth: int) -> Iterator[tuple[Any, AttributeValue]]:
    for place, member in members:
        try:
            yield place, encode_any(member, depth)
        except Unstorable as error:
            error.within(place)
            raise


def _encode_set(value: set[Any] | frozenset[Any], _: int) -> AttributeValue:
    if not value:
        raise empty_set()
    written = [encode_any(member) for member in value]
    kinds = {kind_of(member) for member in written}
    kind = kinds.pop()
    if kinds or kind not in _SETS:
        raise Unstorable("is a set that is not all text, all numbers or all bytes; use a list")
    return {_SETS[kind]: sorted(member[kind] for member in written)}


def decode_any(value: AttributeValue) -> Any:
    """The value, as the Python type that goes with its wire kind."""
    try:
        decode = _DECODERS[kind_of(value)]
    except KeyError:
        raise wrong_kind(value, *TYPES) from None
    return decode(value)


def _decode_number(value: AttributeValue) -> int | Decimal:
    text: str = value["N"]
    if text.isdecimal():
        return int(text)
    number = decode_decimal(value)
    return int(number) if number == number.to_integral_value() else number


def _decode_list(value: AttributeValue) -> list[Any]:
    return [decode_any(member) for member in value["L"]]


def _decode_dict(value: AttributeValue) -> dict[str, Any]:
    entries: Item = value["M"]
    return {name: decode_any(held) for name, held in entries.items()}


def _decode_set(value: AttributeValue) -> set[Any]:
    ((wire, members),) = value.items()
    decode = _DECODERS[wire[0]]
    return {decode({wire[0]: member}) for member in members}


_SCALARS: dict[type, Callable[[Any], AttributeValue]] = {
    str: encode_text,
    bool: encode_bool,
    int: encode_int,
    Decimal: encode_decimal,
    float: encode_float,
    bytes: encode_bytes,
    type(None): encode_none,
}
_CONTAINERS: dict[type, Callable[[Any, int], AttributeValue]] = {
    list: _encode_list,
    dict: _encode_dict,
    set: _encode_set,
    frozenset: _encode_set,
}
_DECODERS: dict[str, Callable[[AttributeValue], Any]] = {
    "S": decode_text,
    "N": _decode_number,
    "B": decode_bytes,
    "BOOL": decode_bool,
    "NULL": decode_none,
    "L": _decode_list,
    "M": _decode_dict,
    "SS": _decode_set,
    "NS": _decode_set,
    "BS": _decode_set,
}

ANY = Codec(TYPES, encode_any, decode_any, frozenset({object}))
ANY_SET = Codec(
    frozenset({"SS", "NS", "BS"}),
    lambda value: _encode_set(value, 0),
    _decode_set,
    frozenset({set}),
)
