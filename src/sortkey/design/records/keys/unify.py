"""Whether two templates can make the same text, and whether one text can be read in two ways.

Each template becomes the automaton of its positions: a state is a character's place in a part,
and a text is a walk through them. Two templates can make one text when both can be walked side by
side, each step on a character that both places allow. The answers lean to yes: a field that stands
in two places counts as two, and a month may be 19.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

from sortkey.design.records.keys.characters import ANYTHING, Characters, Runs, Shape, exactly
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.templates import Template

START = 0
_BEYOND = -1

# The states of two automata that are walked side by side.
Place: TypeAlias = tuple[int, int]


class Shaped(Protocol):
    """A part of a text that is not the same in every text: a slot, or an argument."""

    @property
    def shape(self) -> Shape:
        """The texts that it can be."""
        ...


@dataclass(frozen=True, slots=True)
class Automaton:
    """States with the characters they are entered on, the part they lie in, and what follows."""

    characters: Sequence[Characters]
    part: Sequence[int]
    follow: Sequence[Sequence[int]]
    final: frozenset[int]


def can_collide(a: Template, b: Template) -> bool:
    """Whether some values make both templates write the same text."""
    return not _begin_otherwise(a, b) and can_meet(automaton(a.parts), automaton(b.parts))


def can_start(a: Template, bound: Collection[str], b: Template) -> bool:
    """Whether a query over `a` with these fields bound could meet a text of `b`.

    Such a query asks for texts that begin with `a` up to its first unbound slot, and where all
    are bound for that one text.
    """
    if _begin_otherwise(a, b):
        return False
    for place, part in enumerate(a.parts):
        if isinstance(part, Slot) and part.field not in bound:
            return can_meet(automaton(a.parts[:place], go_on=True), automaton(b.parts))
    return can_collide(a, b)


def _begin_otherwise(a: Template, b: Template) -> bool:
    """Whether both templates begin with literals that differ: most do, and no walk is needed."""
    match a.parts[:1], b.parts[:1]:
        case (str(one),), (str(other),):
            common = min(len(one), len(other))
            return one[:common] != other[:common]
        case _:
            return False


def ambiguity(template: Template) -> tuple[str | Slot, str | Slot] | None:
    """Two parts that may both claim a character of one text, if there are such.

    Then the text can be read in two ways, and two records may share it.
    """
    walk = _as_read(template)
    parted = _parting(walk, walk)
    if parted is None:
        return None
    first, second = sorted(parted)
    return template.parts[first], template.parts[second]


def reads_alike(a: Template, b: Template) -> bool:
    """Whether every text that both templates can make stands for the same values in both.

    That is so where they have the same fields between the same literals, none in a format that
    reads another value from the same text, and every character belongs to the same part.
    """
    if len(a.parts) != len(b.parts) or not all(map(_part_reads_alike, a.parts, b.parts)):
        return False
    return _parting(_as_read(a), _as_read(b)) is None


def _part_reads_alike(one: str | Slot, other: str | Slot) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    # Padded or not, the text of a number is its digits; a time may be read in several ways.
    is_alike = one.spec == other.spec or (one.is_number and other.is_number)
    return one.field == other.field and is_alike


def _as_read(template: Template) -> Automaton:
    """Return the automaton of the texts that a template reads.

    Texts are read back by their formats, whatever the declarations of the fields allow.
    """
    return automaton([p if isinstance(p, str) else p.format for p in template.parts])


def _parting(a: Automaton, b: Automaton) -> tuple[int, int] | None:
    """Return the parts that first claim one character of a common text, if they differ."""
    seen = {(START, START, False)}
    waiting: list[tuple[int, int, tuple[int, int] | None]] = [(START, START, None)]
    while waiting:
        left, right, parted = waiting.pop()
        if parted and left in a.final and right in b.final:
            return parted
        for one, other in _steps(a, left, b, right):
            claims = (a.part[one], b.part[other])
            now = parted or (claims if claims[0] != claims[1] else None)
            if (state := (one, other, now is not None)) not in seen:
                seen.add(state)
                waiting.append((one, other, now))
    return None


def automaton(parts: Iterable[str | Shaped], *, go_on: bool = False) -> Automaton:
    """Return the automaton of a template's parts, or with `go_on` of every text that begins so."""
    return _automaton(tuple(p if isinstance(p, str) else p.shape for p in parts), go_on=go_on)


@lru_cache(maxsize=4_000)
def _automaton(parts: tuple[str | Shape, ...], *, go_on: bool) -> Automaton:
    characters = [ANYTHING.characters]
    part_of = [_BEYOND]
    follow: list[list[int]] = [[]]

    def extend(ends: list[int], runs: Runs, part: int) -> list[int]:
        for run in runs:
            state = len(characters)
            characters.append(run.characters)
            part_of.append(part)
            follow.append([state] if run.many else [])
            for end in ends:
                follow[end].append(state)
            ends = [state]
        return ends

    ends = [START]
    for place, part in enumerate(parts):
        shape: Shape = (exactly(part),) if isinstance(part, str) else part
        ends = [end for runs in shape for end in extend(ends, runs, place)]
    if go_on:
        ends = [*ends, *extend(ends, (ANYTHING,), _BEYOND)]
    return Automaton(characters, part_of, follow, frozenset(ends))


def can_meet(
    a: Automaton,
    b: Automaton,
    may_step: Callable[[Place, Place], bool] = lambda _, __: True,
    may_end: Callable[[Place], bool] = lambda _: True,
) -> bool:
    """Return whether some text is a walk through both, of steps that are allowed."""
    seen = {(START, START)}
    waiting = [(START, START)]
    while waiting:
        place = waiting.pop()
        if place[0] in a.final and place[1] in b.final and may_end(place):
            return True
        for pair in _steps(a, place[0], b, place[1]):
            if pair not in seen and may_step(place, pair):
                seen.add(pair)
                waiting.append(pair)
    return False


def _steps(a: Automaton, left: int, b: Automaton, right: int) -> Iterable[Place]:
    """Where one character may take both."""
    for one in a.follow[left]:
        for other in b.follow[right]:
            if a.characters[one].meets(b.characters[other]):
                yield one, other
