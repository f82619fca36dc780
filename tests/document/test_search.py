"""The search of an HTML page, in a browser without a window."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.synth.tools import ROOT, needs, run

from sortkey import Design
from sortkey.document.catalog import catalog
from sortkey.document.html import page_html

BROWSER = ROOT / ".envs/document-javascript"
PROGRAM = Path(__file__).parent / "javascript/search.cjs"

pytestmark = [pytest.mark.acceptance, needs(BROWSER)]


class Reader:
    """A reader of a page: what is visible after each action."""

    def __init__(self, page: str) -> None:
        self._page = page

    def sees(self, *actions: tuple[str, str]) -> list[dict[str, Any]]:
        """Return what is visible at first, and after each action."""
        given = json.dumps({"page": self._page, "actions": actions})
        return json.loads(run("node", PROGRAM, given=given, NODE_PATH=f"{BROWSER}/node_modules"))


@pytest.fixture(scope="module")
def reader(shop: Design) -> Reader:
    return Reader(page_html(catalog(shop)))


def test_what_has_all_the_words_stays_with_the_headings_above_it(reader: Reader) -> None:
    [whole, found] = reader.sees(("type", "Status order"))

    assert {"org", "user", "order", "session"} <= set(whole["entities"])
    assert found["entities"] == ["order"]
    assert found["patterns"] == ["pattern-orders_since"]
    assert found["sections"] == ["table-app", "order", "access-patterns", "reads"]
    assert found["contents"] == found["sections"]
    assert found["found"] == "2 of 13"
    assert (whole["pictures"], found["pictures"]) == (2, 0)


def test_where_nothing_has_the_words_the_page_says_so(reader: Reader) -> None:
    [whole, found] = reader.sees(("type", "status unheard-of"))

    assert (whole["nothing"], found["nothing"]) == (False, True)
    assert found["sections"] == []
    assert found["found"] == "0 of 13"


def test_a_slash_leads_to_the_search_and_escape_ends_it(reader: Reader) -> None:
    [whole, ready, found, ended] = reader.sees(
        ("press", "/"), ("type", "login"), ("press", "Escape")
    )

    assert (whole["focused"], ready["focused"]) == (False, True)
    assert found["patterns"] == ["pattern-count_login"]
    assert ended == whole | {"focused": True}


def test_a_link_to_what_the_search_has_hidden_shows_it(reader: Reader) -> None:
    [whole, found, followed] = reader.sees(("type", "login"), ("follow", "#session"))

    assert "session" not in found["entities"]
    assert followed == whole


def test_a_link_to_what_is_shown_keeps_the_search(reader: Reader) -> None:
    [_, found, followed] = reader.sees(("type", "order"), ("follow", "#order"))

    assert followed == found
