"""Whatever a cursor contains, it is refused, or it continues the caller's own query."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from decimal import Decimal
from math import inf, nan
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.access.forging import content_of, forged
from tests.access.test_pages import WALKS, Call, Calls, call, crowd

from sortkey import (
    DB,
    BadCursor,
    Entity,
    Op,
    Table,
    ValidationException,
    binary,
    gsi,
    lsi,
    merged,
    number,
    raw_pattern,
)
from sortkey.design.raw.operation import RawOperation
from sortkey.operations.conversation import Conversation
from sortkey.operations.cursor import continued
from sortkey.wire.messages import Request


class Meters(Table, partition=number("meter"), sort=binary("slot")):
    by_level = lsi(number("level"))
    by_site = gsi(("site", "building"), (number("floor"), "room"))


class Measurement(Entity, table=Meters):
    meter: Decimal
    slot: bytes
    level: int
    site: str = "s"
    building: str = "b"
    floor: int = 1
    room: str = "r"

    primary = Meters.primary.key()
    by_level = Meters.by_level.key()
    by_site = Meters.by_site.key()


raw_query = raw_pattern(
    "calls of a team",
    operation="Query",
    table=Calls,
    arguments={"team": str},
    key_condition="PK = :pk AND begins_with(SK, :sk)",
    values={":pk": "TEAM#{team}", ":sk": "CALL#"},
    limit=3,
    page=3,
)
raw_index = raw_pattern(
    "calls of a caller",
    operation="Query",
    table=Calls,
    index=Calls.gsi1,
    arguments={"caller": str},
    key_condition="GSI1PK = :pk AND GSI1SK BETWEEN :low AND :high",
    values={":pk": "CALLER#{caller}", ":low": "0001", ":high": "0008"},
    limit=3,
    page=3,
)
raw_scan = raw_pattern("all calls", operation="Scan", table=Calls, limit=3, page=3)


def raw(operation: Op[Any], after: str | None) -> RawOperation:
    return cast("RawOperation", operation).after(after)


def merged_by_text(after: str | None) -> Op[Any]:
    queries = (
        Call.query(Call.by_caller, caller="ann"),
        Call.query(Call.by_callee, callee="ann"),
    )
    return merged(*queries, by=lambda one: (f"{one.at:04d}",)).page(3, after)


Paged: TypeAlias = Callable[[str | None], Op[Any]]
PAGES: dict[str, Paged] = {
    **{name: lambda after, walk=walk: walk().page(3, after) for name, walk in WALKS.items()},
    "numbers and bytes": lambda after: Measurement.query(meter=1).page(3, after),
    "range of bytes": lambda after: Measurement.query(meter=1).ge(slot=b"\x02").page(3, after),
    "local index": lambda after: (
        Measurement.query(Measurement.by_level, meter=1).between(level=(2, 6)).page(3, after)
    ),
    "several attributes": lambda after: Measurement.query(
        Measurement.by_site, site="s", building="b", floor=1
    ).page(3, after),
    "merged by text": merged_by_text,
    "raw query": lambda after: raw(raw_query("t"), after),
    "raw index": lambda after: raw(raw_index("ann"), after),
    "raw scan": lambda after: raw(raw_scan(), after),
}


def filled(db: DB) -> DB:
    """Store calls and measurements, some of which belong to others."""
    crowd(db)
    db.write_many([call(n, team="other", caller="eve", callee="eve").put() for n in range(9)])
    for meter, site in ((1, "s"), (2, "other")):
        db.write_many(
            [
                Measurement(
                    meter=Decimal(meter), slot=bytes([n + 1]), level=n, site=site, room=f"r{n}"
                ).put()
                for n in range(9)
            ]
        )
    return db


@pytest.fixture(scope="module")
def memory() -> Iterator[DB]:
    with DB.memory(Calls, Meters) as db:
        yield filled(db)


def whole(db: DB, paged: Paged) -> list[Any]:
    """Return all records of a query, read page by page."""
    page = db(paged(None))
    found = page.items
    while page.cursor is not None:
        page = db(paged(page.cursor))
        found += page.items
    return found


def check_cursor(db: DB, paged: Paged, cursor: str) -> None:
    """Check that a cursor is refused, or continues this query."""
    try:
        page = db(paged(cursor))
    except BadCursor:
        return
    own = whole(db, paged)
    assert [record for record in page if record not in own] == []


# Parts of positions, and everything else that a client could write there.
PARTS: list[Any] = [
    *({"S": text} for text in ("TEAM#t", "TEAM#other", "CALL#0004", "CALLER#ann", "CALLER#eve")),
    *({"S": text} for text in ("", "0003", "x" * 1025, "x" * 2049, "\ud800", "\x00", "é")),
    *({"N": text} for text in ("1", "2", "01", "", "NaN", "1e999", "1" * 50, "x")),
    *({"B": text} for text in ("AQ==", "AQ", "", "é", "A" * 4000)),
    *({"S": None}, {"S": 1}, {"S": []}, {"S": {}}),
    *({"S": "TEAM#t", "N": value} for value in ("1", None)),
    *({"M": {}}, {"L": []}, {"NULL": True}, {"BOOL": True}, {}),
    *("end", "other", None, True, 0, 1.5, -1, 10**30, inf, nan),
    *(["decimal", text] for text in ("sNaN", "NaN", "x", "1")),
    *(["time", text] for text in ("2030-01-01", "2030-01-01T00:00:00+00:00", "x")),
    *(["date", "2030-01-01"], ["bytes", "0"], ["bytes", "00"], ["tuple", 5], ["tuple", "0003"]),
    *(["list"], ["list", "0003"], ["list", {"a": 1}], ["unknown", 1], [], [[]]),
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda some: st.lists(some, max_size=4) | st.dictionaries(st.text(), some, max_size=4),
    max_leaves=8,
)
REPLACEMENTS = st.sampled_from(PARTS) | JSON


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """Return the JSON value with one part replaced, removed or added."""
    if not isinstance(value, dict | list) or not value or draw(st.integers(0, 4)) == 0:
        return draw(REPLACEMENTS)
    copy = cast("Any", deepcopy(value))  # pyright: ignore[reportUnknownArgumentType]
    is_list = isinstance(value, list)
    name = draw(st.sampled_from(range(len(copy)) if is_list else [*copy]))
    match draw(st.sampled_from(["change", "change", "change", "remove", "add"])):
        case "remove":
            del copy[name]
        case "add" if is_list:
            copy.append(draw(REPLACEMENTS))
        case "add":
            copy[draw(st.text(max_size=3))] = draw(REPLACEMENTS)
        case _:
            copy[name] = draw(changed(copy[name]))
    return copy


@given(st.sampled_from(sorted(PAGES)), st.data())
def test_any_change_of_a_cursor_is_refused_or_harmless(
    memory: DB, name: str, data: st.DataObject
) -> None:
    paged = PAGES[name]
    _, query, position, _ = content_of(memory(paged(None)).cursor)

    check_cursor(memory, paged, forged(query, data.draw(changed(position))))


@given(st.sampled_from(sorted(PAGES)), st.text() | JSON)
def test_any_text_and_any_content_is_refused(memory: DB, name: str, given: Any) -> None:
    query = content_of(memory(PAGES[name](None)).cursor)[1]
    texts = [given] if isinstance(given, str) else []

    for cursor in (*texts, forged(query, given)):
        with pytest.raises(BadCursor):
            memory(PAGES[name](cursor))


@pytest.mark.parametrize("name", PAGES)
def test_each_part_of_a_position_can_be_anything(memory: DB, name: str) -> None:
    paged = PAGES[name]
    _, query, position, _ = content_of(memory(paged(None)).cursor)
    for part in PARTS:
        for own in position:
            check_cursor(memory, paged, forged(query, position | {own: part}))
        for lane in range(len(position.get("lanes", ()))):
            moved = deepcopy(position)
            moved["lanes"][lane] = part
            check_cursor(memory, paged, forged(query, moved))


def test_every_database_refuses_the_same(opened: Callable[..., DB]) -> None:
    db = filled(opened(Calls, Meters))
    for name in ("index", "merged", "scan", "raw query", "several attributes"):
        _, query, position, _ = content_of(db(PAGES[name](None)).cursor)
        several: list[Any] = [None, [], {}, {"PK": {"S": "x"}}, position | {"x": {"S": "y"}}]
        for wrong in several:
            with pytest.raises(BadCursor, match="was modified: start again without a cursor"):
                db(PAGES[name](forged(query, wrong)))
        assert db(PAGES[name](forged(query, position))).items


@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        ("query", "PK", {"S": "TEAM#other"}),
        ("range", "SK", {"S": "CALL#0003"}),
        ("index", "GSI1PK", {"S": "CALLER#eve"}),
        ("raw query", "PK", {"S": "TEAM#other"}),
        ("raw query", "SK", {"S": "A"}),
        ("raw index", "GSI1SK", {"S": "0009"}),
        ("local index", "level", {"N": "7"}),
        ("several attributes", "building", {"S": "other"}),
    ],
)
def test_a_position_outside_the_query_is_refused_before_a_request(
    memory: DB, name: str, attribute: str, value: Any
) -> None:
    _, query, position, _ = content_of(memory(PAGES[name](None)).cursor)
    outside = forged(query, position | {attribute: value})

    with pytest.raises(BadCursor):
        PAGES[name](outside).params()


def test_a_position_within_the_query_continues_there(memory: DB) -> None:
    _, query, position, _ = content_of(memory(PAGES["query"](None)).cursor)
    page = memory(PAGES["query"](forged(query, position | {"SK": {"S": "CALL#0009x"}})))

    assert [one.call_id for one in page] == [10, 11, 12]


def test_a_position_that_only_the_service_can_judge_is_refused_too(memory: DB) -> None:
    first, other = PAGES["segment"], PAGES["other segment"]
    query = content_of(memory(first(None)).cursor)[1]
    elsewhere = content_of(memory(other(None)).cursor)[2]

    with pytest.raises(BadCursor, match="DynamoDB rejects the position in the cursor"):
        memory(first(forged(query, elsewhere)))


def test_another_error_of_the_service_stays_what_it_is() -> None:
    def steps() -> Conversation[None]:
        yield Request("Query", {})

    running = continued(steps())
    next(running)

    with pytest.raises(ValidationException, match="The table does not have the specified index"):
        running.throw(ValidationException("The table does not have the specified index"))


def test_content_in_another_spelling_is_refused(memory: DB) -> None:
    _, query, position, _ = content_of(memory(PAGES["query"](None)).cursor)

    for spelling in ({"indent": 1}, {"separators": (", ", ":")}):
        with pytest.raises(BadCursor, match="was modified"):
            memory(PAGES["query"](forged(query, position, **spelling)))


@pytest.mark.parametrize("depth", [100, 300, 400, 600, 800])
def test_a_place_that_is_nested_deeply_is_refused(memory: DB, depth: int) -> None:
    place: list[Any] = ["list"]
    for _ in range(depth):
        place = ["list", place]
    for name in ("merged", "shards"):
        _, query, position, _ = content_of(memory(PAGES[name](None)).cursor)
        check_cursor(memory, PAGES[name], forged(query, position | {"place": place}))
