"""Texts that match a regular expression, as far as the expression is a simple one."""

import itertools
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from random import Random
from re import _parser  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]
from typing import Any, Literal, TypeAlias, cast

from sortkey.design.records.keys.characters import ANYTHING, CharacterRun, Characters, Runs, Shape

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
        # A look-ahead, a back reference, or another construct that is not supported.
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


# The texts of an expression as a shape.
#
# An expression becomes alternatives, each a sequence of runs and of the two ends of a text. What
# would take too many of them is taken for a little more than it is.

_Piece: TypeAlias = CharacterRun | Literal["begin", "end"]
_Sequence: TypeAlias = tuple[_Piece, ...]

_DIGIT = frozenset(string.digits)
_WORDS = frozenset(_USUAL + "_")
_SPACE = frozenset(string.whitespace)
_ASCII = frozenset(map(chr, range(128)))
# Beyond ASCII, each of these has members of its own.
_NAMED: Mapping[str, Characters] = {
    "CATEGORY_DIGIT": Characters(_ASCII - _DIGIT, but=True),
    "CATEGORY_NOT_DIGIT": Characters(_DIGIT, but=True),
    "CATEGORY_WORD": Characters(_ASCII - _WORDS, but=True),
    "CATEGORY_NOT_WORD": Characters(_WORDS, but=True),
    "CATEGORY_SPACE": Characters(_ASCII - _SPACE, but=True),
    "CATEGORY_NOT_SPACE": Characters(_SPACE, but=True),
}
_CERTAIN = {"CATEGORY_DIGIT": _DIGIT, "CATEGORY_WORD": _WORDS, "CATEGORY_SPACE": _SPACE}
_ENDS: Mapping[str, Literal["begin", "end"]] = {
    "AT_BEGINNING": "begin",
    "AT_BEGINNING_STRING": "begin",
    "AT_END": "end",
    "AT_END_STRING": "end",
}
_MOST_ALTERNATIVES, _MOST_RUNS, _MOST_LENGTHS, _MOST_NAMED = 64, 200, 4, 1_000


class _TooHardError(Exception):
    """An expression is not supported."""


@cache
def matching_shape(pattern: str) -> Shape | None:
    """Return the texts in which the expression is found, or a little more; None where it is hard.

    As for Pydantic, it may be found anywhere in a text, unless it says where it begins and ends.
    """
    try:
        parsed = cast("Any", _parser).parse(pattern)
        if parsed.state.flags & (re.IGNORECASE | re.MULTILINE):
            return None
        found = [whole for sequence in _sequences(parsed) for whole in _wholes(sequence)]
    except (re.error, KeyError, _TooHardError):
        return None
    return tuple(dict.fromkeys(found)) or None


def _wholes(sequence: _Sequence) -> Iterator[Runs]:
    """Yield the texts that contain a sequence where it says."""
    is_first, is_last = "begin" in sequence, "end" in sequence
    runs = tuple(piece for piece in sequence if isinstance(piece, CharacterRun))
    ends = ("begin",) * sequence.count("begin"), ("end",) * sequence.count("end")
    if sequence != (*ends[0], *runs, *ends[1]):
        return  # nothing lies before the beginning, or behind the end
    for before in ((),) if is_first else ((), (ANYTHING,)):
        for after in ((),) if is_last else ((), (ANYTHING,)):
            if before or runs or after:
                yield (*before, *runs, *after)


def _sequences(tokens: Iterable[Any]) -> list[_Sequence]:
    found: list[_Sequence] = [()]
    for name, held in tokens:
        found = [(*one, *more) for one in found for more in _of_token(str(name), held)]
        if len(found) > _MOST_ALTERNATIVES or max(map(len, found), default=0) > _MOST_RUNS:
            raise _TooHardError
    return found


def _of_token(name: str, held: Any) -> list[_Sequence]:
    match name:
        case "AT":
            return [(_ENDS[str(held)],)]
        case "BRANCH":
            return [sequence for tokens in held[1] for sequence in _sequences(tokens)]
        case "SUBPATTERN":
            _, added, removed, tokens = held
            if added or removed:
                raise _TooHardError
            return _sequences(tokens)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeats(*held)
        case _:
            return [(CharacterRun(_class(name, held)),)]


def _repeats(least: int, most: int, tokens: Iterable[Any]) -> list[_Sequence]:
    inner = _sequences(tokens)
    if any(isinstance(piece, str) for sequence in inner for piece in sequence):
        raise _TooHardError
    times = range(least, int(most) + 1)
    if len(times) <= _MOST_LENGTHS and least * max(map(len, inner)) <= _MOST_RUNS:
        found: list[_Sequence] = []
        for count in times:
            repeated = itertools.product(inner, repeat=count)
            found += [
                cast("_Sequence", tuple(itertools.chain.from_iterable(chosen)))
                for chosen in itertools.islice(repeated, _MOST_ALTERNATIVES + 1)
            ]
        return found
    characters = Characters(frozenset())
    for run in itertools.chain.from_iterable(inner):
        characters = characters.joined(cast("CharacterRun", run).characters)
    many = CharacterRun(characters, many=True)
    is_single = all(len(sequence) == 1 for sequence in inner)
    fixed = (CharacterRun(characters),) * (max(least, 1) - 1) if is_single else ()
    return [(*fixed, many), *([()] if not least or () in inner else [])]


def _class(name: str, held: Any) -> Characters:
    """Return the characters that one place of an expression allows."""
    match name:
        case "LITERAL":
            return Characters(frozenset({chr(held)}))
        case "NOT_LITERAL":
            return Characters(frozenset({chr(held)}), but=True)
        case "ANY":
            return ANYTHING.characters
        case "RANGE":
            if held[1] - held[0] > _MOST_NAMED:
                raise _TooHardError
            return Characters(frozenset(map(chr, range(held[0], held[1] + 1))))
        case "CATEGORY":
            return _NAMED[str(held)]
        case "IN":
            return _in_class([(str(kind), value) for kind, value in held])
        case _:
            raise KeyError(name)


def _in_class(members: list[tuple[str, Any]]) -> Characters:
    is_negated = members[0][0] == "NEGATE"
    found = Characters(frozenset())
    for name, held in members[is_negated:]:
        # All others are at least those that are not such a member of ASCII.
        certain = is_negated and name == "CATEGORY"
        found = found.joined(Characters(_CERTAIN[str(held)]) if certain else _class(name, held))
    return found.negated() if is_negated else found
