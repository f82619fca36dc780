"""A page as Markdown for GitHub and MkDocs."""

from collections.abc import Iterable, Iterator

from sortkey.document.page import (
    Aside,
    Block,
    Break,
    Bullets,
    Code,
    Diagram,
    DocumentPage,
    Facts,
    Grid,
    Line,
    Link,
    Listing,
    Paragraph,
    Piece,
    Section,
    Strong,
)


def markdown(page: DocumentPage) -> str:
    """Return the whole page, with a table of contents."""
    return "\n\n".join(_MarkdownWriter(page).parts()) + "\n"


class _MarkdownWriter:
    """Writes the parts of a page, which an empty line separates."""

    def __init__(self, page: DocumentPage) -> None:
        self._page = page
        self._anchors = page.anchors

    def parts(self) -> Iterator[str]:
        page = self._page
        counts = ", ".join(f"{number} {noun}" for number, noun in page.counts)
        yield f"# {_escaped(page.name)}: {_escaped(page.title[0].lower() + page.title[1:])}"
        yield f"{counts}. Generated from the design by `sortkey docs`."
        yield from self._blocks(page.introduction)
        yield "\n".join(self._contents(page.sections, 0))
        for section in page.sections:
            yield from self._section(section, 2)

    def _contents(self, sections: Iterable[Section], depth: int) -> Iterator[str]:
        for section in sections:
            yield f"{'  ' * depth}- [{_escaped(section.title)}](#{section.anchor})"
            yield from self._contents(section.sections, depth + 1)

    def _section(self, section: Section, level: int) -> Iterator[str]:
        yield f"{'#' * level} {_escaped(section.title)}"
        yield from self._blocks(section.blocks)
        for below in section.sections:
            yield from self._section(below, level + 1)

    def _blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in blocks:
            yield from self._block(block)

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph(line):
                yield self._line(line)
            case Listing(text) | Diagram(text=text):
                yield f"```text\n{text}\n```"
            case Bullets(lines, label):
                yield from _label(label)
                yield "\n".join(f"- {self._line(line)}" for line in lines)
            case Facts(rows):
                grid = [(f"**{name}**", self._cell(line)) for name, line in rows]
                yield _table(("", ""), grid)
            case Grid():
                yield from self._grid(block.shown)

    def _grid(self, grid: Grid) -> Iterator[str]:
        yield from _label(grid.label)
        rows = [
            tuple("" if line is None else self._cell(line) for line in row)
            for group in grid.groups
            for row in group.rows
        ]
        yield _table(grid.columns, rows)

    def _cell(self, line: Line) -> str:
        return self._line(line).replace("|", "\\|")

    def _line(self, line: Line) -> str:
        return "".join(map(self._piece, line))

    def _piece(self, piece: Piece) -> str:
        match piece:
            case Code(text):
                return _code(text)
            case Link(text, anchor) if anchor in self._anchors:
                return f"[{_escaped(text)}](#{anchor})"
            case Link(text, _):
                return _code(text)
            case Strong(text):
                return f"**{_escaped(text)}**"
            case Break():
                return "<br>"
            case Aside(line):
                return self._line(line)
            case str():
                return _escaped(piece)


def _label(text: str) -> Iterator[str]:
    if text:
        yield f"**{_escaped(text)}**"


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _code(text: str) -> str:
    """Return a text as code, between as many backticks as it needs."""
    ticks = "`"
    while ticks in text:
        ticks += "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def _escaped(text: str) -> str:
    """Return a text with Markdown's special characters escaped."""
    for mark in "\\`*_[]<>":
        text = text.replace(mark, f"\\{mark}")
    return text
