"""A page as HTML: one file that is whole, needs nothing else, and keeps every text as it is."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sortkey import Design
from sortkey.document.html import page_html
from sortkey.document.page import Code, DocumentPage, Grid, Paragraph, RowGroup, Section

VOID = {"meta", "br", "input", "link"}


class Reading(HTMLParser):
    """The elements of a page, as a browser parses them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in {"style", "script"}:
            self.words.append(data)


@pytest.fixture
def text(page: DocumentPage) -> str:
    return page_html(page)


def test_every_element_is_closed(text: str) -> None:
    assert Reading(text).open == []


def test_every_link_leads_to_something_on_the_page(text: str) -> None:
    found = Reading(text)

    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert all(link.startswith("#") for link in found.links)
    assert len(found.ids) == len(set(found.ids))


def test_the_page_needs_nothing_else(text: str) -> None:
    assert not re.search(r"\bsrc=|@import|url\(|https?://|<link\b", text)


def test_it_says_all_that_the_markdown_page_says_in_its_tables(design: Design, text: str) -> None:
    said = "".join(Reading(text).words)

    assert all(pattern.name in said and pattern.title in said for pattern in design.patterns)
    assert all(kind.name in said for kind in design.kinds)


def test_a_cell_that_is_continued_spans_its_rows() -> None:
    group = RowGroup(((("one",), ("a",)), (None, ("b",)), (None, ("c",))), "group")
    text = page_html(
        DocumentPage("App", "C", (), (), (Section("S", (Grid(("A", "B"), (group,)),)),))
    )

    assert '<td class="first" rowspan="3">one</td><td data-label="B">a</td>' in text
    assert '<tr><td data-label="B">c</td></tr>' in text


@given(st.text(st.sampled_from("<>&;/!-#'\"abplt é"), min_size=1))
@example("<b>")
@example("&lt;")
@example("</p><script>")
def test_every_text_is_read_as_it_was_written(text: str) -> None:
    page = DocumentPage(text, text, (), (Paragraph((text, Code(text))),), ())

    assert text * 2 in "".join(Reading(page_html(page)).words)
