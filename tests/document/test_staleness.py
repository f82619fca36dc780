"""What is told of a page that is not what would be made now."""

from hypothesis import given
from hypothesis import strategies as st

from sortkey.document.staleness import difference


@given(st.text(), st.text())
def test_something_is_told_exactly_where_pages_differ(committed: str, made: str) -> None:
    assert bool(difference(committed, made)) == (committed != made)


def test_lines_that_differ_are_told_with_their_neighbours() -> None:
    told = difference("one\ntwo\nthree\nfour\n", "one\ntwo\n3\nfour\n")

    assert told.splitlines()[3:] == [" two", "-three", "+3", " four"]


def test_a_page_that_is_quite_another_is_told_in_part() -> None:
    told = difference("", "\n".join(map(str, range(1000))))

    assert told.endswith("more lines")
    assert len(told.splitlines()) < 50


def test_a_long_line_is_cut() -> None:
    assert max(map(len, difference("a" * 5000, "b" * 5000).splitlines())) < 120
