"""A cursor continues the query that it was made for, and no other."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.access.design import App, Order, Ticket

from sortkey import DB, BadCursor, Entity, Op, Page, Table, gsi, merged, pattern

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


@pattern("AP1: the orders of a status")
def orders_by_status(status: str, cursor: str | None = None, size: int = 3) -> Op[Page[Order]]:
    return Order.query(Order.by_status, status=status).page(size, cursor)


@pattern("AP2: the same question under another name")
def orders_of_status(status: str, cursor: str | None = None) -> Op[Page[Order]]:
    return Order.query(Order.by_status, status=status).page(3, cursor)


@pattern("AP3: the tickets of a queue")
def tickets_of_queue(queue: str, cursor: str | None = None) -> Op[Page[Ticket]]:
    return Ticket.query(Ticket.by_queue, queue=queue).page(3, cursor)


class Shown(BaseModel):
    order_id: int


def order(number: int, **fields: object) -> Order:
    placed = NOON + timedelta(minutes=number)
    whole = {"org_id": "o", "order_id": number, "placed": placed} | fields
    return Order.model_validate(whole)


def numbers(page: Page[Order]) -> list[int]:
    return [one.order_id for one in page]


def readable(cursor: str) -> list[Any]:
    return json.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))


def written(content: object) -> str:
    text = json.dumps(content, separators=(",", ":")).encode()
    return urlsafe_b64encode(text).decode().rstrip("=")


def some_cursor(db: DB) -> str:
    cursor = db(orders_by_status("open")).cursor
    assert cursor
    return cursor


@pytest.fixture
def stored(db: DB) -> DB:
    """Eight open orders and four closed ones."""
    closed = [order(n, status="closed") for n in range(8, 12)]
    db.write_many([one.put() for one in ([order(n) for n in range(8)] + closed)])
    return db


def test_it_goes_on_after_the_last_record(stored: DB) -> None:
    first = stored(orders_by_status("open"))
    second = stored(orders_by_status("open", first.cursor))
    third = stored(orders_by_status("open", second.cursor))

    assert [numbers(page) for page in (first, second, third)] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert third.cursor is None


def test_the_next_page_may_have_another_size(stored: DB) -> None:
    assert numbers(stored(orders_by_status("open", some_cursor(stored), size=4))) == [3, 4, 5, 6]


def test_the_same_cursor_gives_the_same_page_again(stored: DB) -> None:
    cursor = some_cursor(stored)
    assert stored(orders_by_status("open", cursor)) == stored(orders_by_status("open", cursor))


def test_it_survives_the_deletion_of_what_it_points_at(stored: DB) -> None:
    first = stored(orders_by_status("open"))
    for one in first:
        stored(one.delete())

    assert numbers(stored(orders_by_status("open", first.cursor))) == [3, 4, 5]


def test_it_survives_that_what_it_points_at_moves_away(stored: DB) -> None:
    first = stored(orders_by_status("open"))
    stored(first.items[-1].update().set(lambda o: o.status).to("closed"))

    assert numbers(stored(orders_by_status("open", first.cursor))) == [3, 4, 5]


def test_of_what_is_written_meanwhile_only_what_comes_after_it_is_seen(stored: DB) -> None:
    cursor = some_cursor(stored)
    stored(order(100, placed=NOON).create())
    stored(order(101, placed=NOON + timedelta(minutes=3, seconds=30)).create())

    assert numbers(stored(orders_by_status("open", cursor))) == [3, 101, 4]


def test_it_survives_the_deletion_in_a_scan(stored: DB) -> None:
    whole = stored(Order.scan())
    first = stored(Order.scan().page(5))
    for one in first:
        stored(one.delete())

    rest = stored(Order.scan().page(50, first.cursor))
    assert (first.items + rest.items, rest.cursor) == (whole, None)


def test_another_pattern_refuses_it(stored: DB) -> None:
    cursor = some_cursor(stored)
    with pytest.raises(BadCursor, match="another pattern or other arguments"):
        stored(tickets_of_queue("red", cursor))
    with pytest.raises(BadCursor, match="another pattern"):
        stored(orders_of_status("open", cursor))
    with pytest.raises(BadCursor, match="another pattern"):
        stored(Order.query(Order.by_status, status="open").page(3, cursor))


def test_other_arguments_refuse_it(stored: DB) -> None:
    with pytest.raises(BadCursor, match="other arguments"):
        stored(orders_by_status("closed", some_cursor(stored)))


def test_every_other_query_refuses_it(stored: DB) -> None:
    query = Order.query(Order.by_status, status="open")
    cursor = stored(query.page(3)).cursor
    others = [
        query.reverse(),
        query.ge(placed=NOON),
        query.where(lambda o: o.total > 0),
        query.select(Shown),
        Order.query(org_id="o"),
        Order.scan(),
        Ticket.scan(),
        merged(query, Order.query(Order.by_status, status="closed"), by=lambda o: o.placed),
    ]
    for other in others:
        with pytest.raises(BadCursor, match="other arguments"):
            stored(other.page(3, cursor))
    assert numbers(stored(query.page(3, cursor))) == [3, 4, 5]


def test_other_values_in_a_filter_or_a_range_refuse_it(stored: DB) -> None:
    query = Order.query(Order.by_status, status="open")
    pairs = [
        (query.where(lambda o: o.total >= 0), query.where(lambda o: o.total >= -1)),
        (query.ge(placed=NOON), query.ge(placed=NOON + timedelta(minutes=1))),
        (query.ge(placed=NOON), query.gt(placed=NOON)),
    ]
    for one, other in pairs:
        cursor = stored(one.page(2)).cursor
        assert cursor
        with pytest.raises(BadCursor, match="other arguments"):
            stored(other.page(2, cursor))


def test_another_merge_refuses_it(stored: DB) -> None:
    queries = [Order.query(Order.by_status, status=status) for status in ("open", "closed", "new")]
    cursor = stored(merged(*queries[:2], by=lambda o: o.placed).page(2)).cursor
    assert cursor
    for others in (queries[1:], queries[:1], queries, queries[1::-1]):
        with pytest.raises(BadCursor, match="other arguments"):
            stored(merged(*others, by=lambda o: o.placed).page(2, cursor))


def test_another_environment_refuses_it(stored: DB, opened: Callable[..., DB]) -> None:
    with pytest.raises(BadCursor, match="other arguments"):
        opened(App)(orders_by_status("open", some_cursor(stored)))


class Diary(Table, name="{environment}-Diary"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Entry(Entity, table=Diary):
    entry_id: int
    at: datetime

    primary = Diary.primary.key("ENTRY#{entry_id:04d}", "ENTRY")
    by_day = Diary.gsi1.key("ENTRIES", "{at:%Y-%m-%d}")


def test_a_bound_that_is_finer_than_the_key_counts_too(opened: Callable[..., DB]) -> None:
    db = opened(Diary)
    entries = [Entry(entry_id=n, at=NOON + timedelta(hours=n)) for n in range(8)]
    db.write_many([entry.put() for entry in entries])
    first = Entry.query(Entry.by_day).ge(at=NOON + timedelta(hours=1))
    other = Entry.query(Entry.by_day).ge(at=NOON + timedelta(hours=2))
    cursor = db(first.page(2)).cursor

    assert len(db(first.page(9, cursor))) == 5
    with pytest.raises(BadCursor, match="other arguments"):
        db(other.page(9, cursor))

    one, another = (merged(query, by=lambda e: e.at.date()) for query in (first, other))
    cursor = db(one.page(2)).cursor
    with pytest.raises(BadCursor, match="other arguments"):
        db(another.page(9, cursor))


def test_it_says_its_version_and_where_it_stands(stored: DB) -> None:
    version, _, position, _ = readable(some_cursor(stored))

    assert version == 1
    assert position == {
        "PK": {"S": "ORG#o"},
        "SK": {"S": "ORDER#000002"},
        "GSI1PK": {"S": "STATUS#open"},
        "GSI1SK": {"S": "2024-05-06T12:02:00.000000Z#000002"},
    }


def test_another_version_is_refused(stored: DB) -> None:
    content = readable(some_cursor(stored))
    with pytest.raises(BadCursor, match="format 2, and this sortkey reads format 1"):
        stored(orders_by_status("open", written([2, *content[1:]])))


def test_a_position_that_was_changed_is_refused(stored: DB) -> None:
    version, query, position, checksum = readable(some_cursor(stored))
    moved = position | {"SK": {"S": "ORDER#000006"}}
    for fields in ([query, moved, checksum], [query, moved], [query], [], [query, None, checksum]):
        with pytest.raises(BadCursor, match="was modified"):
            stored(orders_by_status("open", written([version, *fields])))


@pytest.mark.parametrize("secret", [None, "s3cret"])
def test_no_character_of_it_can_be_changed(secret: str | None) -> None:
    with DB.memory(App, cursor_secret=secret) as db:
        db.write_many([order(n).put() for n in range(8)])
        cursor = some_cursor(db)
        for place, character in enumerate(cursor):
            other = "A" if character != "A" else "B"
            changed = [
                cursor[:place] + other + cursor[place + 1 :],
                cursor[:place] + cursor[place + 1 :],
                cursor[:place] + "." + cursor[place:],
                cursor[:place],
            ]
            for text in changed:
                with pytest.raises(BadCursor):
                    db(orders_by_status("open", text))


@given(st.text() | st.binary().map(lambda some: urlsafe_b64encode(some).decode()))
def test_no_other_text_is_a_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        next(orders_by_status("open", text)._steps())


@pytest.mark.parametrize(
    "content", [None, 1, "text", {}, [], [1], [1, "q"], [1, "q", {}], [1, "q", {}, "c"], [[1]]]
)
def test_no_other_content_is_a_cursor(content: object) -> None:
    with DB.memory(App) as db, pytest.raises(BadCursor):
        db(orders_by_status("open", written(content)))


def test_json_that_is_too_deep_is_not_a_cursor() -> None:
    deep = urlsafe_b64encode(b"[" * 1_000_000).decode()
    with DB.memory(App) as db, pytest.raises(BadCursor):
        db(orders_by_status("open", deep))


def test_with_a_secret_it_shows_nothing(opened: Callable[..., DB]) -> None:
    db = opened(App, cursor_secret="s3cret")
    db.write_many([order(n).put() for n in range(8)])
    one, other = some_cursor(db), some_cursor(db)

    sealed = urlsafe_b64decode(one + "=" * (-len(one) % 4))
    assert b"ORDER" not in sealed
    assert b"open" not in sealed
    assert one != other
    for cursor in (one, other):
        assert numbers(db(orders_by_status("open", cursor))) == [3, 4, 5]


def test_under_a_secret_the_other_refusals_hold(opened: Callable[..., DB]) -> None:
    db = opened(App, cursor_secret="s3cret")
    db.write_many([order(n).put() for n in range(8)])
    with pytest.raises(BadCursor, match="other arguments"):
        db(orders_by_status("closed", some_cursor(db)))


def test_a_cursor_under_another_secret_or_under_none_is_refused(
    opened: Callable[..., DB], place: str
) -> None:
    secrets = [None, "one", "another"]
    dbs = [opened(App, environment=f"secrets-{place}", cursor_secret=secret) for secret in secrets]
    cursors: list[str] = []
    for db in dbs:
        db.write_many([order(n).put() for n in range(8)])
        cursors.append(some_cursor(db))
    for own, db in enumerate(dbs):
        for made_by, cursor in enumerate(cursors):
            if made_by == own:
                assert numbers(db(orders_by_status("open", cursor))) == [3, 4, 5]
            else:
                with pytest.raises(BadCursor):
                    db(orders_by_status("open", cursor))
