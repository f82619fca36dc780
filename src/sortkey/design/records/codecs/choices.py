"""One of a few known values: enums by value, flags as their number, literals."""

from collections.abc import Callable, Iterable
from enum import Enum, Flag
from typing import Any

from sortkey.design.records.codecs.codec import Codec, codec, unreadable, wrong_kind, wrong_type
from sortkey.design.records.codecs.scalars import decode_int, encode_int
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.values import AttributeValue, kind_of


def literal_codec(values: Iterable[Any], codec_of: Callable[[Any], Codec]) -> Codec:
    """Writes each of the values as its own type is written, and no other value."""
    choices = tuple(values)
    written = [(value, _written(value, codec_of)) for value in choices]
    # 1 and True are equal to a dict, and are different literals.
    by_value: dict[tuple[type, Any], AttributeValue] = {
        (type(value), value): attribute for value, attribute in written
    }
    names = ", ".join(map(repr, choices))

    def encode(value: Any) -> AttributeValue:
        try:
            return by_value[type(value), value].copy()
        except (KeyError, TypeError):
            raise Unstorable(f"is {value!r}, not one of {names}") from None

    return Codec(
        frozenset(kind for _, attribute in written for kind in attribute),
        encode,
        _decode_choice(written, names),
        frozenset(map(type, choices)),
    )


def enum_codec(choices: type[Enum], codec_of: Callable[[Any], Codec]) -> Codec:
    """Writes a member as its value; takes the bare value too, which ``use_enum_values`` leaves."""
    if issubclass(choices, Flag):
        return _flag_codec(choices)
    written = [(member, _written(member.value, codec_of)) for member in choices]
    by_member = dict(written)

    def encode(value: Any) -> AttributeValue:
        try:
            return by_member[value if type(value) is choices else choices(value)].copy()
        except ValueError:
            raise wrong_type(value, f"a member of {choices.__name__}") from None

    return Codec(
        frozenset(kind for _, attribute in written for kind in attribute),
        encode,
        _decode_choice(written, f"the values of {choices.__name__}"),
        frozenset({choices}),
    )


def _written(value: Any, codec_of: Callable[[Any], Codec]) -> AttributeValue:
    attribute = codec_of(type(value)).encode(value)
    if kind_of(attribute) not in {"S", "N", "B", "BOOL", "NULL"}:
        raise Unstorable(
            f"has the choice {value!r}, which is not a single value; use text or numbers"
        )
    return attribute


def _decode_choice(
    written: Iterable[tuple[Any, AttributeValue]], names: str
) -> Callable[[AttributeValue], Any]:
    by_wire = {pair: value for value, attribute in written for pair in attribute.items()}
    kinds = {kind for kind, _ in by_wire}

    def decode(value: AttributeValue) -> Any:
        ((kind, raw),) = value.items()
        if kind not in kinds:
            raise wrong_kind(value, *kinds)
        try:
            return by_wire[kind, raw]
        except KeyError:
            raise unreadable(raw, f"one of {names}") from None

    return decode


def _flag_codec(choices: type[Flag]) -> Codec:
    """Writes any combination of members as the number it is."""

    def encode(value: Any) -> AttributeValue:
        try:
            return encode_int(choices(value).value)
        except ValueError:
            raise wrong_type(value, f"a combination of {choices.__name__}") from None

    def decode(value: AttributeValue) -> Flag:
        number = decode_int(value)
        try:
            return choices(number)
        except ValueError:
            raise unreadable(value["N"], f"a combination of {choices.__name__}") from None

    return codec("N", encode, decode, choices)
