"""Key texts: what a raw request says of a key attribute, and whether a template can make it.

A request says ``"ORDER#{day}"``, an entity ``"ORDER#{placed}#{order_id}"``. Both are literal texts
with something between them: arguments in the one, slots in the other. Each becomes an automaton, as
in `sortkey.design.records.keys.unify`, and they fit where one text is a walk through both.

An argument may be any text that its type allows. If that was all, ``"ORDER{day}"`` would fit too,
with a day that begins with ``#``. So an argument that is any text does not stand for a delimiter of
the template. Where a walk needs that, the argument *covers* literal text of the key: the caller has
to know the template.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from string import Formatter
from typing import Any, Literal, NewType, TypeAlias, get_args, get_origin

from sortkey.design.plans.plan import Compared
from sortkey.design.plans.sources import NOW, Argument, Constant, Now, Source, Text
from sortkey.design.raw.values import written
from sortkey.design.records.keys.characters import ANYTHING, DIGITS, Shape, exactly, many_of
from sortkey.design.records.keys.entity_key import KeyPart
from sortkey.design.records.keys.formats import FormatError
from sortkey.design.records.keys.slots import UNORDERED, Slot, slot_format
from sortkey.design.records.keys.templates import DELIMITER
from sortkey.design.records.keys.unify import START, Automaton, Place, Shaped, automaton, can_meet

_ANY_TEXT: Shape = ((ANYTHING,),)
# A number or a time as plain code writes it.
_NUMBER: Shape = ((many_of(f"{DIGITS}+-.eE"),),)
_TIME: Shape = ((many_of(f"{DIGITS}+-.:TZ"),),)
_TRUTH: Shape = (exactly("true"), exactly("false"))


class Fit(IntEnum):
    """The fit of a text and a template: never, only if an argument has literal text, or good."""

    NEVER = 0
    COVERS = 1
    FITS = 2


@dataclass(frozen=True, slots=True)
class TextArgument:
    """An argument within a text, and the texts that it can be: of few values, each of them."""

    name: str
    spec: str
    shape: Shape
    choices: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether it may be any text."""
        return self.shape is _ANY_TEXT

    def __str__(self) -> str:
        return f"{{{self.name}:{self.spec}}}" if self.spec else f"{{{self.name}}}"


Piece: TypeAlias = str | TextArgument


@dataclass(frozen=True, slots=True)
class KeyText:
    """A text of a request: literal texts and arguments, from left to right."""

    pieces: tuple[Piece, ...]

    @property
    def arguments(self) -> tuple[TextArgument, ...]:
        """The arguments in it."""
        return tuple(piece for piece in self.pieces if isinstance(piece, TextArgument))

    @property
    def is_bare(self) -> bool:
        """Whether it is one argument that may be any text."""
        return len(self.pieces) == 1 and any(given.is_text for given in self.arguments)

    @property
    def lead(self) -> str:
        """The literal text that it begins with."""
        first = self.pieces[0]
        return first if isinstance(first, str) else ""

    def each(self) -> Iterator["KeyText"]:
        """Yield the text with each value of each argument that has few of them."""
        for place, piece in enumerate(self.pieces):
            for choice in piece.choices if isinstance(piece, TextArgument) else ():
                pieces = (*self.pieces[:place], choice, *self.pieces[place + 1 :])
                yield replace(self, pieces=tuple(_joined(pieces)))

    def __str__(self) -> str:
        return "".join(map(str, self.pieces))


def key_text(source: Source | None, types: Mapping[str, Any]) -> KeyText | None:
    """Return the text that a source is; None where it is none, or nothing is known of it."""
    match source:
        case Constant(str() as text) if text:
            return KeyText((text,))
        case Argument(name):
            return KeyText((_argument(name, "", types),))
        case Now():
            return KeyText((_argument(NOW, "", types),))
        case Text(template, _, None):
            pieces: list[Piece] = []
            for literal, name, spec, _ in Formatter().parse(template):
                pieces += [literal] if literal else []
                pieces += [] if name is None else [_argument(name, spec or "", types)]
            return KeyText(tuple(_joined(pieces))) if pieces else None
        case _:
            return None


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces with neighbouring literal texts as one."""
    literal = ""
    for piece in pieces:
        if isinstance(piece, str):
            literal += piece
            continue
        if literal:
            yield literal
            literal = ""
        yield piece
    if literal:
        yield literal


def _argument(name: str, spec: str, types: Mapping[str, Any]) -> TextArgument:
    kind = datetime if name == NOW else types.get(name)
    while isinstance(kind, NewType):
        kind = kind.__supertype__
    choices = _choices(kind, spec)
    if choices:
        return TextArgument(name, spec, tuple(map(exactly, choices)), choices)
    return TextArgument(name, spec, _shape(name, kind, spec))


def _choices(kind: Any, spec: str) -> tuple[str, ...]:
    if get_origin(kind) is Literal:
        values = get_args(kind)
    elif isinstance(kind, type) and issubclass(kind, Enum):
        values = tuple(member.value for member in kind)
    else:
        return ()
    try:
        texts = tuple(written(value, spec) for value in values)
    except ValueError:
        return ()
    return texts if all(texts) else ()


def _shape(name: str, kind: Any, spec: str) -> Shape:
    """Return the texts of an argument; any text where nothing is known of it."""
    if not isinstance(kind, type) or issubclass(kind, str):
        return _ANY_TEXT
    if issubclass(kind, bool):
        return _TRUTH
    if not spec and issubclass(kind, datetime):
        return _TIME
    if not spec and issubclass(kind, float | Decimal):
        return _NUMBER
    try:
        return slot_format(name, kind, spec, "").shape
    except FormatError:
        # In a format of its own; a time is then still no other text.
        return _TIME if issubclass(kind, date) and not spec else _ANY_TEXT


# Fitting.


def fit(text: KeyText, part: KeyPart, *, begins: bool = False) -> Fit:
    """Return how well a text, or with ``begins`` a beginning, fits the template of a key."""
    return max(_fit(text, parts, begins=begins) for parts in _forms(part))


def texts_of(compared: Compared, types: Mapping[str, Any]) -> tuple[KeyText, ...] | None:
    """Return the one or two texts of a comparison; None where one of them is not known."""
    texts = [key_text(source, types) for source in compared.sources]
    known = tuple(text for text in texts if text is not None)
    return known if len(known) == len(texts) else None


def fit_compared(op: str, texts: Sequence[KeyText], part: KeyPart) -> Fit:
    """Return how well the texts that a key attribute is compared with fit its template."""
    # A time or a number has another form in an attribute of its own than within a template.
    if part.attribute.type != "S" or (part.is_natural and part.template.slots[0].type is not str):
        return Fit.FITS
    match op, texts:
        case "=", (text,):
            return fit(text, part)
        case "begins_with", (text,):
            return fit(text, part, begins=True)
        case "between", (low, high):
            return _fit_range(low, high, part)
        case ">" | ">=", (low,):
            return _fit_range(low, None, part)
        case "<" | "<=", (high,):
            return _fit_range(None, high, part)
        case _:
            return Fit.FITS


def can_be_same(text: KeyText, other: KeyText, *, begins: bool = False) -> bool:
    """Return whether a text, or with ``begins`` a beginning, may be that of another request."""
    return _fit(text, other.pieces, begins=begins) is not Fit.NEVER


def _forms(part: KeyPart) -> Iterator[Sequence[str | Slot | TextArgument]]:
    """Yield the parts of a template, and those with the number of a shard."""
    yield part.template.parts
    if part.is_sharded:
        yield (*part.template.parts, DELIMITER, TextArgument("", "", ((many_of(DIGITS),),)))


def _fit(text: KeyText, parts: Sequence[str | Shaped], *, begins: bool = False) -> Fit:
    covered = parts[:1] if begins else parts
    if text.is_bare and any(isinstance(part, str) for part in covered):
        return Fit.COVERS
    walk = _Walk(text, parts, begins=begins)
    if can_meet(walk.said, walk.key, walk.may_fit):
        return Fit.FITS
    if can_meet(walk.said, walk.key, walk.may_cover, walk.may_end):
        return Fit.COVERS
    return Fit.NEVER


class _Walk:
    """A text and a template side by side, and which steps through both are allowed."""

    def __init__(self, text: KeyText, parts: Sequence[str | Shaped], *, begins: bool) -> None:
        self.said: Automaton = automaton(text.pieces, go_on=begins)
        self.key: Automaton = automaton(parts)
        self._open = {
            n for n, p in enumerate(text.pieces) if isinstance(p, TextArgument) and p.is_text
        }
        self._literal = {n for n, part in enumerate(parts) if isinstance(part, str)}
        self._delimiters = _delimiters(parts)

    def may_fit(self, _: Place, to: Place) -> bool:
        """Whether no argument stands for a delimiter."""
        is_literal = self.key.part[to[1]] in self._literal
        named = self.key.characters[to[1]].named
        return not (self.said.part[to[0]] in self._open and is_literal and named & self._delimiters)

    def may_cover(self, at: Place, to: Place) -> bool:
        """Whether an argument begins where a slot begins, and ends in one."""
        before, after = self.said.part[at[0]], self.said.part[to[0]]
        if before == after:
            return True
        if before in self._open and at[0] != START and self.key.part[at[1]] in self._literal:
            return False
        enters_slot = self.key.part[at[1]] != self.key.part[to[1]] not in self._literal
        return after not in self._open or enters_slot

    def may_end(self, at: Place) -> bool:
        """Whether an argument at the end of the text ends in a slot."""
        return not (self.said.part[at[0]] in self._open and self.key.part[at[1]] in self._literal)


def _delimiters(parts: Sequence[str | Shaped]) -> frozenset[str]:
    """Return the characters that part the values of a template from what is around them."""
    found = {DELIMITER}
    for place, part in enumerate(parts):
        if isinstance(part, str):
            found |= {part[-1]} if place + 1 < len(parts) else set()
            found |= {part[0]} if place else set()
    return frozenset(character for character in found if not character.isalnum())


def _fit_range(low: KeyText | None, high: KeyText | None, part: KeyPart) -> Fit:
    """Return how well the ends of a range fit: that keys lie in it, and that they can be ends."""
    parts = part.template.parts
    lead = parts[0] if isinstance(parts[0], str) else ""
    if not _reaches(low, high, lead, is_whole=len(parts) == 1):
        return Fit.NEVER
    found = Fit.FITS
    for end in (low, high):
        # Up to the first argument: behind it, an end may be finer or coarser than any key.
        if end is not None and end.arguments and lead.startswith(end.lead):
            first = KeyText(end.pieces[: end.pieces.index(end.arguments[0]) + 1])
            found = min(found, fit(first, part, begins=True))
    return found


def _reaches(low: KeyText | None, high: KeyText | None, lead: str, *, is_whole: bool) -> bool:
    """Return whether a text that begins with the template's literal text can lie in a range."""
    if low is not None and _first_difference(low.lead, lead) > 0:
        return False
    if high is None:
        return True
    # What is longer than the end of a range comes after it.
    is_key = is_whole and high.lead == lead
    is_short = not high.arguments and not is_key and lead.startswith(high.lead)
    return not is_short and _first_difference(high.lead, lead) >= 0


def _first_difference(one: str, other: str) -> int:
    """Return -1 or 1 where a text sorts before or after another; 0 where one begins the other."""
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            return -1 if mine < theirs else 1
    return 0


def aligned(text: KeyText, part: KeyPart) -> list[tuple[TextArgument, Slot]] | None:
    """Return the slot in whose place each argument stands, where a text begins as a template does.

    None where it does not. Its last literal text may be shorter than the template's.
    """
    pieces, parts = text.pieces, part.template.parts
    if len(pieces) > len(parts):
        return None
    found: list[tuple[TextArgument, Slot]] = []
    for place, (said, own) in enumerate(zip(pieces, parts, strict=False), 1):
        match said, own:
            case TextArgument(), Slot():
                found.append((said, own))
            case str(), str() if said == own or (place == len(pieces) and own.startswith(said)):
                pass
            case _:
                return None
    return found


# Writing it right.


def rewritten(text: KeyText, part: KeyPart, *, begins: bool = False) -> str:
    """Return the template with a text's arguments in its slots; a beginning ends with the last."""
    arguments = list(text.arguments)
    written = ""
    for piece in part.template.parts:
        if not isinstance(piece, Slot):
            written += piece
        elif arguments:
            given = arguments.pop(0)
            spec = "" if given.is_text or piece.spec == UNORDERED else piece.spec
            written += str(replace(given, spec=spec))
        elif begins:
            break
        else:
            written += str(piece)
    return part.template.text if arguments else written


def is_near(text: KeyText, part: KeyPart) -> bool:
    """Return whether a text differs from a template in case and delimiters only."""
    said, key = _literals(text.pieces), _literals(part.template.parts)
    return said != key and _skeleton(said) == _skeleton(key)


def _literals(pieces: Sequence[object]) -> list[str | None]:
    return [piece if isinstance(piece, str) else None for piece in pieces]


def _skeleton(literals: Sequence[str | None]) -> list[str | None]:
    plain = [None if p is None else re.sub(r"[\W_]", "", p).casefold() for p in literals]
    return [piece for piece in plain if piece != ""]
