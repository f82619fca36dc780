"""Which characters a written value may have, place by place: what parsing and unifying rest on.

A shape is a set of alternatives, each a sequence of runs, and never matches the empty text.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

# Ranges end at this character, so no key may contain it.
GREATEST = "\U0010ffff"
DIGITS = "0123456789"


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters named, or with `but` every character except those named."""

    named: frozenset[str]
    but: bool = False

    def meets(self, other: "Characters") -> bool:
        """Whether some character is in both."""
        if self.but and other.but:
            # Each names a handful; Unicode has more.
            return True
        if self.but:
            return bool(other.named - self.named)
        if other.but:
            return bool(self.named - other.named)
        return bool(self.named & other.named)

    def within(self, other: "Characters") -> "Characters":
        """The characters that are in both."""
        if self.but and other.but:
            return Characters(self.named | other.named, but=True)
        if self.but:
            return Characters(other.named - self.named)
        return Characters(self.named - other.named if other.but else self.named & other.named)

    def joined(self, other: "Characters") -> "Characters":
        """The characters that are in one of them."""
        return self.negated().within(other.negated()).negated()

    def negated(self) -> "Characters":
        """All other characters."""
        return Characters(self.named, but=not self.but)

    @property
    def pattern(self) -> str:
        """A regular expression for one of them."""
        named = "".join(map(re.escape, sorted(self.named)))
        if not self.but:
            return f"[{named}]"
        return f"[^{named}]" if named else r"[\s\S]"


@dataclass(frozen=True, slots=True)
class CharacterRun:
    """One character of a kind, or with `many` one or more of them."""

    characters: Characters
    many: bool = False


Runs: TypeAlias = tuple[CharacterRun, ...]
Shape: TypeAlias = tuple[Runs, ...]

ANYTHING = CharacterRun(Characters(frozenset(), but=True), many=True)


def one_of(characters: str) -> CharacterRun:
    """One of these characters."""
    return CharacterRun(Characters(frozenset(characters)))


def many_of(characters: str) -> CharacterRun:
    """One or more of these characters."""
    return CharacterRun(Characters(frozenset(characters)), many=True)


def many_but(characters: str) -> CharacterRun:
    """One or more of any characters but these."""
    return CharacterRun(Characters(frozenset(characters), but=True), many=True)


def exactly(text: str) -> Runs:
    """The text itself, character by character."""
    return tuple(map(one_of, text))


def shape_within(shape: Shape, characters: Characters) -> Shape:
    """The texts of a shape that have only these characters."""
    narrowed = (
        tuple(CharacterRun(run.characters.within(characters), run.many) for run in runs)
        for runs in shape
    )
    return tuple(
        runs for runs in narrowed if all(run.characters.named or run.characters.but for run in runs)
    )


def shape_pattern(shape: Shape) -> str:
    """A regular expression, without groups of its own, for what has the shape."""
    alternatives = (
        "".join(run.characters.pattern + ("+" if run.many else "") for run in runs)
        for runs in shape
    )
    return f"(?:{'|'.join(alternatives)})"
