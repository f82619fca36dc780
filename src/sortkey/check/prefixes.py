"""Where the prefix of a request stops in a key: between two parts, or inside a value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from string import Formatter

from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.templates import Template


@dataclass(frozen=True, slots=True)
class Stop:
    """A value that a prefix begins and does not end.

    ``constant`` is its text as far as the request states it, and ``argument`` the argument that
    makes its end. ``follows`` is what a key has after the value, up to a delimiter; empty where
    nothing or another value follows.
    """

    slot: Slot
    constant: str
    argument: str | None
    follows: str
    is_last: bool


@dataclass(frozen=True, slots=True)
class _Filled:
    """A slot of a prefix, which an argument fills."""

    argument: str


def stop_of(prefix: str, template: Template) -> Stop | None:
    """Return the value inside which a prefix stops; None where it stops elsewhere or cannot fit."""
    left = list(_pieces(prefix))
    for place, part in enumerate(template.parts):
        if not left:
            return None
        if isinstance(part, str):
            first = left[0]
            if not isinstance(first, str) or not first.startswith(part):
                return None
            left[:1] = [first[len(part) :]] if len(first) > len(part) else []
            continue
        stop = _fill(part, left, template.parts[place + 1 :])
        if stop is not None:
            return stop
    return None


def _pieces(prefix: str) -> Iterator[str | _Filled]:
    for text, name, _, _ in Formatter().parse(prefix):
        if text:
            yield text
        if name is not None:
            yield _Filled(name)


def _fill(slot: Slot, left: list[str | _Filled], after: Sequence[str | Slot]) -> Stop | None:
    """Take a value from what is left of a prefix, up to the literal text that follows it."""
    literal = next((part for part in after[:1] if isinstance(part, str)), "")
    constant, argument = "", None
    while left:
        piece = left.pop(0)
        if isinstance(piece, _Filled):
            argument = piece.argument
            continue
        end = _end(piece, literal)
        if end is not None:
            left[:0] = [piece[end:]]
            return None
        constant, argument = constant + piece, None
    return Stop(slot, constant, argument, _delimited(literal), is_last=not after)


def _end(text: str, literal: str) -> int | None:
    """Where a literal begins in a text, or the beginning of it at the text's end."""
    found = text.find(literal) if literal else -1
    if found >= 0:
        return found
    begun = (n for n in range(len(literal) - 1, 0, -1) if text.endswith(literal[:n]))
    return next((len(text) - n for n in begun), None)


def _delimited(literal: str) -> str:
    """The literal up to its first delimiter, or all of it."""
    word = "".join(takewhile(str.isalnum, literal))
    return literal[: len(word) + 1]
