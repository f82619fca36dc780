"""Queries return what was asked for, or refuse to guess."""

from collections.abc import Iterator
from typing import Any

import pytest

from sortkey import DB, Entity, Refused, Table, gsi
from sortkey.operations.query import Query


class Shelf(Table):
    by_author = gsi("GSI1PK", "GSI1SK")


class Book(Entity, table=Shelf):
    isbn: str
    title: str
    author: str = "A"
    copies: int = 1

    primary = Shelf.primary.key("BOOK#{isbn}", "BOOK")
    by_author = Shelf.by_author.key("AUTHOR#{author}", "{title}")


@pytest.fixture
def db() -> Iterator[DB]:
    with DB.memory(Shelf) as opened:
        for number in range(5):
            opened(Book(isbn=f"{number}", title=f"T{number}").put())
        yield opened


def books() -> Query[Book]:
    return Book.query(Book.by_author, author="A")


@pytest.mark.parametrize("field", ["copies", "author", "isbn"])
def test_a_range_over_what_the_key_is_not_sorted_by_is_refused(field: str) -> None:
    with pytest.raises(Refused, match=f"not sorted by {field} but by title"):
        books().ge(**{field: "1"})


@pytest.mark.parametrize("bounds", ["T1", ("T1",), ("T1", "T2", "T3"), 1])
def test_a_range_without_two_ends_is_refused(bounds: Any) -> None:
    with pytest.raises(Refused, match=r"between\(title=\(low, high\)\)"):
        books().between(title=bounds)


@pytest.mark.parametrize("bounds", [("T1", "T2"), ["T1", "T2"]])
def test_a_range_includes_both_ends(db: DB, bounds: Any) -> None:
    assert [book.title for book in db(books().between(title=bounds))] == ["T1", "T2"]


def test_a_limit_is_refused_where_it_would_not_be_kept(db: DB) -> None:
    two = books().limit(2)

    with pytest.raises(Refused, match=r"leave out limit\(2\)"):
        two.page(3)
    with pytest.raises(Refused, match=r"leave out limit\(2\)"):
        two.count()
    with pytest.raises(Refused, match=r"leave out limit\(2\)"):
        list(db.each(two))


def test_a_limit_ends_the_list(db: DB) -> None:
    assert len(db(books().limit(2))) == 2
