"""The difference between a stale page and the current one."""

from hypothesis import given
from hypothesis import strategies as st

from sortkey.document.staleness import difference


@given(st.text(), st.text())
def test_a_difference_is_reported_exactly_if_pages_differ(committed: str, made: str) -> None:
    assert bool(difference(committed, made)) == (committed != made)


def test_lines_that_differ_are_shown_with_their_neighbours() -> None:
    shown = difference("one\ntwo\nthree\nfour\n", "one\ntwo\n3\nfour\n")

    assert shown.splitlines()[3:] == [" two", "-three", "+3", " four"]


def test_a_long_difference_is_shown_in_part() -> None:
    shown = difference("", "\n".join(map(str, range(1000))))

    assert shown.endswith("more lines")
    assert len(shown.splitlines()) < 50


def test_a_long_line_is_cut() -> None:
    assert max(map(len, difference("a" * 5000, "b" * 5000).splitlines())) < 120
