"""Sample items as files have them: DynamoDB JSON or plain JSON, in the shapes that tools write.

Plain JSON has neither sets nor binaries. A value of it is therefore a `PlainValue`, which a codec
can also read as a set, where it is a list, and as a binary, where it is text.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, cast

from sortkey.design.declaring.design import Design
from sortkey.errors import SortkeyError
from sortkey.wire.errors import ServiceError
from sortkey.wire.limits import MB, NESTING_LEVELS
from sortkey.wire.values import (
    TYPES,
    AttributeValue,
    Item,
    check_name,
    item_size,
    kind_of,
    read_value,
)

FILE_NAME = "samples.json"
MOST_BYTES = 16 * MB
_SHAPES = (
    'a list of items, {"Table": [items]}, {"Items": [items]}, a batch of PutRequests, or a model '
    "of NoSQL Workbench"
)
_SHOWN_CHARACTERS = 60
_SETS = {"SS": "S", "NS": "N", "BS": "B"}


class NotSamplesError(SortkeyError):
    """A file cannot be read as sample items; the message says where and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One item of a file: its position, its attributes, and what DynamoDB would reject in it.

    ``faults`` are sentences by the attribute that they are about, which is then not in ``item``.
    """

    number: int
    item: Item = field(repr=False)  # it may hold secrets
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    is_plain: bool = False
    # The table that the file names.
    table: str | None = None
    file: str | None = None
    line: int = 1

    @property
    def size(self) -> int:
        """The size in bytes of the attributes that could be read."""
        return item_size(self.item)

    @property
    def names(self) -> frozenset[str]:
        """Every attribute that is there, also where its value is rejected."""
        return frozenset((*self.item, *self.faults))

    def text(self, attribute: str) -> str:
        """An attribute's value as a message shows it."""
        return shown(next(iter(self.item[attribute].values())))

    def named(self, attributes: Sequence[str]) -> str:
        """The position in the file, and the values of these attributes."""
        keys = [f"{name}={self.text(name)}" for name in attributes if name in self.item]
        return f"item {self.number} ({', '.join(keys)})" if keys else f"item {self.number}"


def shown(value: Any) -> str:
    """A value in a message: at most a line of it."""
    whole = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    text = whole.encode(errors="replace").decode()
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 3]}..."


class PlainValue(dict[str, Any]):
    """A value of plain JSON: a list may stand for a set, and a text for a binary."""

    def __missing__(self, kind: str) -> Any:
        """Return the value as a kind that JSON cannot spell."""
        if kind in _SETS and "L" in self:
            return [member[_SETS[kind]] for member in self["L"]]
        if kind == "B" and "S" in self:
            return self["S"]
        raise KeyError(kind)


def plain_item(item: Item) -> Item:
    """Return an item as plain JSON would have it."""
    return {name: _plain(value) for name, value in item.items()}


def read_samples(path: Path) -> tuple[Sample, ...]:
    """Return every item of a file.

    Raises:
        NotSamplesError: It is not JSON, or of no known shape.
        OSError: There is no such file, or it may not be read.
    """
    if path.stat().st_size > MOST_BYTES:
        raise NotSamplesError(
            f"{path}: the file has more than {MOST_BYTES // MB} MB: use a part of its items"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tuple(_samples(_Text(text), str(path.resolve())))
    except UnicodeDecodeError:
        raise NotSamplesError(f"{path}: the file is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotSamplesError(f"{path}:{error.lineno}: this is not JSON: {error.msg}") from None
    except RecursionError:
        raise NotSamplesError(f"{path}: its values are nested too deeply") from None
    except _WrongShapeError as error:
        raise NotSamplesError(f"{path}: {error}: write {_SHAPES}") from None
    except ValueError as error:
        raise NotSamplesError(f"{path}: {error}") from None


def samples_beside(design: Design) -> Path | None:
    """Return the file of sample items in the folder of a design's module or package, if any."""
    for module in design.modules[:1]:
        path = Path(module.__file__ or "").with_name(FILE_NAME)
        if module.__file__ and path.is_file():
            return path
    return None


def samples_of(values: Sequence[Mapping[str, Any]]) -> tuple[Sample, ...]:
    """Return the samples that these items are."""
    return tuple(_sample(number, value) for number, value in enumerate(values, 1))


def _samples(text: "_Text", file: str) -> Iterator[Sample]:
    numbers = count(1)
    for table, elements in _lists(text.values()):
        for element in elements:
            line = text.line(element.at)
            yield _sample(next(numbers), _unwrapped(element.value), table, file, line)


def _sample(
    number: int, value: Any, table: str | None = None, file: str | None = None, line: int = 1
) -> Sample:
    if not isinstance(value, dict):
        said = {"": "it is not an object of attributes"}
        return Sample(number, {}, said, is_plain=True, table=table, file=file, line=line)
    written = cast("dict[str, Any]", value)
    is_typed = _is_typed(written)
    read = _read_typed if is_typed else _read_plain
    item: Item = {}
    faults: dict[str, str] = {}
    for name, held in written.items():
        try:
            check_name(name)
            item[name] = read(held)
        except ServiceError as error:
            faults[name] = f'"{shown(name)}" is rejected by DynamoDB: {error.message}'
        except UnicodeEncodeError:
            faults[name] = f'"{shown(name)}" holds half of a surrogate pair, which is not text'
        except _UntypedError as error:
            faults[name] = f'"{shown(name)}" {error}'
    return Sample(number, item, faults, is_plain=not is_typed, table=table, file=file, line=line)


# The values.


class _UntypedError(ValueError):
    """A plain value where DynamoDB JSON has one with its type."""


def _is_typed(item: Mapping[str, Any]) -> bool:
    """Whether it is DynamoDB JSON: most attributes have the form ``{"S": ...}``."""
    return sum(map(_has_type, item.values())) * 2 > len(item)


def _has_type(value: Any) -> bool:
    members = _members(value)
    return len(members) == 1 and not TYPES.isdisjoint(members)


def _members(value: Any) -> dict[str, Any]:
    """Return a JSON object; an empty one for any other value."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _read_typed(value: Any) -> AttributeValue:
    match value:
        case {"N": _Number(text)}:
            raise _UntypedError(f'is {{"N": {text}}}, and DynamoDB JSON has {{"N": "{text}"}}')
        case dict():
            return read_value(cast("Any", value))[0]
        case _:
            raise _UntypedError("has no type, but other attributes of the item have one")


def _read_plain(value: Any) -> AttributeValue:
    return _plain(read_value(_typed(value))[0])


def _typed(value: Any, depth: int = 0) -> AttributeValue:
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float() | _Number():
            return {"N": str(value)}
        case list() | dict() if depth > NESTING_LEVELS:
            return {"NULL": True}  # deep enough to be rejected
        case list():
            return {"L": [_typed(each, depth + 1) for each in cast("list[Any]", value)]}
        case dict():
            members = cast("dict[str, Any]", value)
            return {"M": {name: _typed(each, depth + 1) for name, each in members.items()}}
        case _:
            return {"S": value}


def _plain(value: AttributeValue) -> AttributeValue:
    match kind_of(value):
        case "L":
            return PlainValue(L=[_plain(each) for each in value["L"]])
        case "M":
            return PlainValue(M={name: _plain(each) for name, each in value["M"].items()})
        case _:
            return PlainValue(value)


# The file.


class _WrongShapeError(ValueError):
    """JSON in which no items are found."""


class _Element(NamedTuple):
    """A value of a list, and where in the text it begins."""

    value: Any
    at: int


def _lists(roots: Sequence[_Element]) -> Iterator[tuple[str | None, Sequence[_Element]]]:
    """Yield each list of items in a file, with the table that the file names."""
    if roots and all(_is_wrapped(root.value) for root in roots):
        yield None, roots  # an export has a line for each item
        return
    if len(roots) != 1:
        raise _WrongShapeError("it has several values" if roots else "the file is empty")
    root = roots[0].value
    members = _members(root)
    if isinstance(root, list):
        yield None, cast("list[_Element]", root)
    elif isinstance(members.get("DataModel"), list):
        for table in cast("list[_Element]", members["DataModel"]):
            yield from _tables({"TableData": []} | _members(table.value))
    else:
        yield from _tables(members.get("RequestItems", root))


def _tables(value: Any) -> Iterator[tuple[str | None, Sequence[_Element]]]:
    if not isinstance(value, dict):
        raise _WrongShapeError("it has no list of items")
    members = _members(value)
    for name in ("TableData", "Items"):
        if isinstance(members.get(name), list):
            table = members.get("TableName")
            yield (table if isinstance(table, str) else None), members[name]
            return
    for name, items in members.items():
        if not isinstance(items, list):
            raise _WrongShapeError(f'"{shown(name)}" is not a list of items')
        yield name, cast("list[_Element]", items)


def _is_wrapped(value: Any) -> bool:
    return _members(value).keys() in ({"Item"}, {"PutRequest"})


def _unwrapped(value: Any) -> Any:
    if not _is_wrapped(value):
        return value
    members = _members(value)
    return members["Item"] if "Item" in members else _members(members["PutRequest"]).get("Item")


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as it is written, with all its digits."""

    text: str

    def __str__(self) -> str:
        return self.text


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON and DynamoDB")


class _Text:
    """A text of JSON; of lists in its outer values, each element with its position."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder(
            parse_int=_Number, parse_float=_Number, parse_constant=_refuse_constant
        )
        self._lines = [at for at, character in enumerate(text) if character == "\n"]

    def line(self, at: int) -> int:
        """The line of a position, the first being 1."""
        return bisect_right(self._lines, at - 1) + 1

    def values(self) -> list[_Element]:
        """Every value of the text, one after the other."""
        found: list[_Element] = []
        at = self._skip(0)
        while at < len(self._text):
            value, end = self._value(at, outer=True)
            found.append(_Element(value, at))
            at = self._skip(end)
        return found

    def _value(self, at: int, *, outer: bool) -> tuple[Any, int]:
        match self._text[at : at + 1] if outer else "":
            case "[":
                return self._array(at, outer=False)
            case "{":
                return self._object(at)
            case _:
                return self._decoder.raw_decode(self._text, at)

    def _array(self, start: int, *, outer: bool) -> tuple[list[_Element], int]:
        found: list[_Element] = []
        at = self._skip(start + 1)
        while not (self._text.startswith("]", at) and not found):
            value, end = self._value(at, outer=outer)
            found.append(_Element(value, at))
            at = self._skip(end)
            if self._text.startswith("]", at):
                break
            at = self._after(",", at)
        return found, at + 1

    def _object(self, start: int) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        at = self._skip(start + 1)
        while not (self._text.startswith("}", at) and not found):
            if not self._text.startswith('"', at):
                raise json.JSONDecodeError("Expecting a name in double quotes", self._text, at)
            name, end = self._decoder.raw_decode(self._text, at)
            at = self._after(":", self._skip(end))
            if self._text.startswith("[", at):
                found[name], end = self._array(at, outer=name == "DataModel")
            else:
                found[name], end = self._value(at, outer=name == "RequestItems")
            at = self._skip(end)
            if self._text.startswith("}", at):
                break
            at = self._after(",", at)
        return found, at + 1

    def _after(self, character: str, at: int) -> int:
        if not self._text.startswith(character, at):
            raise json.JSONDecodeError(f"Expecting {character!r}", self._text, at)
        return self._skip(at + 1)

    def _skip(self, at: int) -> int:
        """Return the position of the next character that is not white space."""
        while self._text[at : at + 1] in {" ", "\t", "\n", "\r"}:
            at += 1
        return at
