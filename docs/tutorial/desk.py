"""The desk of the library: a book is borrowed, wherever the data is."""

import sys
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta

from library import Book, Library, Loan, Member, account

from sortkey import DB, AlreadyExists, TransactionFailed


def stock(db: DB) -> None:
    """Create a book and a member, unless they exist already."""
    with suppress(AlreadyExists):
        db(Book(isbn="1", title="Dune", author="Frank Herbert", copies=2).create())
    with suppress(AlreadyExists):
        db(Member(member_id="ada", name="Ada", email="ada@example.org").create())


def borrow(db: DB, member_id: str, isbn: str, due: date) -> None:
    """Lend a copy, if there is one left and the member does not have it already."""
    db.transact(
        Loan(member_id=member_id, isbn=isbn, branch="north", due=due).create(),
        Book.update(isbn=isbn).add(copies=-1).where(lambda b: b.copies > 0),
        Member.update(member_id=member_id).add(loans=1),
    )


def main() -> int:
    with DB.connect(Library) as db:
        db.create_tables()
        stock(db)
        try:
            borrow(db, "ada", "1", datetime.now(UTC).date() + timedelta(weeks=3))
        except TransactionFailed as error:
            print(error)
            return 1
        desk = db(account("ada"))
        print(f"{desk.member.name if desk.member else '?'} has {len(desk.loans)} book(s)")
        return 0


if __name__ == "__main__":
    sys.exit(main())
