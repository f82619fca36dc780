"""A page as Markdown: tables hold together, links lead somewhere, text stays text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sortkey.document.markdown import markdown
from sortkey.document.page import (
    Break,
    Code,
    DocumentPage,
    Grid,
    Link,
    Paragraph,
    Piece,
    RowGroup,
    Section,
    Strong,
    anchor_of,
    row,
)


def page_of(*pieces: Piece) -> str:
    return markdown(DocumentPage("App", "Catalog", ((1, "table"),), (Paragraph(pieces),), ()))


def cells(line: str) -> list[str]:
    """The cells of a table's row: a bar that is escaped divides nothing."""
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_every_row_of_a_table_has_as_many_cells_as_its_head(page: DocumentPage) -> None:
    width = 0
    for line in markdown(page).splitlines():
        if not line.startswith("| "):
            width = 0
            continue
        width = width or len(cells(line))
        assert len(cells(line)) == width, line


def test_every_link_leads_to_a_heading(page: DocumentPage) -> None:
    text = markdown(page)
    headings = [anchor_of(title) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]

    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= set(headings)
    assert len(headings) == len(set(headings))


def test_pieces_are_written_as_markdown_has_them() -> None:
    line = page_of("a ", Code("b"), " ", Strong("c"), Break(), Link("d", "nowhere"))

    assert line.endswith("\na `b` **c**<br>`d`\n\n\n")


def test_code_with_backticks_stays_one_piece_of_code() -> None:
    assert "``a`b``" in page_of(Code("a`b"))
    assert "`` `a` ``" in page_of(Code("`a`"))


def test_a_bar_in_a_cell_divides_nothing() -> None:
    grid = Grid(("Type",), (row((Code("str | None"),)),))
    text = markdown(DocumentPage("App", "Catalog", (), (), (Section("One", (grid,)),)))

    assert r"| `str \| None` |" in text


def test_a_column_in_which_nothing_is_said_is_left_out() -> None:
    grid = Grid(("A", "B"), (row(("1",), ()), RowGroup(((None, ()),))))
    text = markdown(DocumentPage("App", "Catalog", (), (), (Section("One", (grid,)),)))

    assert "| A |\n| --- |\n| 1 |\n|  |\n" in text


@given(st.text(st.characters(codec="ascii", categories=["P", "S", "L"]), min_size=1))
def test_no_text_is_taken_for_markup(text: str) -> None:
    written = page_of(text).splitlines()[4]

    assert re.sub(r"\\(.)", r"\1", written) == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>]", written)
