"""A page as a value, from which Markdown and HTML are written.

Text is a line of pieces, so that a writer knows which of them are code.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Code:
    """A name, a template or an expression, shown as code."""

    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another place on this page."""

    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Strong:
    """An emphasized word, such as a name that readers search for."""

    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """The end of a line within a cell."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A detail that a first reading can skip."""

    line: "Line"


Piece: TypeAlias = str | Code | Link | Strong | Break | Aside
Line: TypeAlias = tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of text."""

    line: Line


@dataclass(frozen=True, slots=True)
class Listing:
    """Preformatted lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list, with a label."""

    lines: tuple[Line, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a table that belong together; a cell that is None continues the one above."""

    rows: tuple[tuple[Line | None, ...], ...]
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; empty columns are not shown."""

    columns: tuple[str, ...]
    groups: tuple[RowGroup, ...]
    label: str = ""

    @property
    def shown(self) -> "Grid":
        """The table without its empty columns."""
        used = [
            place
            for place in range(len(self.columns))
            if any(row[place] for group in self.groups for row in group.rows)
        ]
        groups = tuple(
            RowGroup(tuple(tuple(row[place] for place in used) for row in group.rows), group.anchor)
            for group in self.groups
        )
        return Grid(tuple(self.columns[place] for place in used), groups, self.label)


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with their values, such as the settings of a table."""

    rows: tuple[tuple[str, Line], ...]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A picture, and its text for formats without pictures."""

    title: str
    svg: str
    text: str


Block: TypeAlias = Paragraph | Listing | Bullets | Grid | Facts | Diagram


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its blocks and subsections."""

    title: str
    blocks: tuple[Block, ...] = ()
    sections: tuple["Section", ...] = ()
    # The kind of its subject, for a writer that styles kinds differently.
    about: str = ""
    badges: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The section's anchor, made from its title as Markdown renderers do."""
        return anchor_of(self.title)

    def walk(self) -> Iterator["Section"]:
        """Yield the section and all its subsections, in reading order."""
        yield self
        for section in self.sections:
            yield from section.walk()


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A title, counts, an introduction, and sections."""

    name: str
    title: str
    counts: tuple[tuple[int, str], ...]
    introduction: tuple[Block, ...]
    sections: tuple[Section, ...]

    @property
    def anchors(self) -> frozenset[str]:
        """The anchors of all headings."""
        return frozenset(s.anchor for section in self.sections for s in section.walk())


def anchor_of(title: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def row(*cells: Line) -> RowGroup:
    """Return a single row of a table."""
    return RowGroup((cells,))


def codes(names: Iterable[str]) -> Line:
    """Return names as code, separated by commas."""
    return joined((Code(name),) for name in names)


def joined(lines: Iterable[Line], between: Piece = ", ") -> Line:
    """Return several lines as one."""
    pieces: list[Piece] = []
    for line in lines:
        pieces += [between, *line] if pieces and line else line
    return tuple(pieces)
