"""A page as one self-contained HTML file: no network, no fonts, no library."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from sortkey.document.markup import listing, whole_page
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
    RowGroup,
    Section,
    Strong,
)

_FOLDER = Path(__file__).parent
_DEEPEST = 6


def page_html(page: DocumentPage) -> str:
    """Return the whole page, with its style and its search inside."""
    title = f"{page.name}: {page.title.lower()}"
    return whole_page(title, _FOLDER / "page.css", _PageWriter(page).lines())


class _PageWriter:
    """Writes a page line by line."""

    def __init__(self, page: DocumentPage) -> None:
        self._page = page
        groups = (
            group.anchor
            for section in page.sections
            for each in section.walk()
            for block in each.blocks
            if isinstance(block, Grid)
            for group in block.groups
        )
        self._anchors = page.anchors | set(groups)

    def lines(self) -> Iterator[str]:
        yield from self._navigation()
        yield "<main>"
        yield from self._header()
        for section in self._page.sections:
            yield from self._section(section, 2)
        yield '<p class="nothing" hidden>Nothing on this page contains all of these words.</p>'
        yield "<footer>Generated from the design by <code>sortkey docs</code>.</footer>"
        script = (_FOLDER / "page.js").read_text(encoding="utf-8")
        yield f"</main>\n<script>\n{script}</script>"

    def _navigation(self) -> Iterator[str]:
        yield '<nav aria-label="Contents">'
        yield f'<a class="home" href="#top">{escape(self._page.name)}</a>'
        yield (
            '<label class="search"><span>Search</span>'
            '<input type="search" placeholder="Search   /" autocomplete="off" spellcheck="false">'
            '<output aria-live="polite"></output></label>'
        )
        yield '<details class="contents" open><summary>Contents</summary>'
        yield from self._contents(self._page.sections)
        yield "</details>\n</nav>"

    def _contents(self, sections: Iterable[Section]) -> Iterator[str]:
        yield "<ul>"
        for section in sections:
            yield f'<li><a href="#{section.anchor}">{escape(section.title)}</a>'
            if section.sections:
                yield from self._contents(section.sections)
            yield "</li>"
        yield "</ul>"

    def _header(self) -> Iterator[str]:
        page = self._page
        yield '<header id="top">'
        yield f'<p class="kind">{escape(page.title)}</p>\n<h1>{escape(page.name)}</h1>'
        yield '<ul class="counts">'
        yield from (f"<li><b>{number}</b> {escape(noun)}</li>" for number, noun in page.counts)
        yield "</ul>"
        yield from self._blocks(page.introduction)
        yield "</header>"

    def _section(self, section: Section, level: int) -> Iterator[str]:
        heading = f"h{min(level, _DEEPEST)}"
        kind = f' class="{section.about}"' if section.about else ""
        badges = "".join(f'<span class="badge">{escape(b)}</span>' for b in section.badges)
        link = f'<a class="here" href="#{section.anchor}" aria-label="Link to this">#</a>'
        yield f'<section id="{section.anchor}"{kind}>'
        yield f"<{heading}>{escape(section.title)}{badges}{link}</{heading}>"
        yield from self._blocks(section.blocks)
        for below in section.sections:
            yield from self._section(below, level + 1)
        yield "</section>"

    def _blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in blocks:
            yield from self._block(block)

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph(line):
                yield f"<p>{self._line(line)}</p>"
            case Listing(text):
                yield listing(text)
            case Diagram(title, svg, _):
                yield f'<figure aria-label="{escape(title)}">\n{svg}\n</figure>'
            case Bullets(lines, label):
                yield from _label(label)
                items = "\n".join(f"<li>{self._line(line)}</li>" for line in lines)
                yield f"<ul>\n{items}\n</ul>"
            case Facts(rows):
                yield '<dl class="facts">'
                for name, line in rows:
                    yield f"<div><dt>{escape(name)}</dt><dd>{self._line(line)}</dd></div>"
                yield "</dl>"
            case Grid():
                yield from self._grid(block.shown)

    def _grid(self, grid: Grid) -> Iterator[str]:
        yield from _label(grid.label)
        heads = "".join(map(_head, grid.columns))
        yield f'<div class="grid"><table>\n<thead><tr>{heads}</tr></thead>'
        if any(group.anchor for group in grid.groups):
            for group in grid.groups:
                yield f'<tbody id="{group.anchor}">'
                yield from self._rows(group, grid.columns)
                yield "</tbody>"
        else:
            yield "<tbody>"
            for group in grid.groups:
                yield from self._rows(group, grid.columns)
            yield "</tbody>"
        yield "</table></div>"

    def _rows(self, group: RowGroup, columns: tuple[str, ...]) -> Iterator[str]:
        for number, row in enumerate(group.rows):
            cells = [
                self._cell(line, columns[place], _span(group, number, place), is_first=place == 0)
                for place, line in enumerate(row)
                if line is not None
            ]
            yield f"<tr>{''.join(cells)}</tr>"

    def _cell(self, line: Line, column: str, span: int, *, is_first: bool) -> str:
        kind = ' class="first"' if is_first else f' data-label="{escape(column)}"'
        spans = f' rowspan="{span}"' if span > 1 else ""
        return f"<td{kind}{spans}>{self._line(line)}</td>"

    def _line(self, line: Line) -> str:
        return "".join(map(self._piece, line))

    def _piece(self, piece: Piece) -> str:
        match piece:
            case Code(text):
                return f"<code>{escape(text)}</code>"
            case Link(text, anchor) if anchor in self._anchors:
                return f'<a href="#{anchor}">{escape(text)}</a>'
            case Link(text, _):
                return f"<code>{escape(text)}</code>"
            case Strong(text):
                return f"<strong>{escape(text)}</strong>"
            case Break():
                return "<br>"
            case Aside(line):
                return f"<small>{self._line(line)}</small>"
            case str():
                return escape(piece)


def _head(column: str) -> str:
    return f'<th data-column="{escape(column)}">{escape(column)}</th>'


def _label(text: str) -> Iterator[str]:
    if text:
        yield f'<p class="label">{escape(text)}</p>'


def _span(group: RowGroup, number: int, place: int) -> int:
    """Return the number of rows that a cell spans: its own, and those that continue it."""
    span = 1
    for row in group.rows[number + 1 :]:
        if row[place] is not None:
            break
        span += 1
    return span
