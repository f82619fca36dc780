"""A stream has the same records here and in Amazon's DynamoDB Local, in the order of each key."""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from itertools import count
from typing import Any, cast

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.access.executors import HAS_LOCAL
from tests.engine.places import Call, asked_of_engine, asked_of_local

from sortkey.engine import Engine

pytestmark = pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed")

# A Put, Update or Delete as a transaction has it, without its table.
Write = tuple[str, dict[str, Any]]
VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")
tables = (f"streamed{number}" for number in count())

# -- random histories -----------------------------------------------------------------------------

# Few keys and values, so that many writes meet at an item, and many change nothing.
keys: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"pk": {"S": pk}, "sk": {"N": sk}} for pk in "ab" for sk in ("1", "1.0", "-2")]
)
values: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {"N": "1"},
        {"N": "1.0"},
        {"N": "2.50"},
        {"S": ""},
        {"S": "é"},
        {"B": "AAEC"},
        {"SS": ["x", "y"]},
        {"SS": ["y", "x"]},
        {"NS": ["1", "2.0"]},
        {"NULL": True},
        {"BOOL": False},
        {"L": [{"N": "1.0"}, {"S": ""}]},
        {"M": {"k": {"L": []}, "n": {"N": "01"}}},
    ]
)
updates = st.sampled_from(
    [
        "SET t = :value",
        "SET t = if_not_exists(t, :value)",
        "ADD n :one",
        "ADD n :zero",
        "SET n = :one REMOVE t, u",
    ]
)
conditions: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {}, {"ConditionExpression": "attribute_exists(t)"}]
)


@st.composite
def puts(draw: st.DrawFn) -> Write:
    more = draw(st.dictionaries(st.sampled_from("tuv"), values, max_size=2))
    return "Put", {"Item": draw(keys) | more}


@st.composite
def deletes(draw: st.DrawFn) -> Write:
    return "Delete", {"Key": draw(keys)}


@st.composite
def updating(draw: st.DrawFn) -> Write:
    expression = draw(updates)
    given = {":value": draw(values), ":one": {"N": "1"}, ":zero": {"N": "0.0"}}
    used = {name: value for name, value in given.items() if name in expression}
    body = {"Key": draw(keys), "UpdateExpression": expression, "ExpressionAttributeValues": used}
    return "Update", body


@st.composite
def conditional(draw: st.DrawFn) -> Write:
    kind, body = draw(puts() | updating() | deletes())
    return kind, body | draw(conditions)


def place_of(item: dict[str, Any]) -> str:
    return f"{item['pk']['S']} {float(item['sk']['N'])}"


def several(one: st.SearchStrategy[Write]) -> st.SearchStrategy[list[Write]]:
    """Return up to three writes of different items."""

    def place(write: Write) -> str:
        _, body = write
        return place_of(body["Item"] if "Item" in body else body["Key"])

    return st.lists(one, min_size=1, max_size=3, unique_by=place)


histories: st.SearchStrategy[list[tuple[str, list[Write]]]] = st.lists(
    st.one_of(
        st.tuples(st.just("single"), conditional().map(lambda write: [write])),
        st.tuples(st.just("batch"), several(puts() | deletes())),
        st.tuples(st.just("transaction"), several(conditional())),
    ),
    min_size=10,
    max_size=25,
)


def request(table: str, kind: str, writes: list[Write]) -> tuple[str, dict[str, Any]]:
    """Return the operation and the request that makes these writes."""
    match kind:
        case "single":
            [(name, body)] = writes
            return f"{name}Item", {"TableName": table} | body
        case "batch":
            return "BatchWriteItem", {
                "RequestItems": {table: [{f"{name}Request": body} for name, body in writes]}
            }
        case _:
            return "TransactWriteItems", {
                "TransactItems": [{name: {"TableName": table} | body} for name, body in writes]
            }


# -- both places ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def places(local_url: str) -> Iterator[tuple[Call, Call]]:
    with Engine.memory() as engine:
        yield asked_of_engine(engine), asked_of_local(local_url)


def create(call: Call, table: str, view: str) -> str:
    """Create a table with a stream, and return the stream's ARN."""
    created = call(
        "CreateTable",
        {
            "TableName": table,
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": view},
        },
    )
    return created["TableDescription"]["LatestStreamArn"]


def records(call: Call, arn: str) -> list[dict[str, Any]]:
    """Return all records of a stream, those of a shard after those of its parent."""
    found: list[dict[str, Any]] = []
    for shard in call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
        start = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = call("GetShardIterator", start)["ShardIterator"]
        while page := call("GetRecords", {"ShardIterator": iterator, "Limit": 7}):
            found += page["Records"]
            if not page["Records"] or "NextShardIterator" not in page:
                break
            iterator = page["NextShardIterator"]
    return found


# -- comparison -----------------------------------------------------------------------------------

# What differs by its nature: the region, times, and the numbers and ids of records.
OWN = {"awsRegion", "eventID"}
OWN_OF_CHANGE = {"ApproximateCreationDateTime", "SequenceNumber"}


def normal(value: Any) -> Any:
    """Return a part of a record with its sets in order and its numbers in one form.

    The service stores all numbers in one form. Local keeps that of the request inside lists, maps
    and the keys of an update, and for attributes that an update sets.
    """
    if isinstance(value, list):
        return [normal(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    members = cast("dict[str, Any]", value)
    match members:
        case {"N": str(number)}:
            return Decimal(number)
        case {"NS": [*numbers]}:
            return sorted(map(Decimal, numbers))
        case {"SS": [*texts]}:
            return sorted(texts)
        case _:
            return {name: normal(each) for name, each in members.items()}


def by_key(found: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return the records of each key, in their order, as they can be compared."""
    changes: dict[str, list[Any]] = defaultdict(list)
    for record in found:
        change = {
            name: each for name, each in record["dynamodb"].items() if name not in OWN_OF_CHANGE
        }
        rest = {name: each for name, each in record.items() if name not in OWN}
        changes[place_of(change["Keys"])].append(normal(rest | {"dynamodb": change}))
    return changes


def both(places: tuple[Call, Call], view: str, history: list[tuple[str, list[Write]]]) -> list[Any]:
    """Make the same writes in both places, and return the records of each."""
    table = next(tables)
    streams = [create(call, table, view) for call in places]
    for kind, writes in history:
        operation, body = request(table, kind, writes)
        ours, local = (call(operation, body) for call in places)
        assert ours.get("__type") == local.get("__type")
    return [by_key(records(call, arn)) for call, arn in zip(places, streams, strict=True)]


# Shrinking would take minutes.
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@pytest.mark.parametrize("view", VIEWS)
@given(history=histories)
def test_a_random_history_leaves_the_same_records(
    places: tuple[Call, Call], view: str, history: list[Any]
) -> None:
    ours, local = both(places, view, history)

    assert ours == local


KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
DIFFERENCES: dict[str, tuple[list[Write], list[Any], list[Any]]] = {
    # The service returns an empty map. Local leaves out its type inside a list.
    "an empty map in a list": (
        [("Put", {"Item": KEY | {"t": {"L": [{"M": {}}]}}})],
        [KEY | {"t": {"L": [{"M": {}}]}}],
        [KEY | {"t": {"L": [{}]}}],
    ),
    # The service creates no item if there is nothing to set; Local creates one with only its key.
    "nothing to remove": ([("Update", {"Key": KEY, "UpdateExpression": "REMOVE t"})], [], [KEY]),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_differences_are_those_of_the_items_and_have_reasons(
    places: tuple[Call, Call], name: str
) -> None:
    writes, *expected = DIFFERENCES[name]
    found = both(places, "NEW_IMAGE", [("single", [write]) for write in writes])

    images = [
        [record["dynamodb"]["NewImage"] for history in each.values() for record in history]
        for each in found
    ]
    assert images == normal(expected)
