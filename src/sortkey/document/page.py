"""A page as a value, which Markdown and HTML both write: sections of paragraphs, tables, pictures.

Text is a line of pieces, so that a writer never has to find out again what is code in it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Code:
    """A name, a template or an expression, letter for letter."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """The name of something that this page tells more about."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Strong:
    """A word that is looked for."""

    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """The end of a line within a cell."""


@dataclass(frozen=True, slots=True)
class Aside:
    """What can be passed over in a first reading."""

    line: "Line"


Piece: TypeAlias = str | Code | Link | Strong | Break | Aside
Line: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of text."""

    line: Line


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines that stay as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """Things to know, one below the other."""

    lines: tuple[Line, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of a table that belong together; a cell that is None continues the one above."""

    rows: tuple[tuple[Line | None, ...], ...]
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; columns in which no row says anything are left out."""

    columns: tuple[str, ...]
    groups: tuple[Group, ...]
    label: str = ""

    @property
    def shown(self) -> "Grid":
        """The same without its empty columns."""
        used = [
            place
            for place in range(len(self.columns))
            if any(row[place] for group in self.groups for row in group.rows)
        ]
        groups = tuple(
            Group(tuple(tuple(row[place] for place in used) for row in group.rows), group.anchor)
            for group in self.groups
        )
        return Grid(tuple(self.columns[place] for place in used), groups, self.label)


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what holds for each, such as the settings of a table."""

    rows: tuple[tuple[str, Line], ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A picture, and the same in letters for where no picture can be shown."""

    title: str
    svg: str
    text: str


Block: TypeAlias = Paragraph | Listing | Bullets | Grid | Facts | Diagram


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple["Section", ...] = ()
    # What kind of thing it is about, for a writer that shows some kinds otherwise.
    about: str = ""
    badges: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """Where a link to the section leads, made from its title as Markdown readers do."""
        return anchor_of(self.title)

    def walk(self) -> Iterator["Section"]:
        """The section and all below it, in the order of reading."""
        yield self
        for section in self.sections:
            yield from section.walk()


@dataclass(frozen=True, slots=True)
class Page:
    """A title, how much there is of what, an introduction, and sections."""

    name: str
    title: str
    counts: tuple[tuple[int, str], ...]
    introduction: tuple[Block, ...]
    sections: tuple[Section, ...]

    @property
    def anchors(self) -> frozenset[str]:
        """Every heading that a link can lead to."""
        return frozenset(s.anchor for section in self.sections for s in section.walk())


def anchor_of(title: str) -> str:
    """A heading as the end of an address."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def row(*cells: Line) -> Group:
    """A table's row that stands alone."""
    return Group((cells,))


def codes(names: Iterable[str]) -> Line:
    """Names as code, with commas between them."""
    return joined((Code(name),) for name in names)


def joined(lines: Iterable[Line], between: Piece = ", ") -> Line:
    """Several lines as one."""
    pieces: list[Piece] = []
    for line in lines:
        pieces += [between, *line] if pieces and line else line
    return tuple(pieces)
