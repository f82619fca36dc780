"""A raw request has findings exactly where DynamoDB would refuse it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.design.legacy import (
    KEY,
    Legacy,
    codes,
    get,
    put,
    query,
    raw,
    raw_pattern,
    save,
    update,
    verbatim,
)

from sortkey import DB, DesignError, RawPattern, RawRequest, Table
from sortkey import raw_pattern as declared
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.tracing import trace
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.wire.errors import ServiceError
from sortkey.wire.messages import Request


class Strict(Table):
    pass


@dataclass(frozen=True)
class Verbatim(Operation[Answer]):
    """A request that is sent as it is."""

    request: Request

    def _steps(self, context: Context = ANYWHERE) -> Conversation[Answer]:
        return (yield self.request)

    def _plan(self) -> Plan:
        return Plan("single", ())


@pytest.fixture
def db() -> Iterator[DB]:
    with DB.memory(Legacy) as opened:
        yield opened


FAULTS: dict[str, tuple[RawPattern, list[str]]] = {
    "syntax": (query(filter="title == :t", values={":t": 1}), ["SK501"]),
    "literal": (query(filter='begins_with(title, "X")'), ["SK501"]),
    "operand type": (query(filter="begins_with(title, :n)", values={":n": 1}), ["SK501"]),
    "overlap": (update("SET a = :v, a.b = :v", values={":v": 1}), ["SK501"]),
    "reserved words": (
        query(filter="status = :s AND size(name) > :s", values={":s": 1}),
        ["SK502"],
    ),
    "undefined": (query(filter="#a = :a"), ["SK503", "SK503"]),
    "unused": (query(names={"#a": "a"}, values={":a": 1}), ["SK504", "SK504"]),
    "placeholder": (query(filter="a = :a", values={":a": 1, "b": 2}), ["SK505", "SK504"]),
    "no name": (query(filter="#a = :pk", names={"#a": ""}), ["SK505"]),
    "no partition": (query(key_condition="SK = :pk"), ["SK506"]),
    "keys of an index that is not named": (query(key_condition="GSI1PK = :pk"), ["SK506"]),
    "keys of the table on an index": (query(index="ByMail"), ["SK506"]),
    "key in another case": (query(key_condition="pk = :pk"), ["SK506"]),
    "misspelt key": (get(key={"pk": "a", "SK": "b"}), ["SK511"]),
    "misspelt key of an item": (put(item={"PK": "a", "sk": "b"}), ["SK511"]),
    "not equal": (query(key_condition="PK > :pk"), ["SK506"]),
    "two ranges": (
        query(key_condition="PK = :pk AND SK > :a AND SK < :a", values={":a": "x"}),
        ["SK506"],
    ),
    "not a key": (query(key_condition="PK = :pk AND title = :pk"), ["SK506"]),
    "contains": (query(key_condition="PK = :pk AND contains(SK, :pk)"), ["SK506"]),
    "either": (query(key_condition="PK = :pk OR PK = :pk"), ["SK506"]),
    "filter on sort key": (query(filter="begins_with(SK, :pk)"), ["SK507"]),
    "filter on both keys": (query(filter="SK = :pk OR NOT PK = :pk"), ["SK507", "SK507"]),
    "filter on index key": (
        query(index="ByMail", key_condition="GSI1PK = :pk", filter="GSI1SK = :pk"),
        ["SK507"],
    ),
    "index": (query(index="ByName"), ["SK508"]),
    "no key": (raw_pattern(operation="GetItem"), ["SK510"]),
    "no key condition": (raw_pattern(operation="Query"), ["SK510"]),
    "part of a key": (get(key={"PK": "a"}), ["SK511"]),
    "more than a key": (get(key={"PK": "a", "SK": "b", "userId": "c"}), ["SK511"]),
    "key of another type": (get(key={"PK": "a", "SK": "{count}"}), ["SK511"]),
    "empty key": (put(item={"PK": "", "SK": "b"}), ["SK511"]),
    "item without its key": (put(item={"PK": "a", "userId": "b"}), ["SK511"]),
    "index key of another type": (
        put(item={"PK": "a", "SK": "b", "GSI2PK": "c", "GSI2SK": "5"}),
        ["SK511"],
    ),
    "index key updated to another type": (update("SET GSI2SK = :v", values={":v": "5"}), ["SK511"]),
    "compared with another type": (
        query(index="keys_only", key_condition="GSI2PK = :pk AND GSI2SK > :pk"),
        ["SK511"],
    ),
    "empty partition compared": (query(values={":pk": ""}), ["SK511"]),
    "sort key too long": (get(key={"PK": "a", "SK": "é" * 513}), ["SK511"]),
    "partition too long": (query(values={":pk": "a" * 2049}), ["SK511"]),
    "index key too long": (put(item=KEY | {"GSI1SK": "a" * 1025}), ["SK511"]),
    "index key grown to another type": (update("ADD GSI1PK :n", values={":n": 1}), ["SK511"]),
    "part of a key projected": (query(projection="SK.a"), ["SK511"]),
    "part of an index key updated": (update("SET GSI1PK.a = :v", values={":v": "x"}), ["SK511"]),
    "limit": (query(limit=0), ["SK513"]),
    "new values of a put": (put(return_values="ALL_NEW"), ["SK513"]),
    "updated values of a delete": (
        raw_pattern(operation="DeleteItem", key=KEY, return_values="UPDATED_OLD"),
        ["SK513"],
    ),
    "unknown return values": (update("REMOVE a", return_values="ALL"), ["SK513"]),
    "unknown select": (query(select="SOME"), ["SK513"]),
    "all of an index that lacks some": (
        query(index="keys_only", key_condition="GSI2PK = :pk", select="ALL_ATTRIBUTES"),
        ["SK515"],
    ),
    "projected ones of the table": (query(select="ALL_PROJECTED_ATTRIBUTES"), ["SK510"]),
    "specific ones that are not named": (query(select="SPECIFIC_ATTRIBUTES"), ["SK510"]),
    "a count of some attributes": (query(select="COUNT", projection="title"), ["SK510"]),
    "a scan's count of some": (
        raw_pattern(operation="Scan", select="COUNT", projection="title"),
        ["SK510"],
    ),
    "consistent": (
        query(index="ByMail", key_condition="GSI1PK = :pk", consistent=True),
        ["SK514"],
    ),
    "not projected": (
        query(index="keys_only", key_condition="GSI2PK = :pk", projection="PK, title"),
        ["SK515"],
    ),
    "key updated": (update("SET SK = :v", values={":v": "x"}), ["SK516"]),
    "the same item twice": (
        raw_pattern(
            operation="TransactWriteItems",
            actions=[
                RawRequest("Put", Legacy, item={"PK": "USER#{user}", "SK": "A"}),
                RawRequest("Delete", Legacy, key={"PK": "USER#{user}", "SK": "A"}),
            ],
        ),
        ["SK517"],
    ),
    "an update that says nothing": (
        raw_pattern(
            operation="TransactWriteItems", actions=[RawRequest("Update", Legacy, key=KEY)]
        ),
        ["SK510"],
    ),
    "read twice": (
        raw_pattern(
            operation="TransactGetItems",
            actions=[RawRequest("Get", Legacy, key={"PK": "USER#{user}", "SK": "A"})] * 2,
        ),
        ["SK517"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_dynamodb_refuses_is_found_and_nothing_else(fault: str, db: DB) -> None:
    pattern, expected = FAULTS[fault]
    asked = raw(pattern("u1", 1))

    assert codes(pattern) == expected
    with pytest.raises(ServiceError):
        db(Verbatim(verbatim(asked)))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (raw_pattern(operation="Search"), ["SK509"]),
        (
            raw_pattern(
                operation="ConditionCheck", key={"PK": "a", "SK": "b"}, condition="a = a.b"
            ),
            ["SK509"],
        ),
        (get(filter="title = :t", values={":t": 1}), ["SK510"]),
        (get(index="ByMail"), ["SK510"]),
        (raw_pattern(operation="Scan", key_condition="PK = :a", values={":a": "b"}), ["SK510"]),
        (query(condition="attribute_exists(PK)"), ["SK510"]),
        (query(values={":pk": "USER#{userId}"}), ["SK512"]),
        (get(key={"PK": "{user.id}", "SK": "{a}"}), ["SK512", "SK512"]),
        (get(arguments={"user": str, "yyyy-mm": str}), ["SK512"]),
        (query(values={":pk": "USER#{user"}), ["SK513"]),
        (put(item={"PK": "a", "SK": "b", "tags": set[str]()}), ["SK513"]),
        (put(item={"PK": "a{user:05d}", "SK": "b"}), ["SK513"]),
        (get(rate="often"), ["SK401"]),
        (
            raw_pattern(
                operation="TransactWriteItems",
                actions=[
                    RawRequest("Get", Legacy, key={"PK": "a", "SK": "b"}),
                    RawRequest("Query", Legacy, key_condition="a"),
                ],
            ),
            ["SK501", "SK517", "SK517"],
        ),
        (
            raw_pattern(
                operation="BatchWriteItem",
                actions=[
                    RawRequest("Put", Legacy, item={"PK": "a", "SK": "b"}, condition="a <> b")
                ],
            ),
            ["SK510"],
        ),
        (
            raw_pattern(
                operation="BatchGetItem",
                actions=[
                    RawRequest("Get", Legacy, key=KEY, projection="title"),
                    RawRequest("Get", Legacy, key=KEY | {"SK": "B"}, projection="body"),
                ],
            ),
            ["SK517"],
        ),
        (raw_pattern(operation="TransactWriteItems"), ["SK517"]),
        (
            raw_pattern(
                operation="TransactWriteItems",
                actions=[RawRequest("Put", Legacy, item=KEY, return_values="ALL_OLD")],
            ),
            ["SK510"],
        ),
        (
            raw_pattern(
                operation="BatchWriteItem",
                actions=[
                    RawRequest("Delete", Legacy, key={"PK": str(n), "SK": "b"}) for n in range(26)
                ],
            ),
            ["SK517"],
        ),
    ],
)
def test_so_is_what_no_client_could_send(pattern: RawPattern, expected: list[str]) -> None:
    assert codes(pattern) == expected


def test_a_finding_names_the_place_and_the_remedy() -> None:
    devices = query(title="AP12: devices", filter="begins_with(SK, :d)", values={":d": "DEVICE#"})

    assert str(devices.findings[0]) == (
        "SK507 filter-on-key at ap12_devices.filter: SK is a key of Legacy.primary, and DynamoDB "
        "does not allow a filter on the key that is queried. Move it into the key condition."
    )


def test_a_reserved_word_is_found_and_the_rest_still_judged() -> None:
    pattern = query(filter="status = :s AND SK = :s", values={":s": "x"})

    assert codes(pattern) == ["SK502", "SK507"]
    [step] = trace(pattern, design_of("legacy", [])).steps
    assert step.filter


def test_what_cannot_be_read_is_missing_from_the_plan_and_the_rest_is_there() -> None:
    asked = query(filter="title ==", index="ByName")
    [step] = trace(asked, design_of("legacy", [])).steps

    assert step.filter is None
    assert step.index == "ByName"
    assert step.key


def test_a_filter_on_the_tables_keys_is_fine_in_an_index_and_in_a_scan() -> None:
    assert not query(index=Legacy.by_mail, key_condition="GSI1PK = :pk", filter="PK = :pk").findings
    assert not raw_pattern(operation="Scan", filter="PK = :a", values={":a": "b"}).findings


def test_a_local_index_fetches_what_it_does_not_project() -> None:
    assert not query(index="by_date", projection="title, body", consistent=True).findings


def test_findings_gather_on_the_raw_table() -> None:
    class Old(Table, raw=True):
        pass

    pattern = declared("p", table=Old, operation="Search")

    assert tuple(Old.definition.findings) == pattern.findings


def test_on_another_table_they_are_raised() -> None:
    with pytest.raises(DesignError, match=r"SK509 unknown-operation at p\.operation"):
        declared("p", table=Strict, operation="Search")
    assert Strict.definition.findings == []
    assert not declared("p", table=Strict, operation="Scan").findings


def test_a_pattern_without_a_table_is_refused() -> None:
    with pytest.raises(DesignError, match="SK517"):
        declared("p", operation="Query")
    with pytest.raises(DesignError, match="takes 1 to 100 actions, but there are 0"):
        declared("p", operation="TransactWriteItems")


_COMPARED = st.sampled_from(
    [
        *("PK = :pk", "SK = :s", "SK > :s", "begins_with(SK, :s)", "SK BETWEEN :s AND :t"),
        *(
            "#k = :s",
            "title = :s",
            "n < :n",
            "begins_with(title, :n)",
            "status = :s",
            "size(title) > :n",
        ),
        *(
            "contains(SK, :s)",
            "NOT SK = :s",
            "GSI1PK = :pk",
            "GSI1SK >= :s",
            "GSI2SK = :n",
            "a.b[0] <> :n",
        ),
        *(
            "attribute_exists(SK)",
            "title IN (:s, :t)",
            "(title = :s)",
            "((n = :n))",
            "n =",
            ":s = PK",
        ),
    ]
)
_CONDITIONS = st.lists(_COMPARED, min_size=1, max_size=3).map(" AND ".join)
_FITTING = [
    (None, "PK = :pk"),
    (None, ":s <= SK AND PK = :pk"),
    ("ByMail", "GSI1PK = :pk AND begins_with(GSI1SK, :s)"),
    ("keys_only", "GSI2PK = :pk AND GSI2SK = :n"),
    ("by_date", "PK = :pk AND LSI1SK BETWEEN :s AND :t"),
]
_INDEXES = st.sampled_from([None, "ByMail", "keys_only", "by_date", "ByName"])
_FILTERS = ["title = :s", "n < :n", "size(title) > :n", "#k = :s", "NOT (n IN (:n) OR title > :t)"]
_VALUES = {":pk": "USER#{user}", ":s": "A", ":t": "B", ":n": "{count}"}


def _used(*texts: str | None) -> list[str]:
    return [name for name in (*_VALUES, "#k") if any(name in (text or "") for text in texts)]


@given(
    asked_of=st.sampled_from(_FITTING) | st.tuples(_INDEXES, _CONDITIONS),
    filtered=st.none() | st.sampled_from(_FILTERS) | _CONDITIONS,
    projection=st.sampled_from([None, "SK, title", "#k", "n, n", "status", "a.b, a[0]"]),
    alias=st.sampled_from(["SK", "title"]),
    given_names=st.none() | st.sets(st.sampled_from([*_VALUES, "#k"]), min_size=1),
    consistent=st.booleans(),
)
def test_a_query_has_findings_exactly_where_the_engine_refuses_it(
    *,
    asked_of: tuple[str | None, str],
    filtered: str | None,
    projection: str | None,
    alias: str,
    given_names: set[str] | None,
    consistent: bool,
) -> None:
    index, key_condition = asked_of
    placeholders = given_names or _used(key_condition, filtered, projection)
    asked = raw_pattern(
        operation="Query",
        key_condition=key_condition,
        filter=filtered,
        projection=projection,
        names={name: alias for name in placeholders if name == "#k"},
        values={name: _VALUES[name] for name in placeholders if name in _VALUES},
        index=index,
        consistent=consistent,
    )
    operation = raw(asked("u1", 1))

    with DB.memory(Legacy) as db:
        save(
            db,
            {"PK": "USER#u1", "SK": "A", "title": "A", "n": 1, "GSI1PK": "USER#u1", "GSI1SK": "B"},
        )
        try:
            count = db(Verbatim(verbatim(operation)))["Count"]
        except ServiceError:
            count = None
        if count is None:
            assert asked.findings
        else:
            assert asked.findings == ()
            assert len(db(operation)) == count
