"""Amazon Ion: a value in each line, ``$ion_1_0 {Item:{id:"a"}}``.

Text is written here; to read it, in text or binary form, needs ``pip install 'sortkey[ion]'``.
"""

import re
from base64 import b64encode
from codecs import getincrementaldecoder
from collections.abc import Iterator, Mapping
from decimal import Decimal
from importlib import import_module
from typing import Any

from sortkey.engine.formats.fault import (
    ItemFormatError,
    MissingExtraError,
    UnreadableObjectError,
)
from sortkey.engine.formats.lines import Readable, refuse_long_record
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import ITEM_BYTES, KB
from sortkey.wire.numbers import EXACT, spell
from sortkey.wire.values import AttributeValue, kind_of

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset({"null", "true", "false", "nan"})
_SPECIAL = re.compile(r"[\x00-\x1f\x7f-\x9f\"'\\]")
_SETS = ("SS", "NS", "BS")
_ANNOTATION = "$dynamodb_"
# A number with more zeros after its point is written with an exponent.
_PLAIN_ZEROS = 6
# The Ion of an item has at most four times its bytes, and the reader takes long for each value.
_MOST_VALUE_BYTES = 5 * ITEM_BYTES
# The reader's own limit is less than a text that fits into an item.
_MOST_TEXT_BYTES = ITEM_BYTES + 1
_MOST_BINARY_BYTES = 64 * KB
_BINARY = b"\xe0\x01\x00\xea"
# Those of hexadecimal and binary numbers too.
_DIGITS = b"0123456789abcdefABCDEFxX_"
_BEFORE_NUMBER = b" \t\r\n,:[(+-"
_MOST_DIGITS = 10_000
_MOST_BITS = 1000
_NAMES = "ExpressionAttributeNames"
_VALUE_ERRORS = (ValueError, TypeError, ArithmeticError, RecursionError)


# -- writing --------------------------------------------------------------------------------------


def line(members: Mapping[str, Any]) -> bytes:
    """Return an object as a line: its items, its texts and its structures of texts."""
    fields = ",".join(f"{_symbol(name)}:{_member(value)}" for name, value in members.items())
    return f"$ion_1_0 {{{fields}}}\n".encode()


def _member(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    return "{" + ",".join(f"{_symbol(name)}:{_field(each)}" for name, each in value.items()) + "}"


def _field(value: Any) -> str:
    return _string(value) if isinstance(value, str) else _value(value)


def _value(value: AttributeValue) -> str:
    kind = kind_of(value)
    raw = value[kind]
    match kind:
        case "S":
            return _string(raw)
        case "N":
            return _decimal(raw)
        case "B":
            return f"{{{{{raw}}}}}"
        case "BOOL":
            return "true" if raw else "false"
        case "NULL":
            return "null"
        case "L":
            return f"[{','.join(map(_value, raw))}]"
        case "M":
            return _member(raw)
        case _:
            of = kind[0]
            return f"{_ANNOTATION}{kind}::[{','.join(_value({of: each}) for each in raw)}]"


def _symbol(name: str) -> str:
    if _IDENTIFIER.fullmatch(name) and name not in _KEYWORDS:
        return name
    return f"'{_SPECIAL.sub(_escape, name)}'"


def _string(text: str) -> str:
    return f'"{_SPECIAL.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in "\"'\\" else f"\\x{ord(character):02x}"


def _decimal(text: str) -> str:
    sign, digits, exponent = EXACT.normalize(Decimal(text)).as_tuple()
    coefficient = ("-" if sign else "") + "".join(map(str, digits))
    if exponent == 0:
        return f"{coefficient}."
    assert isinstance(exponent, int)  # noqa: S101 - no stored number is infinite
    if exponent < 0 and -exponent - len(digits) < _PLAIN_ZEROS:
        return format(EXACT.normalize(Decimal(text)), "f")
    return f"{coefficient}d{exponent}"


# -- reading --------------------------------------------------------------------------------------


def refuse_missing_extra() -> None:
    """Raise an error if the package that reads Ion is not installed."""
    _import_ion()


def values(stream: Readable) -> Iterator[Any]:
    """Yield each value of an object, to be read with `record_in`.

    Raises:
        UnreadableObjectError: There is a fault in the syntax, or a value is too long; what follows
            cannot be told apart.
    """
    simpleion, ion_errors = _import_ion()
    source = _BoundedStream(stream)
    if source.start == _BINARY:
        # The faster reader takes hours for a long binary number, and this one some seconds.
        found = simpleion.load_python(source, single_value=False, parse_eagerly=False)
    else:
        found = simpleion.load(
            source, single_value=False, parse_eagerly=False, text_buffer_size_limit=_MOST_TEXT_BYTES
        )
    try:
        for value in found:
            source.room = source.most
            yield value
    except (*ion_errors, *_VALUE_ERRORS) as error:
        fault = source.fault or UnreadableObjectError(f"The content is not Ion: {error}")
        raise fault from error
    if source.fault is not None:
        raise source.fault


class _BoundedStream:
    """A stream that ends early if the reader would take too long, or if the content is damaged.

    The reader may crash the process if a stream raises an error, or if a name is not UTF-8. It
    takes hours for an integer of some hundred thousand digits, so no long run of digits may follow
    what stands before a number.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.start = self._ahead = stream.read(len(_BINARY))
        self.most = _MOST_BINARY_BYTES if self.start == _BINARY else _MOST_VALUE_BYTES
        self.room = self.most
        self.fault: UnreadableObjectError | None = None
        self._digits = 0
        self._is_number = False
        self._text = getincrementaldecoder("utf-8")()

    def tell(self) -> int:
        return 0

    def seek(self, _: int) -> None:
        """Go back to the start, as the reader of binary Ion does once, before it begins."""
        self._ahead = self.start

    def read(self, size: int) -> bytes:
        if self.fault is not None:
            return b""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        try:
            content = ahead or self._stream.read(size)
            self.room -= len(content)
            refuse_long_record(self.most - self.room, self.most)
            if self.start != _BINARY:
                self._refuse_long_number(content)
                content = self._text_of(content)
        except UnreadableObjectError as error:
            self.fault = error
            return b""
        return content

    def _refuse_long_number(self, content: bytes) -> None:
        before = content.rstrip(_DIGITS)
        length = len(content) - len(before)
        if before:
            self._digits = length
            self._is_number = before[-1:] in _BEFORE_NUMBER
        else:
            self._digits += length
        if self._is_number and self._digits > _MOST_DIGITS:
            raise UnreadableObjectError(
                f"A number has more than {_MOST_DIGITS} digits; the rest of the object was not read"
            )

    def _text_of(self, content: bytes) -> bytes:
        """Return the content up to the first byte that is not UTF-8."""
        pending, _ = self._text.getstate()
        try:
            self._text.decode(content, final=not content)
        except UnicodeDecodeError as error:
            self.fault = UnreadableObjectError("The content is not valid UTF-8")
            return content[: max(error.start - len(pending), 0)]
        return content


def _import_ion() -> tuple[Any, tuple[type[Exception], ...]]:
    # The package has no types, so its modules are values of no known type.
    try:
        simpleion: Any = import_module("amazon.ion.simpleion")
        exceptions: Any = import_module("amazon.ion.exceptions")
    except ImportError as error:
        raise MissingExtraError("ION needs amazon.ion: pip install 'sortkey[ion]'") from error
    return simpleion, (exceptions.IonException,)


def record_in(value: Any) -> dict[str, Any]:
    """Return the fields of a struct: items and values of expressions, structs of texts, texts.

    Raises:
        ItemFormatError: The value is not such a struct.
    """
    if not _is_struct(value):
        raise ItemFormatError("The value is not a struct")
    try:
        return {_name(name): _member_in(_name(name), each) for name, each in value.items()}
    except (*_VALUE_ERRORS, ValidationException) as error:
        raise ItemFormatError(f"The value cannot be stored: {error}") from error


def _member_in(name: str, value: Any) -> Any:
    if not _is_struct(value):
        return _text(value)
    if name == _NAMES:
        return {_name(each): _text(text) for each, text in value.items()}
    return {_name(each): _attribute(field) for each, field in value.items()}


def _name(symbol: str | None) -> str:
    if symbol is None:
        raise ItemFormatError("A symbol has no text")
    return str(symbol)


def _text(value: Any) -> str:
    [(kind, text)] = _attribute(value).items()
    if kind != "S":
        raise ItemFormatError("A field is neither a text nor a struct")
    return text


def _is_struct(value: Any) -> bool:
    return isinstance(value, Mapping)


def _attribute(value: Any) -> AttributeValue:
    kind: str = getattr(getattr(value, "ion_type", None), "name", "")
    annotations = [each.text for each in getattr(value, "ion_annotations", ())]
    # A null may have a type, ``null.string``; it is a value of the package without any content.
    if value is None or kind == "NULL" or type(value).__name__ == "IonPyNull":
        return {"NULL": True}
    match kind:
        case "STRING" | "SYMBOL":
            return {"S": _name(getattr(value, "text", value))}
        case "BOOL":
            return {"BOOL": bool(value)}
        case "INT" if int(value).bit_length() > _MOST_BITS:
            raise ItemFormatError("A number is out of range")
        case "INT" | "DECIMAL":
            return {"N": spell(Decimal(value))}
        case "BLOB" | "CLOB":
            return {"B": b64encode(bytes(value)).decode()}
        case "STRUCT":
            return {"M": {_name(name): _attribute(each) for name, each in value.items()}}
        case "LIST" | "SEXP":
            return _list(value, annotations)
        case _:
            raise ItemFormatError(
                f"An Ion {kind.lower() or type(value).__name__} has no counterpart"
            )


def _list(value: Any, annotations: list[str]) -> AttributeValue:
    members = [_attribute(each) for each in value]
    for kind in _SETS:
        if _ANNOTATION + kind in annotations:
            if any(list(each) != [kind[0]] for each in members):
                raise ItemFormatError(f"A set {kind} has a member of another type")
            return {kind: [each[kind[0]] for each in members]}
    return {"L": members}
