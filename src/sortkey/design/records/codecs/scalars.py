"""Single values: text, numbers, booleans, binaries, UUIDs and null.

A number is written in DynamoDB's one spelling, so ``Decimal("1.10")`` comes back as
``Decimal("1.1")``: equal in value, without the padding. A float is written with the shortest
digits that name it, so it comes back as the same float.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from sortkey.design.records.codecs.codec import codec, unreadable, wrong_kind, wrong_type
from sortkey.design.records.codecs.unstorable import Unstorable
from sortkey.wire.errors import ServiceError
from sortkey.wire.numbers import DIGITS, canonical_number, read_number
from sortkey.wire.values import AttributeValue

_PLAIN = 10**DIGITS  # whole numbers below this are canonical as Python spells them


def encode_text(value: Any) -> AttributeValue:
    """A text as ``S``."""
    if type(value) is not str:
        if not isinstance(value, str):
            raise wrong_type(value, "a str")
        return encode_text(str.__str__(value))
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise Unstorable(
                f"has half a surrogate pair at position {error.start}, which is not valid text; "
                "store it as bytes"
            ) from None
    return {"S": value}


def decode_text(value: AttributeValue) -> str:
    """The text of an ``S``."""
    try:
        return value["S"]
    except KeyError:
        raise wrong_kind(value, "S") from None


def encode_int(value: Any) -> AttributeValue:
    """A whole number as ``N``."""
    if type(value) is not int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise wrong_type(value, "an int")
        return encode_int(int(value))
    if -_PLAIN < value < _PLAIN:
        return {"N": str(value)}
    return {"N": number_text(Decimal(value))}


def decode_int(value: AttributeValue) -> int:
    """The whole number of an ``N``; a fraction is refused."""
    try:
        return int(value["N"])
    except KeyError:
        raise wrong_kind(value, "N") from None
    except ValueError:
        number = decode_decimal(value)
        if number != number.to_integral_value():
            raise unreadable(value["N"], "a whole number") from None
        return int(number)


def encode_decimal(value: Any) -> AttributeValue:
    """A decimal as ``N``; an int, as an unvalidated default may be, is taken too."""
    if isinstance(value, Decimal):
        return {"N": number_text(value)}
    if type(value) is int:
        return encode_int(value)
    raise wrong_type(value, "a Decimal")


def decode_decimal(value: AttributeValue) -> Decimal:
    """The exact number of an ``N``."""
    try:
        return Decimal(value["N"])
    except KeyError:
        raise wrong_kind(value, "N") from None
    except InvalidOperation:
        raise unreadable(value["N"], "a number") from None


def number_text(number: Decimal) -> str:
    """A number's one spelling, refused where DynamoDB cannot hold it exactly."""
    if not number.is_finite():
        raise Unstorable(f"is {number}, which DynamoDB cannot store; use None for a missing number")
    try:
        return read_number(str(number))[0]
    except ServiceError as error:
        raise _out_of_range(error) from None


def _out_of_range(error: ServiceError) -> Unstorable:
    reason = "has more than 38 significant digits"
    if "overflow" in str(error):
        reason = "is beyond 9.99E+125"
    elif "underflow" in str(error):
        reason = "is closer to zero than 1E-130"
    return Unstorable(f"{reason}, so DynamoDB cannot store it exactly; round it, or store a str")


def encode_float(value: Any) -> AttributeValue:
    """A float as ``N``, in its shortest digits; an int that is a float too is taken as well."""
    if not isinstance(value, float):
        return _encode_int_as_float(value)
    text = float.__repr__(value)
    if "e" in text:
        try:
            return {"N": canonical_number(text)}
        except ServiceError as error:
            raise _out_of_range(error) from None
    if "n" in text:
        raise Unstorable(f"is {text}, which DynamoDB cannot store; use None for a missing number")
    if text == "-0.0":
        raise Unstorable("is negative zero, which DynamoDB stores as 0; add 0.0 to it first")
    return {"N": text.removesuffix(".0")}


def _encode_int_as_float(value: Any) -> AttributeValue:
    if type(value) is not int:
        raise wrong_type(value, "a float")
    try:
        exact = float(value) == value
    except OverflowError:
        exact = False
    if not exact:
        raise Unstorable("is an int that no float equals; declare the field as int")
    return encode_int(value)


def decode_float(value: AttributeValue) -> float:
    """The float nearest to an ``N``."""
    try:
        return float(value["N"])
    except KeyError:
        raise wrong_kind(value, "N") from None
    except ValueError:
        raise unreadable(value["N"], "a number") from None


def encode_bool(value: Any) -> AttributeValue:
    """A boolean as ``BOOL``."""
    if value is True or value is False:
        return {"BOOL": value}
    raise wrong_type(value, "a bool")


def decode_bool(value: AttributeValue) -> bool:
    """The boolean of a ``BOOL``."""
    try:
        return value["BOOL"]
    except KeyError:
        raise wrong_kind(value, "BOOL") from None


def encode_bytes(value: Any) -> AttributeValue:
    """Bytes as ``B``, in base 64."""
    if not isinstance(value, bytes | bytearray):
        raise wrong_type(value, "bytes")
    return {"B": b64encode(value).decode("ascii")}


def decode_bytes(value: AttributeValue) -> bytes:
    """The bytes of a ``B``."""
    try:
        return b64decode(value["B"])
    except KeyError:
        raise wrong_kind(value, "B") from None
    except Base64Error:
        raise unreadable(value["B"], "base 64") from None


def _decode_bytearray(value: AttributeValue) -> bytearray:
    return bytearray(decode_bytes(value))


def encode_none(value: Any) -> AttributeValue:
    """None as ``NULL``."""
    if value is not None:
        raise wrong_type(value, "None")
    return {"NULL": True}


def decode_none(value: AttributeValue) -> None:
    """None for a ``NULL``."""
    if "NULL" not in value:
        raise wrong_kind(value, "NULL")


def _encode_uuid(value: Any) -> AttributeValue:
    if not isinstance(value, UUID):
        raise wrong_type(value, "a UUID")
    return {"S": str(value)}


def _decode_uuid(value: AttributeValue) -> UUID:
    text = decode_text(value)
    try:
        return UUID(text)
    except ValueError:
        raise unreadable(text, "a UUID") from None


SCALARS = {
    str: codec("S", encode_text, decode_text, str),
    int: codec("N", encode_int, decode_int, int),
    Decimal: codec("N", encode_decimal, decode_decimal, Decimal),
    float: codec("N", encode_float, decode_float, float),
    bool: codec("BOOL", encode_bool, decode_bool, bool),
    bytes: codec("B", encode_bytes, decode_bytes, bytes),
    bytearray: codec("B", encode_bytes, _decode_bytearray, bytearray),
    type(None): codec("NULL", encode_none, decode_none, type(None)),
    UUID: codec("S", _encode_uuid, _decode_uuid, UUID),
}
