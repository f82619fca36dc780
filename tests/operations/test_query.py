"""Queries return exactly the matching records, or refuse to guess."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from sortkey import DB, Entity, Op, Refused, Table, get_many, gsi, pattern
from sortkey.operations.query import Query


class Shelf(Table):
    by_author = gsi("GSI1PK", "GSI1SK")
    titles = gsi("GSI2PK", "GSI2SK", project=["title"])


class Book(Entity, table=Shelf):
    isbn: str
    title: str
    author: str = "A"
    copies: int = 1

    primary = Shelf.primary.key("BOOK#{isbn}", "BOOK")
    by_author = Shelf.by_author.key("AUTHOR#{author}", "{title}")
    titles = Shelf.titles.key("TITLES#{author}", "{isbn}")


class Title(BaseModel):
    title: str


class Copies(BaseModel):
    copies: int


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


@pattern("An author's books")
def by_author(author: str) -> Op[list[Book]]:
    return Book.query(Book.by_author, author=author)


def test_each_reads_the_query_of_a_pattern(db: DB) -> None:
    assert [book.isbn for book in db.each(by_author("A"))] == ["0", "1", "2", "3", "4"]


def test_each_is_for_what_is_read_in_pages(db: DB) -> None:
    with pytest.raises(Refused, match="a query or a scan, and this is a BatchGet"):
        list(db.each(get_many([Book.get(isbn="1")])))


def test_a_limit_is_refused_where_it_would_not_be_kept(db: DB) -> None:
    two = books().limit(2)

    with pytest.raises(Refused, match=r"remove limit\(2\)"):
        two.page(3)
    with pytest.raises(Refused, match=r"remove limit\(2\)"):
        two.count()
    with pytest.raises(Refused, match=r"remove limit\(2\)"):
        list(db.each(two))


def test_a_limit_ends_the_list(db: DB) -> None:
    assert len(db(books().limit(2))) == 2


def test_an_index_that_holds_parts_of_records_is_read_by_a_model_of_these_parts(db: DB) -> None:
    titles = db(Book.query(Book.titles, author="A").limit(2).select(Title))

    assert titles == [Title(title="T0"), Title(title="T1")]


def test_whole_records_are_not_read_from_an_index_that_holds_parts_of_them(db: DB) -> None:
    with pytest.raises(Refused, match="does not contain whole Book records"):
        db(Book.query(Book.titles, author="A"))


def test_a_model_is_not_read_from_an_index_that_lacks_its_fields() -> None:
    with pytest.raises(Refused, match="does not project copies"):
        Book.query(Book.titles, author="A").select(Copies)


def test_a_query_has_at_most_one_range_over_one_field() -> None:
    ranged = Book.query(Book.by_author, author="A")

    for fields in ({}, {"title": "a", "author": "b"}):
        with pytest.raises(
            Refused, match=r"ge\(\) needs exactly one field of the key: ge\(field=…\)"
        ):
            ranged.ge(**fields)
    with pytest.raises(Refused, match=r"query of Book\.by_author has two ranges, ge and lt"):
        ranged.ge(title="a").lt(title="b")
    with pytest.raises(Refused, match=r"as in between\(title=\(low, high\)\), not 'a'"):
        ranged.between(title="a")  # pyright: ignore[reportArgumentType]
