"""A lending library: books, members, loans and holds in one table."""

from datetime import date
from typing import Annotated

from sortkey import TTL, Collection, Entity, Op, Page, Table, Version, gsi, pattern, unique


class Library(Table, ttl="expires"):
    """Everything the library knows."""

    gsi1 = gsi("GSI1PK", "GSI1SK")


class Book(Entity, table=Library):
    isbn: str
    title: str
    author: str
    copies: int = 1

    primary = Library.primary.key("BOOK#{isbn}", "BOOK")
    by_author = Library.gsi1.key("AUTHOR#{author}", "{title}")


class Member(Entity, table=Library):
    member_id: str
    name: str
    email: Annotated[str, unique]
    loans: int = 0
    rev: Version = 0

    primary = Library.primary.key("MEMBER#{member_id}", "MEMBER")


class Loan(Entity, table=Library):
    member_id: str
    isbn: str
    branch: str
    due: date

    primary = Library.primary.key("MEMBER#{member_id}", "LOAN#{isbn}")
    by_due = Library.gsi1.key("DUE#{branch}", "{due}#{isbn}#{member_id}")


class Hold(Entity, table=Library):
    isbn: str
    member_id: str
    expires: TTL

    primary = Library.primary.key("BOOK#{isbn}", "HOLD#{member_id}")


class Account(Collection):
    """A member, and what they have borrowed."""

    member: Member | None
    loans: list[Loan]


@pattern("A member with their loans", rate="20/s")
def account(member_id: str) -> Op[Account]:
    return Account.load(member_id=member_id)


@pattern("Books of an author, by title", rate="5/s", page=20)
def books_by(author: str, after: str | None = None) -> Op[Page[Book]]:
    return Book.query(Book.by_author, author=author).page(20, after)


@pattern("Loans of a branch that are due by a day", rate="1/min", page=50)
def due_by(branch: str, day: date, after: str | None = None) -> Op[Page[Loan]]:
    return Loan.query(Loan.by_due, branch=branch).le(due=day).page(50, after)
