"""Whether two templates can make the same text, and whether one text can be read in two ways.

Each template becomes the automaton of its positions: a state is a character's place in a part,
and a text is a walk through them. Two templates can make one text when both can be walked side by
side, each step on a character that both places allow. The answers lean to yes: a field that stands
in two places counts as two, and a month may be 19.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sortkey.design.characters import ANYTHING, Characters, Runs, Shape, exactly
from sortkey.design.slots import Slot
from sortkey.design.templates import Template

_START = 0
_BEYOND = -1


@dataclass(frozen=True, slots=True)
class _Automaton:
    """States with the characters they are entered on, the part they lie in, and what follows."""

    characters: Sequence[Characters]
    part: Sequence[int]
    follow: Sequence[Sequence[int]]
    final: frozenset[int]


def can_collide(a: Template, b: Template) -> bool:
    """Whether some values make both templates write the same text."""
    return _meet(_automaton(a.parts), _automaton(b.parts))


def can_start(a: Template, bound: Collection[str], b: Template) -> bool:
    """Whether a query over `a` with these fields bound could meet a text of `b`.

    Such a query asks for texts that begin with `a` up to its first unbound slot, and where all
    are bound for that one text.
    """
    for place, part in enumerate(a.parts):
        if isinstance(part, Slot) and part.field not in bound:
            return _meet(_automaton(a.parts[:place], go_on=True), _automaton(b.parts))
    return can_collide(a, b)


def ambiguity(template: Template) -> tuple[str | Slot, str | Slot] | None:
    """Two parts that may both claim a character of one text, if there are such.

    Then the text can be read in two ways, and two records may share it.
    """
    walk = _automaton(template.parts)
    seen = {(_START, _START, False)}
    waiting: list[tuple[int, int, tuple[int, int] | None]] = [(_START, _START, None)]
    while waiting:
        left, right, parted = waiting.pop()
        if parted and left in walk.final and right in walk.final:
            return template.parts[parted[0]], template.parts[parted[1]]
        for one, other in _steps(walk, left, walk, right):
            claims = (walk.part[one], walk.part[other])
            now = parted or (claims if claims[0] < claims[1] else None)
            # The mirror image of a pair finds nothing that the pair does not.
            if now is None and claims[0] != claims[1]:
                continue
            if (state := (one, other, now is not None)) not in seen:
                seen.add(state)
                waiting.append((one, other, now))
    return None


@lru_cache(maxsize=4_000)
def _automaton(parts: tuple[str | Slot, ...], *, go_on: bool = False) -> _Automaton:
    """The automaton of a template's parts, or with `go_on` of every text that begins so."""
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

    ends = [_START]
    for place, part in enumerate(parts):
        shape: Shape = (exactly(part),) if isinstance(part, str) else part.shape
        ends = [end for runs in shape for end in extend(ends, runs, place)]
    if go_on:
        ends = [*ends, *extend(ends, (ANYTHING,), _BEYOND)]
    return _Automaton(characters, part_of, follow, frozenset(ends))


def _meet(a: _Automaton, b: _Automaton) -> bool:
    """Whether some text is a walk through both."""
    seen = {(_START, _START)}
    waiting = [(_START, _START)]
    while waiting:
        left, right = waiting.pop()
        if left in a.final and right in b.final:
            return True
        for pair in _steps(a, left, b, right):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return False


def _steps(a: _Automaton, left: int, b: _Automaton, right: int) -> Iterable[tuple[int, int]]:
    """Where one character may take both."""
    for one in a.follow[left]:
        for other in b.follow[right]:
            if a.characters[one].meets(b.characters[other]):
                yield one, other
