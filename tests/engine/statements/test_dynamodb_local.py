"""Statements have the same results here and in Amazon's DynamoDB Local.

Where both differ, the service is followed, as it is documented or as others captured it, and the
reason stands beside the statement.
"""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from tests.access.executors import HAS_LOCAL
from tests.engine.places import Call, asked_of_engine, asked_of_local

from sortkey.engine import Engine

pytestmark = pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed")

ITEMS: dict[str, list[dict[str, Any]]] = {
    "shop": [
        {
            "pk": {"S": "a"},
            "sk": {"S": "1"},
            "status": {"S": "open"},
            "amount": {"N": "5"},
            "name": {"S": "foo"},
            "tags": {"SS": ["x", "y"]},
            "l": {"L": [{"N": "1"}, {"S": "two"}]},
            "m": {"M": {"k": {"N": "3"}, "z": {"M": {"q": {"S": "deep"}}}}},
        },
        {
            "pk": {"S": "a"},
            "sk": {"S": "2"},
            "status": {"S": "open"},
            "amount": {"N": "7"},
            "nul": {"NULL": True},
            "b": {"BOOL": True},
        },
        {"pk": {"S": "a"}, "sk": {"S": "3"}, "name": {"S": "bar"}, "bin": {"B": "AAEC"}},
        {"pk": {"S": "b"}, "sk": {"S": "1"}, "amount": {"N": "1"}, "ns": {"NS": ["1", "2"]}},
    ],
    "plain": [
        {"id": {"S": "1"}, "n": {"N": "1"}, "s": {"SS": ["a", "b"]}},
        {"id": {"S": "2"}, "m": {"M": {"a": {"M": {"b": {"N": "1"}}}}}, "l": {"L": [{"N": "1"}]}},
    ],
}
SHOP: dict[str, Any] = {
    "TableName": "shop",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "S"), ("status", "S"), ("amount", "N"))
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_status",
            "KeySchema": [
                {"AttributeName": "status", "KeyType": "HASH"},
                {"AttributeName": "amount", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        },
        {
            "IndexName": "status_keys",
            "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        },
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by_amount",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "amount", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
PLAIN: dict[str, Any] = {
    "TableName": "plain",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


# -- both places ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def both(local_url: str) -> Iterator[tuple[Call, Call]]:
    with Engine.memory() as engine:
        calls = asked_of_engine(engine), asked_of_local(local_url)
        for call in calls:
            for table in (SHOP, PLAIN):
                call("CreateTable", table)
        yield calls


@pytest.fixture
def places(both: tuple[Call, Call]) -> tuple[Call, Call]:
    """Return both places, with the same items in each."""
    for call in both:
        for table, items in ITEMS.items():
            names = [
                each["AttributeName"] for each in {"shop": SHOP, "plain": PLAIN}[table]["KeySchema"]
            ]
            for item in call("Scan", {"TableName": table})["Items"]:
                key = {name: item[name] for name in names}
                call("DeleteItem", {"TableName": table, "Key": key})
            for item in items:
                call("PutItem", {"TableName": table, "Item": item})
    return both


# -- comparison -----------------------------------------------------------------------------------

# Local repeats the statement where the service has a detail; other texts of its own are below.
SYNTAX = "Statement wasn't well formed, can't be processed: "
LOCAL_TEXTS = {
    "Cannot do operations on a non-existent table": "Requested resource not found",
    "The conditional request failed.": "The conditional request failed",
    "Only single item select is supported": (
        "Select statements within BatchExecuteStatement must specify the primary key in the where "
        "clause."
    ),
    "Consistent reads are not supported on global secondary indexes": (
        "Strongly consistent read is not supported on Global Secondary Indexes"
    ),
    "The table does not have the specified index: nosuch": (
        "The table does not have the specified index"
    ),
    "Nesting Levels have exceeded supported limits": (
        "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels "
        "beyond supported limit"
    ),
}


def text_of(message: str) -> str:
    if message.startswith(SYNTAX):
        return SYNTAX
    return LOCAL_TEXTS.get(message, message).partition(", valid types:")[0]


def normal(value: Any) -> Any:
    """Return a response without what may differ: tokens, the order of sets, details."""
    if isinstance(value, list):
        elements = cast("list[Any]", value)
        return [normal(each) for each in elements]
    if not isinstance(value, dict):
        return value
    members: dict[str, Any] = {}
    for name, member in cast("dict[str, Any]", value).items():
        match name:
            case "NextToken" | "LastEvaluatedKey":
                pass
            case "SS" | "NS" | "BS":
                members[name] = sorted(member)
            case "__type":
                # Local has the code of a batch here.
                kind = member.rpartition("#")[2]
                members[name] = kind.replace("DuplicateItemException", "DuplicateItem")
            case "message" | "Message":
                members["message"] = text_of(member)
            case _:
                members[name] = normal(member)
    return members


def in_any_order(response: dict[str, Any]) -> dict[str, Any]:
    """Return a response whose items are sorted, since partitions have no order."""
    if "Items" not in response:
        return response
    items = sorted(response["Items"], key=lambda item: json.dumps(item, sort_keys=True))
    return response | {"Items": items}


def results(places: tuple[Call, Call], operation: str, body: dict[str, Any]) -> list[Any]:
    return [in_any_order(normal(place(operation, body))) for place in places]


def stored(places: tuple[Call, Call]) -> list[Any]:
    return [
        [
            in_any_order(normal({"Items": place("Scan", {"TableName": table})["Items"]}))
            for table in ITEMS
        ]
        for place in places
    ]


# -- one statement --------------------------------------------------------------------------------

CONDITIONS = """
name <> 'foo'
not name = 'foo'
name is missing
name is not missing
nul is null
nul is not null
nul = null
not (nul is null)
name = missing
b = true
b
1 = 1
'a' = pk
5 < amount
amount between 1 and 5
amount not between 1 and 5
amount in [1, 5]
amount in (1)
amount in <<1, 5>>
amount not in [1]
amount in []
name like 'f%'
name || 'x' = 'foox'
begins_with(name, 'f')
BEGINS_WITH("name", 'f')
contains(tags, 'x')
contains(name, 'o')
size(name) = 3
size(tags) > 1
attribute_type(name, 'S')
attribute_type(name, 'Q')
attribute_exists(name)
exists(name)
foo(name)
begins_with(name)
begins_with(name, 1)
begins_with(name, name)
size(name)
size(1) = 1
contains(name, 'o') = true
contains(name, 'o') = false
tags = <<'y', 'x'>>
ns = <<1, 2>>
ns = <<1, 1>>
ns = <<>>
l = [1, 'two']
m = {'k': 3, 'z': {'q': 'deep'}}
m.k = 3
m['k'] = 3
l[0] = 1
l[-1] = 1
l[1.5] = 1
l[*] = 1
m.* = 1
m.z.q = 'deep'
name < true
name between true and false
name < null
amount + 1 = 6
amount = -5
amount = +5
amount = 5e0
amount = 5.
amount = 1e400
name = name
not not name = 'foo'
((name)) = 'foo'
name = 'foo' or name = 'bar'
name = 'foo' and (amount = 5 or amount = 6)
name = 'foo' and b
name is string
name is not string
amount is numeric
name is int
name is bag
name is 'S'
name = `abc`
@name = 'foo'
user = 'x'
"user" = 'x'
pk = 'a' and sk = '1'
pk = 'a' and sk > '1'
pk = 'a' and sk > '1' and sk < '3'
pk = 'a' and sk in ['3', '1']
pk = 'a' and begins_with(sk, '2')
pk = 'a' and sk <> '1'
pk = 'a' and pk = 'b'
pk in ['a', 'b'] and sk = '1'
pk in [1, 'a']
pk = 1
pk = ''
pk = 'a' and sk > 1
pk.x = 'a'
pk = 'b' or pk = 'a'
(pk = 'a' and sk = '1') or (pk = 'b' and sk = '1')
pk = 'a' order by sk desc
pk = 'a' order by pk desc
pk = 'a' order by name
pk = 'a' order by m.k
name = 'x' order by pk
pk in ['b', 'a'] order by pk desc, sk desc
"""
STATEMENTS = """
SELECT pk, m.k, l[0] FROM shop WHERE pk = 'a' AND sk = '1'
SELECT m['k'], m.z.q FROM shop
SELECT pk AS x FROM shop
SELECT s.pk FROM shop s
SELECT pk, pk FROM shop
SELECT m, m.k FROM shop
SELECT m.* FROM shop
SELECT *, pk FROM shop
SELECT count(*) FROM shop
SELECT pk + 1 FROM shop
SELECT DISTINCT pk FROM shop
SELECT VALUE pk FROM shop
SELECT * FROM
SELECT * FROM shop LIMIT 1
SELECT * FROM shop GROUP BY pk
SELECT * FROM shop;
SELECT * FROM shop foo bar
SELECT * FROM nosuch
SELECT * FROM ab
SELECT * FROM "shop"."by_status"
SELECT * FROM "shop"."nosuch"
SELECT * FROM "shop"."by_status"."x"
SELECT * FROM ""
SELECT * FROM shop, plain
SELECT * FROM 'shop'
SELECT * FROM shop.by_amount WHERE pk = 'a'
SELECT name FROM shop.by_amount WHERE pk = 'a'
SELECT name FROM shop.status_keys
SELECT pk FROM shop.status_keys WHERE name = 'x'
SELECT * FROM shop ORDER BY sk
SELECT * FROM shop /* every */ WHERE pk = 'a' -- item
CREATE TABLE x
EXISTS(SELECT * FROM plain WHERE id = '1' AND n = 1)
INSERT INTO plain VALUE {'id': '3', 'l': [1, 'x', true, null], 's': <<'a'>>, 'm': {'k': -1.5}}
INSERT INTO plain VALUE {'id': '1'}
INSERT INTO plain VALUE {'id': '3', 's': <<'a', 1>>}
INSERT INTO plain VALUE {'n': 1}
INSERT INTO plain VALUE {'id': 1}
INSERT INTO plain VALUE {'id': ''}
INSERT INTO plain VALUE {id: '7'}
INSERT INTO plain VALUE {'id': '8', 'id': '9'}
INSERT INTO plain VALUE {'id': '8', 'x': missing}
INSERT INTO plain VALUE {'id': '8', 'x': foo}
INSERT INTO plain VALUE {'id': '8', 'x': [foo]}
INSERT INTO plain VALUE {'id': '8', 'x': 1 + 1}
INSERT INTO plain VALUE [1]
INSERT INTO plain {'id': '10'}
INSERT INTO plain VALUES {'id': '10'}
INSERT INTO nosuch VALUE {'id': '10'}
INSERT INTO plain.x VALUE {'id': '10'}
INSERT INTO plain VALUE {'id': '10'} RETURNING ALL OLD *
UPDATE plain SET a = 1 WHERE id = '1'
UPDATE plain SET a = 1 WHERE id = 'none'
UPDATE plain SET a = 1, b = 2 WHERE id = '1' RETURNING ALL NEW *
UPDATE plain SET a = 1 SET b = n REMOVE s WHERE id = '1' RETURNING ALL NEW *
UPDATE plain REMOVE a, b WHERE id = '1'
UPDATE plain SET n = n + 1 WHERE id = '1' RETURNING MODIFIED NEW *
UPDATE plain SET n = 1 - n WHERE id = '1' RETURNING MODIFIED OLD *
UPDATE plain SET n = n * 2 WHERE id = '1'
UPDATE plain SET n = -n WHERE id = '1'
UPDATE plain SET a = zz WHERE id = '1'
UPDATE plain SET a = n + 'x' WHERE id = '1'
UPDATE plain SET l = list_append(l, [2, <<'x'>>]) WHERE id = '2' RETURNING MODIFIED NEW *
UPDATE plain SET l = list_append(l, 3) WHERE id = '2'
UPDATE plain SET a = if_not_exists(a, 3) WHERE id = '1' RETURNING MODIFIED NEW *
UPDATE plain SET s = set_add(s, <<'c'>>) WHERE id = '1' RETURNING MODIFIED NEW *
UPDATE plain SET s = set_delete(s, <<'a', 'b'>>) WHERE id = '1' RETURNING ALL NEW *
UPDATE plain SET s = set_delete(s, <<'a', 'b'>>) WHERE id = '1' RETURNING MODIFIED NEW *
UPDATE plain SET s = set_add(n, <<'c'>>) WHERE id = '1'
UPDATE plain SET n = set_add(n, <<'c'>>) WHERE id = '1'
UPDATE plain SET s = set_add(s, 'c') WHERE id = '1'
UPDATE plain SET s = set_add(s) WHERE id = '1'
UPDATE plain SET s = foo(s) WHERE id = '1'
UPDATE plain SET s = size(s) WHERE id = '1'
UPDATE plain SET m.a.b = 2, m.c = 3 WHERE id = '2' RETURNING MODIFIED NEW *
UPDATE plain SET m.q.r = 1 WHERE id = '2'
UPDATE plain SET m = 1, m.a = 2 WHERE id = '2'
UPDATE plain SET id = '2' WHERE id = '1'
UPDATE plain SET a = null WHERE id = '1' RETURNING ALL NEW *
UPDATE plain SET a = 1
UPDATE plain SET a = 1 WHERE id > '1'
UPDATE plain SET a = 1 WHERE id = '1' OR id = '2'
UPDATE plain SET a = 1 WHERE id = '1' AND id = '2'
UPDATE plain SET a = 1 WHERE id = '1' AND id > '0'
UPDATE plain SET a = 1 WHERE id = '1' AND (n = 1 OR n = 2)
UPDATE plain SET a = 1 WHERE id = '1' AND n = 2
UPDATE plain SET a = 1 WHERE id = 1
UPDATE nosuch SET a = 1 WHERE id = '1'
UPDATE plain SET a = 1 WHERE id = '1' RETURNING *
UPDATE plain SET a = 1 WHERE id = '1' RETURNING ALL OLD a
DELETE FROM plain WHERE id = '1' RETURNING ALL OLD *
DELETE FROM plain WHERE id = 'none' RETURNING ALL OLD *
DELETE FROM plain WHERE id = '1' AND n = 2
DELETE FROM plain WHERE id = 'none' AND n = 2
DELETE FROM plain WHERE id = '1' RETURNING ALL NEW *
DELETE FROM shop WHERE pk = 'a'
DELETE FROM plain
DELETE FROM shop s WHERE pk = 'a' AND sk = '1'
DELETE plain WHERE id = '1'
"""
TEXTS = [
    *(f"SELECT pk, sk FROM shop WHERE {each}" for each in CONDITIONS.strip().splitlines()),
    *STATEMENTS.strip().splitlines(),
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_statement_has_the_same_result(places: tuple[Call, Call], text: str) -> None:
    ours, local = results(places, "ExecuteStatement", {"Statement": text})

    assert ours == local
    assert stored(places)[0] == stored(places)[1]


ORDERED = [text for text in TEXTS if " order by " in text]


@pytest.mark.parametrize("text", ORDERED)
def test_an_order_is_the_same(places: tuple[Call, Call], text: str) -> None:
    ours, local = (normal(place("ExecuteStatement", {"Statement": text})) for place in places)

    assert ours == local


DIFFERENCES = {
    "SELECT * FROM shop WHERE name = pk": "Local fails with status 500",
    "SELECT * FROM shop WHERE pk = 'a' AND sk IS MISSING": "Local fails with status 500",
    "SELECT pk FROM shop.by_status WHERE status = 'open' ORDER BY amount DESC": (
        "Local fails with status 500 for the descending order of an index"
    ),
    "INSERT INTO plain VALUE {'id': '3', 'n': [1.50]}": "Local stores a number as it is written",
    "SELECT * FROM shop WHERE sk = 1": (
        "Local compares the types of keys in a Scan too; a Scan of the service does not"
    ),
    "SELECT pk FROM shop.status_keys WHERE status = 'open' AND name = 'x'": (
        "the service refuses the filter (captured)"
    ),
    "UPDATE plain.x SET a = 1 WHERE id = '1'": "the service refuses the index first (captured)",
    "UPDATE plain SET l[1] = 9 WHERE id = '2' RETURNING MODIFIED NEW *": (
        "Local returns the whole list; the service the changed elements (captured)"
    ),
    "SELECT m.l[1].x FROM shop": "Local names the attribute l[1].x in two ways",
    "foo": "the service expects data manipulation (captured for a misspelt SELECT)",
    f"SELECT * FROM shop WHERE pk IN {[str(number) for number in range(51)]}": (
        "the documented limit is 50 values"
    ),
}


@pytest.mark.parametrize("text", DIFFERENCES)
def test_a_known_difference_is_still_there(places: tuple[Call, Call], text: str) -> None:
    if "m.l" in text:
        item = {"M": {"l": {"L": [{"N": "1"}, {"M": {"x": {"M": {"y": {"N": "2"}}}}}]}}}
        for place in places:
            place("PutItem", {"TableName": "shop", "Item": ITEMS["shop"][0] | {"m": item}})
        text = text.replace(".x", ".x.y")

    ours, local = results(places, "ExecuteStatement", {"Statement": text})

    assert (ours, stored(places)[0]) != (local, stored(places)[1]), "remove it"


def test_pages_are_the_same(places: tuple[Call, Call]) -> None:
    for text in (
        "SELECT sk FROM shop WHERE pk = 'a'",
        "SELECT pk, sk FROM shop WHERE pk = 'a' AND name IS MISSING ORDER BY sk DESC",
        "SELECT sk FROM shop.by_status WHERE status = 'open'",
    ):
        found: list[list[Any]] = []
        for place in places:
            pages: list[Any] = []
            request: dict[str, Any] = {"Statement": text, "Limit": 2}
            while True:
                page = place("ExecuteStatement", request)
                pages.append(page["Items"])
                if "NextToken" not in page:
                    break
                request["NextToken"] = page["NextToken"]
            found.append(pages)

        assert found[0] == found[1], text


# -- several statements ---------------------------------------------------------------------------

PARAMETERS: list[tuple[str, list[Any]]] = [
    ("SELECT pk FROM shop WHERE name = ?", [{"S": "foo"}]),
    ("SELECT pk FROM shop WHERE name = ?", [{"S": "foo"}, {"S": "more"}]),
    ("SELECT pk FROM shop WHERE name = ? AND amount = ?", [{"S": "foo"}]),
    ("SELECT pk FROM shop WHERE bin = ?", [{"B": "AAEC"}]),
    ("SELECT pk FROM shop WHERE amount IN ?", [{"L": [{"N": "1"}]}]),
    ("SELECT pk FROM shop WHERE amount IN [?, ?]", [{"N": "1"}, {"N": "5"}]),
    ("SELECT pk FROM shop WHERE l[?] = 1", [{"N": "0"}]),
    ("SELECT pk FROM shop WHERE name < ?", [{"L": []}]),
    ("INSERT INTO plain VALUE {'id': ?, 'x': ?}", [{"S": "9"}, {"M": {"a": {"BS": ["AAEC"]}}}]),
    ("INSERT INTO plain VALUE {'id': '9', 'x': [?]}", [{"S": "9"}]),
    ("INSERT INTO plain VALUE ?", [{"M": {"id": {"S": "4"}}}]),
    ("UPDATE plain SET s = set_add(s, ?) WHERE id = ?", [{"SS": ["k"]}, {"S": "1"}]),
]


@pytest.mark.parametrize(("text", "parameters"), PARAMETERS)
def test_parameters_have_the_same_meaning(
    places: tuple[Call, Call], text: str, parameters: list[Any]
) -> None:
    body = {"Statement": text, "Parameters": parameters}

    ours, local = results(places, "ExecuteStatement", body)

    assert ours == local
    assert stored(places)[0] == stored(places)[1]


TOGETHER = [
    ["SELECT * FROM plain WHERE id = '1'", "SELECT n FROM plain WHERE id = 'none'"],
    ["SELECT * FROM shop WHERE pk = 'b'"],
    ["SELECT * FROM plain WHERE id = '1' AND n = 1"],
    ["SELECT * FROM plain WHERE id = '1'", "SELECT n FROM plain WHERE id = '1'"],
    ["SELECT * FROM plain WHERE id = '1'", "DELETE FROM plain WHERE id = '2'"],
    ["INSERT INTO plain VALUE {'id': '3'}", "DELETE FROM plain WHERE id = '1'"],
    ["UPDATE plain SET a = 1 WHERE id = '1'", "UPDATE plain SET a = 1 WHERE id = 'none'"],
    ["DELETE FROM plain WHERE id = 'none'", "DELETE FROM plain WHERE id = '1' AND n = 2"],
    ["DELETE FROM plain WHERE id = '1' RETURNING ALL OLD *"],
    ["INSERT INTO plain VALUE {'id': 1}"],
    ["EXISTS(SELECT * FROM plain WHERE id = '1' AND n = 1)"],
]


@pytest.mark.parametrize("texts", TOGETHER, ids=" / ".join)
@pytest.mark.parametrize("operation", ["BatchExecuteStatement", "ExecuteTransaction"])
def test_several_statements_have_the_same_result(
    places: tuple[Call, Call], operation: str, texts: list[str]
) -> None:
    member = "Statements" if operation.startswith("Batch") else "TransactStatements"
    body = {member: [{"Statement": text} for text in texts]}

    ours, local = results(places, operation, body)

    assert ours == local
    assert stored(places)[0] == stored(places)[1]


APART = {
    ("BatchExecuteStatement", "INSERT INTO plain VALUE {'id': '4'}", 2): (
        "Local refuses the second statement after it has carried out the first"
    ),
    ("ExecuteTransaction", "INSERT INTO plain VALUE {'id': '1'}", 1): (
        "the reason of Local is ValidationError, as that of any fault"
    ),
    ("ExecuteTransaction", "UPDATE plain SET a = zz WHERE id = '1'", 1): (
        "Local does not cancel the transaction, but refuses the request"
    ),
}


@pytest.mark.parametrize(("operation", "text", "count"), APART)
def test_a_known_difference_of_several_statements_is_still_there(
    places: tuple[Call, Call], operation: str, text: str, count: int
) -> None:
    member = "Statements" if operation.startswith("Batch") else "TransactStatements"

    ours, local = results(places, operation, {member: [{"Statement": text}] * count})

    assert (ours, stored(places)[0]) != (local, stored(places)[1]), "remove it"


@pytest.mark.parametrize(
    "check",
    [
        "id = '1' AND n = 1",
        "id = '1' AND n = 2",
        "id = 'none' AND n IS MISSING",
        "id = '1'",
        "n = 1",
    ],
)
def test_exists_has_the_same_meaning(places: tuple[Call, Call], check: str) -> None:
    texts = [
        f"EXISTS(SELECT * FROM plain WHERE {check})",
        "INSERT INTO plain VALUE {'id': 'new'}",
    ]
    body = {"TransactStatements": [{"Statement": text} for text in texts]}

    ours, local = results(places, "ExecuteTransaction", body)

    assert ours == local
    assert stored(places)[0] == stored(places)[1]
