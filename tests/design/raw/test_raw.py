"""A request as text is read into the plan that a typed operation has, and can be run."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from tests.design.legacy import KEY, Legacy, get, put, query, raw, raw_pattern, save, update
from tests.operations.conversation import play

from sortkey import DB, BadCursor, DesignError, Page, RawRequest, Refused
from sortkey import raw_pattern as declared
from sortkey.design.declaring.pattern import Pattern
from sortkey.expressions.tree import Add, And, BeginsWith, Compare, Path, Set, Value
from sortkey.operations.origin import FieldValue, Filled
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    TransactionCanceledException,
    ValidationException,
)


@pytest.fixture
def db() -> Iterator[DB]:
    with DB.memory(Legacy) as opened:
        yield opened


# Shape


def test_it_is_a_pattern_like_any_other() -> None:
    sessions = declared(
        "AP7: sessions of a user",
        table=Legacy,
        operation="Query",
        key_condition="PK = :pk AND begins_with(SK, :sk)",
        values={":pk": "USER#{user_id}", ":sk": "SESSION#"},
        arguments={"user_id": str},
        rate="10/s",
        limit=20,
        page=20,
        where=lambda session, user_id: session["userId"] == user_id,
        returns=list[dict[str, Any]],
        doc="What a user trained.",
    )

    assert isinstance(sessions, Pattern)
    assert sessions.name == "ap7_sessions_of_a_user"
    assert sessions.title == "AP7: sessions of a user"
    assert (str(sessions.rate), sessions.page, sessions.doc) == ("10/s", 20, "What a user trained.")
    assert sessions.where
    assert [(p.name, p.type, p.required) for p in sessions.parameters] == [("user_id", str, True)]
    assert sessions.returns == list[dict[str, Any]]
    assert sessions.findings == ()


def test_its_plan_holds_trees_with_the_templates_that_made_their_values() -> None:
    asked = query(
        key_condition="PK = :pk AND begins_with(SK, :sk)",
        filter="#s = :s",
        names={"#s": "status"},
        values={":sk": "SESSION#", ":s": 7},
        index=None,
        scan_forward=False,
        consistent=True,
    )

    [step] = asked("u1", 1)._plan().steps

    assert step.verb == "Query"
    assert step.table is Legacy.definition
    assert step.key_condition == And(
        (
            Compare("=", Path(("PK",)), Value({"S": "USER#u1"})),
            BeginsWith(Path(("SK",)), Value({"S": "SESSION#"})),
        )
    )
    assert origins(step.key_condition) == [
        Filled("USER#{user}", {"user": "u1"}),
        Filled("SESSION#", {}),
    ]
    assert step.filter == Compare("=", Path(("status",)), Value({"N": "7"}))
    assert origins(step.filter) == [FieldValue(7)]
    assert not step.forward
    assert step.consistent


def origins(condition: Any) -> list[object]:
    match condition:
        case And(parts):
            return [origin for part in parts for origin in origins(part)]
        case Compare(_, _, Value() as value) | BeginsWith(_, Value() as value):
            return [value.origin]
        case _:
            raise NotImplementedError


def test_an_update_is_read_into_its_actions() -> None:
    asked = update("SET title = :t ADD hits :n", values={":t": "x", ":n": "{count}"})

    [step] = asked("u1", 1)._plan().steps

    assert step.update
    assert step.update.actions == (
        Set(Path(("title",)), Value({"S": "x"})),
        Add(Path(("hits",)), Value({"N": "1"})),
    )


def test_the_request_is_rendered_from_the_plan() -> None:
    asked = raw(query(filter="title = :t", values={":t": "x"}, limit=5)("u1", 1))

    assert asked.params() == asked._plan().steps[0].body("dev")
    assert asked.params()["KeyConditionExpression"] == "#n0 = :v0"


class Color(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("kind", "value", "alone", "within"),
    [
        (str, "a#b", {"S": "a#b"}, "X#a#b"),
        (int, 7, {"N": "7"}, "X#7"),
        (Decimal, Decimal("1.50"), {"N": "1.5"}, "X#1.50"),
        (bool, True, {"BOOL": True}, "X#true"),
        (Color, Color.RED, {"S": "red"}, "X#red"),
        (UUID, UUID(int=1), {"S": str(UUID(int=1))}, f"X#{UUID(int=1)}"),
        (Literal["a", "b"], "b", {"S": "b"}, "X#b"),
        (
            datetime,
            datetime(2024, 1, 2, tzinfo=UTC),
            {"S": "2024-01-02T00:00:00+00:00"},
            "X#2024-01-02T00:00:00+00:00",
        ),
        (set[int], {1}, {"NS": ["1"]}, "X#{1}"),
        (list[str], ["a"], {"L": [{"S": "a"}]}, "X#['a']"),
    ],
)
def test_an_argument_alone_keeps_its_type_and_within_a_text_is_written_plainly(
    kind: Any, value: Any, alone: Any, within: str
) -> None:
    item = {"PK": "A", "SK": "A", "alone": "{x}", "within": "X#{x}", "deep": {"in": ["{x}"]}}
    asked = put(item=item, arguments={"x": kind})

    assert asked.findings == ()
    stored = asked(x=value).params()["Item"]
    assert stored["alone"] == alone
    assert stored["within"] == {"S": within}
    assert stored["deep"] == {"M": {"in": {"L": [alone]}}}


def test_a_format_is_pythons_own() -> None:
    asked = put(
        item={"PK": "N#{n:05d}", "SK": "{{{at:%Y-%m}}}"}, arguments={"n": int, "at": datetime}
    )

    stored = asked(n=42, at=datetime(2024, 3, 9, tzinfo=UTC)).params()["Item"]

    assert stored == {"PK": {"S": "N#00042"}, "SK": {"S": "{2024-03}"}}


def test_arguments_are_bound_as_a_functions_are() -> None:
    assert get()("u1", count=2).params() == get()(user="u1", count=3).params()
    with pytest.raises(TypeError, match="missing a required argument: 'count'"):
        get()("u1")
    with pytest.raises(TypeError, match="unexpected keyword argument 'usr'"):
        get()(user="u1", count=1, usr="u1")


# Behaviour


def test_items_come_back_as_plain_values(db: DB) -> None:
    save(db, {"PK": "USER#u1", "SK": "A", "n": 1, "d": Decimal("1.5"), "m": {"l": [True, None]}})

    assert db(get()("u1", 1)) == {
        "PK": "USER#u1",
        "SK": "A",
        "n": 1,
        "d": Decimal("1.5"),
        "m": {"l": [True, None]},
    }
    assert db(get()("u2", 1)) is None
    assert db(get(projection="n, #m.l[0]", names={"#m": "m"})("u1", 1)) == {
        "n": 1,
        "m": {"l": [True]},
    }


def test_a_query_returns_all_pages_and_with_a_page_one(db: DB) -> None:
    save(db, *({"PK": "USER#u1", "SK": f"{n}", "odd": n % 2} for n in range(9)))
    odd: dict[str, Any] = {"filter": "odd = :one", "values": {":one": 1}, "projection": "SK"}

    assert [item["SK"] for item in db(query(**odd)("u1", 1))] == ["1", "3", "5", "7"]

    limited = raw(query(**odd, limit=4, page=4, scan_forward=False)("u1", 1))
    first: Page[dict[str, Any]] = db(limited)
    assert [item["SK"] for item in first] == ["7", "5"]
    second = db(limited.after(first.cursor))
    assert [item["SK"] for item in second] == ["3", "1"]
    assert [item["SK"] for item in db(limited.after(second.cursor))] == []


def test_what_is_read_under_a_limit_alone_is_the_whole_answer(db: DB) -> None:
    save(db, *({"PK": "USER#u1", "SK": f"{n}"} for n in range(9)))
    limited = raw(query(limit=4)("u1", 1))

    assert [item["SK"] for item in db(limited)] == ["0", "1", "2", "3"]
    with pytest.raises(Refused, match=r"p has no pages to continue.*limit= and page="):
        limited.after("cursor")


def test_a_count_ends_at_a_limit_and_is_of_all_pages_where_it_has_them(db: DB) -> None:
    save(db, *({"PK": "USER#u1", "SK": f"{n}", "odd": n % 2} for n in range(9)))
    odd: dict[str, Any] = {"filter": "odd = :one", "values": {":one": 1}, "select": "COUNT"}

    assert query(**odd)("u1", 1)._plan().steps[0].members == {"Select": "COUNT"}
    assert db(query(**odd)("u1", 1)) == 4
    assert db(query(**odd, limit=2)("u1", 1)) == 1
    limited = raw(query(**odd, limit=2, page=2)("u1", 1))
    assert db(limited) == 4
    with pytest.raises(Refused, match="p has no pages to continue"):
        limited.after("cursor")


def test_a_cursor_continues_its_own_pattern_and_arguments_alone(db: DB) -> None:
    save(db, {"PK": "USER#u1", "SK": "A"}, {"PK": "USER#u1", "SK": "B"})
    by_one = query(limit=1, page=1)
    cursor = db(by_one("u1", 1)).cursor

    for other in (by_one("u2", 1), query(title="q", limit=1, page=1)("u1", 1)):
        with pytest.raises(BadCursor):
            db(raw(other).after(cursor))
    with pytest.raises(Refused, match="p has no pages to continue"):
        raw(query()("u1", 1)).after(cursor)


def test_writes_return_what_they_are_told_to(db: DB) -> None:
    assert db(put()("u1", 1)) is None
    grown = update("ADD hits :n", values={":n": "{count}"}, return_values="UPDATED_NEW")
    assert db(grown("u1", 3)) == {"hits": 3}
    assert db(grown("u1", 4)) == {"hits": 7}
    removed = raw_pattern(
        operation="DeleteItem", key={"PK": "USER#{user}", "SK": "A"}, return_values="ALL_OLD"
    )
    assert db(removed("u1", 1)) == {"PK": "USER#u1", "SK": "A", "hits": 7}
    assert db(removed("u1", 1)) is None


def test_a_false_condition_is_dynamodbs_own_error(db: DB) -> None:
    created = put(condition="attribute_not_exists(PK)")

    db(created("u1", 1))
    with pytest.raises(ConditionalCheckFailedException):
        db(created("u1", 1))


def test_transactions_and_batches_are_sent_as_one(db: DB) -> None:
    item = {"PK": "USER#{user}", "SK": "A"}
    moved = raw_pattern(
        operation="TransactWriteItems",
        actions=[
            RawRequest("Put", Legacy, item=item, condition="attribute_not_exists(PK)"),
            RawRequest(
                "Update", Legacy, key=item | {"SK": "B"}, update="ADD n :n", values={":n": 1}
            ),
            RawRequest(
                "ConditionCheck",
                Legacy,
                key=item | {"SK": "C"},
                condition="attribute_not_exists(PK)",
            ),
        ],
    )
    keys = [RawRequest("Get", Legacy, key=item | {"SK": sort}, consistent=True) for sort in "ABC"]
    both = raw_pattern(operation="TransactGetItems", actions=keys)
    some = raw_pattern(operation="BatchGetItem", actions=keys)

    assert moved.findings == both.findings == some.findings == ()
    assert moved("u1", 1)._plan().shape == "transaction"
    assert some("u1", 1)._plan().shape == "batch"
    assert db(moved("u1", 1)) is None
    with pytest.raises(TransactionCanceledException):
        db(moved("u1", 1))
    stored = [{"PK": "USER#u1", "SK": "A"}, {"PK": "USER#u1", "SK": "B", "n": 1}]
    assert db(both("u1", 1)) == [*stored, None]
    assert sorted(db(some("u1", 1)), key=lambda found: found["SK"]) == stored


def test_a_batch_reads_the_same_attributes_of_every_item(db: DB) -> None:
    save(db, *({"PK": "USER#u1", "SK": sort, "title": sort, "n": 1} for sort in "AB"))
    titles = raw_pattern(
        operation="BatchGetItem",
        actions=[
            RawRequest(
                "Get",
                Legacy,
                key={"PK": "USER#{user}", "SK": sort},
                projection="#t",
                names={"#t": "title"},
            )
            for sort in "ABC"
        ],
    )

    assert titles.findings == ()
    found = sorted(item["title"] for item in db(titles("u1", 1)))
    assert found == ["A", "B"]


@pytest.mark.parametrize(
    ("operation", "member", "left", "result"),
    [
        ("BatchGetItem", RawRequest("Get", Legacy, key=KEY), "UnprocessedKeys", [{"n": 1}]),
        ("BatchWriteItem", RawRequest("Delete", Legacy, key=KEY), "UnprocessedItems", None),
    ],
)
def test_what_a_batch_left_over_is_asked_for_again(
    operation: str, member: RawRequest, left: str, result: object
) -> None:
    batch = raw_pattern(operation=operation, actions=[member])("u1", 1)
    again = {"legacy-test": ["what was left"]}
    found = {"Responses": {"legacy-test": [{"n": {"N": "1"}}]}}

    heard = play(batch, {"Responses": {}, left: again}, found)

    assert [request.operation for request in heard.requests] == [operation] * 2
    assert heard.requests[1].body == {"RequestItems": again}
    assert len(heard.pauses) == 1
    assert heard.result == result


def test_an_action_takes_its_members_itself() -> None:
    with pytest.raises(Refused, match="p: give each of the actions its own key"):
        raw_pattern(operation="TransactWriteItems", key={"PK": "a", "SK": "b"})
    with pytest.raises(Refused, match="p: give each of the actions its own limit"):
        raw_pattern(operation="Query", actions=[RawRequest("Query", Legacy)], limit=5)


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"operation": "GetItem", "page": 5}, "p: GetItem has no page=; it is for a Query or a"),
        ({"operation": "PutItem", "first": 5}, "p: PutItem has no first=; it is for a Query or a"),
        (
            {"operation": "Query", "first": 5},
            "p: first=5 needs order=, which determines which records",
        ),
        ({"operation": "Scan", "page": 5}, "p: page=5 needs limit=, the size of the page"),
        (
            {"operation": "Scan", "becomes": str},
            "p: Scan writes nothing, so it has no becomes=",
        ),
    ],
)
def test_a_meaning_that_its_operation_cannot_have_is_refused(
    members: dict[str, Any], why: str
) -> None:
    with pytest.raises(Refused, match=re.escape(why)):
        raw_pattern(table=Legacy, **members)


@pytest.mark.parametrize("kind", [int, bool, Color, Literal["a", "b"]])
def test_two_arguments_of_one_type_are_not_taken_for_the_same_item(kind: Any) -> None:
    moved = raw_pattern(
        operation="TransactWriteItems",
        arguments={"source": kind, "target": kind},
        actions=[
            RawRequest("Delete", Legacy, key={"PK": "BOX#{source}", "SK": "A"}),
            RawRequest("Put", Legacy, item={"PK": "BOX#{target}", "SK": "A"}),
        ],
    )

    assert moved.findings == ()


@pytest.mark.parametrize(
    ("low", "high", "crossed"),
    [
        ("{start}", "{end}", ("2", "1")),
        ("A#{start}", "A#9999", ("B", "")),
        ("A#9", "A#{end}", ("", "1")),
    ],
)
def test_a_range_over_arguments_is_as_wide_as_a_call_makes_it(
    low: str, high: str, crossed: tuple[str, str], db: DB
) -> None:
    ranged = query(
        key_condition="PK = :pk AND SK BETWEEN :low AND :high",
        values={":low": low, ":high": high},
        arguments={"user": str, "start": str, "end": str},
    )

    assert ranged.findings == ()
    assert db(ranged("u1", "2", "9")) == []
    with pytest.raises(ValidationException, match="requires upper bound to be greater"):
        db(ranged("u1", *crossed))


def test_the_name_of_a_type_may_be_an_argument(db: DB) -> None:
    save(db, {"PK": "USER#u1", "SK": "A", "n": 1})
    typed = query(
        filter="attribute_type(n, :t)",
        values={":t": "{t}"},
        arguments={"user": str, "t": str},
        projection="n",
    )

    assert typed.findings == ()
    assert db(typed("u1", "N")) == [{"n": 1}]
    with pytest.raises(ValidationException, match="Invalid attribute type name"):
        db(typed("u1", "X"))


@pytest.mark.parametrize(
    "text", ["SET tags = list_append(tags, :v)", "ADD tags :v", "DELETE tags :v"]
)
def test_an_argument_that_is_a_container_of_anything_is_tried_as_one(text: str) -> None:
    kind = list if text.startswith("SET") else set

    assert not update(text, values={":v": "{v}"}, arguments={"user": str, "v": kind}).findings
    assert not put(item=KEY | {"v": "{v}"}, arguments={"user": str, "v": dict}).findings


def test_a_pattern_with_findings_is_not_sent(db: DB) -> None:
    with pytest.raises(DesignError, match="SK507"):
        db(query(filter="SK = :pk")("u1", 1))


def test_nor_is_a_call_whose_values_cannot_be_a_key(db: DB) -> None:
    alone = get(key={"PK": "{user}", "SK": "A"})

    assert alone.findings == ()
    with pytest.raises(DesignError, match="PK is empty, but a key must not be"):
        db(alone("", 1))
