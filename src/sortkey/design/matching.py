"""Texts that match a regular expression, as far as the expression is a simple one."""

import re
import string
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import Random
from re import _parser  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from typing import Any, TypeAlias, cast

_Write: TypeAlias = Callable[[Random], str]

# Repetitions are long enough that two texts of one expression hardly ever are the same.
_SHORTEST, _LONGEST = 4, 8
_USUAL = string.ascii_letters + string.digits
_EVERY = "".join(map(chr, range(32, 127)))
_CATEGORIES = {
    "CATEGORY_DIGIT": string.digits,
    "CATEGORY_WORD": _USUAL,
    "CATEGORY_SPACE": " ",
    "CATEGORY_NOT_DIGIT": string.ascii_letters,
    "CATEGORY_NOT_SPACE": _USUAL,
    "CATEGORY_NOT_WORD": "-",
}


def matching_text(pattern: str, random: Random) -> str | None:
    """Return a text that the expression matches, or None where none was found."""
    write = _writer_of(pattern)
    text = None if write is None else write(random)
    return text if text is not None and re.search(pattern, text) else None


@cache
def _writer_of(pattern: str) -> _Write | None:
    try:
        return _joined(cast("Any", _parser).parse(pattern))
    except (re.error, KeyError, IndexError):
        # A look-ahead, a back reference, or something else that takes more than this.
        return None


def _joined(tokens: Iterable[Any]) -> _Write:
    pieces = [_WRITERS[str(name)](held) for name, held in tokens]
    return lambda random: "".join([write(random) for write in pieces])


def _literal(held: int) -> _Write:
    return lambda _: chr(held)


def _repeated(held: Any) -> _Write:
    least, most, tokens = held
    shortest = max(least, min(int(most), _SHORTEST))
    longest = max(shortest, min(int(most), _LONGEST))
    name, inner = tokens[0]
    if len(tokens) == 1 and str(name) in _CLASSES:
        choices = _CLASSES[str(name)](inner)
        return lambda random: "".join(random.choices(choices, k=random.randint(shortest, longest)))
    write = _joined(tokens)
    return lambda random: "".join([write(random) for _ in range(random.randint(shortest, longest))])


def _branch(held: Any) -> _Write:
    writers = [_joined(tokens) for tokens in held[1]]
    return lambda random: random.choice(writers)(random)


def _choices(held: Any) -> str:
    """Return the characters that a class allows."""
    named = [(str(name), value) for name, value in held]
    characters = "".join(_characters(name, value) for name, value in named if name != "NEGATE")
    if named[0][0] == "NEGATE":
        characters = "".join(c for c in _USUAL if c not in characters)
    # Letters and digits first: other characters may mean something elsewhere.
    choices = "".join(c for c in characters if c in _USUAL) or characters
    choices[0]  # an IndexError where the expression leaves none of them
    return choices


def _characters(name: str, held: Any) -> str:
    match name:
        case "LITERAL":
            return chr(held)
        case "RANGE":
            return "".join(c for c in _EVERY if held[0] <= ord(c) <= held[1]) or chr(held[0])
        case _:
            return _CATEGORIES[str(held)]


def _one_of(choices: str) -> _Write:
    return lambda random: random.choice(choices)


_CLASSES: Mapping[str, Callable[[Any], str]] = {
    "NOT_LITERAL": lambda held: _choices([("NEGATE", None), ("LITERAL", held)]),
    "ANY": lambda _: _USUAL,
    "IN": _choices,
}
_WRITERS: Mapping[str, Callable[[Any], _Write]] = {
    "LITERAL": _literal,
    "NOT_LITERAL": lambda held: _one_of(_CLASSES["NOT_LITERAL"](held)),
    "ANY": lambda held: _one_of(_CLASSES["ANY"](held)),
    "IN": lambda held: _one_of(_choices(held)),
    "AT": lambda _: lambda _: "",
    "BRANCH": _branch,
    "SUBPATTERN": lambda held: _joined(held[-1]),
    "MAX_REPEAT": _repeated,
    "MIN_REPEAT": _repeated,
    "POSSESSIVE_REPEAT": _repeated,
}
