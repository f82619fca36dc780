"""Requests as readable text: names and values in place, a line for each expression."""

from typing import Any

import pytest

from sortkey.prove.requests import key_text, request_lines, value_text
from sortkey.wire.messages import Request
from sortkey.wire.values import AttributeValue

KEY = {"PK": {"S": "u#1"}, "SK": {"N": "7"}}


def lines(operation: str, **body: Any) -> list[str]:
    return request_lines([Request(operation, body)])


class TestLines:
    def test_a_query_has_its_place_and_its_expressions(self) -> None:
        assert lines(
            "Query",
            TableName="App",
            IndexName="ByName",
            KeyConditionExpression="PK = :pk",
            FilterExpression="#n <> :n",
            ExpressionAttributeNames={"#n": "name"},
            ExpressionAttributeValues={":pk": {"S": "u#1"}, ":n": {"N": "7"}},
            Limit=2,
            ScanIndexForward=False,
        ) == [
            "Query App, index ByName",
            '  PK = "u#1"',
            "  filter name <> 7",
            "  Limit=2, ScanIndexForward=False",
        ]

    def test_a_write_has_its_key_or_its_item(self) -> None:
        assert lines("DeleteItem", TableName="App", Key=KEY) == [
            "DeleteItem App",
            '  PK = "u#1", SK = 7',
        ]
        assert lines("PutItem", TableName="App", Item={"PK": {"S": "a"}}) == [
            "PutItem App",
            '  PK = "a"',
        ]

    def test_a_page_shows_the_key_after_which_it_begins(self) -> None:
        assert lines("Scan", TableName="App", ExclusiveStartKey=KEY) == [
            "Scan App",
            '  after PK = "u#1", SK = 7',
        ]

    def test_the_actions_of_a_transaction_stand_below_it(self) -> None:
        update = {
            "TableName": "App",
            "Key": KEY,
            "UpdateExpression": "SET #n = :n",
            "ConditionExpression": "attribute_exists(PK)",
            "ExpressionAttributeNames": {"#n": "name"},
            "ExpressionAttributeValues": {":n": {"S": "Ann"}},
        }
        actions = [{"Update": update}, {"Delete": {"TableName": "Other", "Key": KEY}}]

        assert lines("TransactWriteItems", TransactItems=actions) == [
            "TransactWriteItems",
            "  Update App",
            '    PK = "u#1", SK = 7',
            '    SET name = "Ann"',
            "    if attribute_exists(PK)",
            "  Delete Other",
            '    PK = "u#1", SK = 7',
        ]

    def test_a_batch_of_reads_has_a_line_for_each_key(self) -> None:
        assert lines("BatchGetItem", RequestItems={"App": {"Keys": [KEY, {"PK": {"S": "b"}}]}}) == [
            "BatchGetItem",
            "  Get App",
            '    PK = "u#1", SK = 7',
            "  Get App",
            '    PK = "b"',
        ]

    def test_a_batch_of_writes_has_each_of_them(self) -> None:
        writes = [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": KEY}}]

        assert lines("BatchWriteItem", RequestItems={"App": writes}) == [
            "BatchWriteItem",
            "  Put App",
            '    PK = "u#1", SK = 7',
            "  Delete App",
            '    PK = "u#1", SK = 7',
        ]

    def test_three_requests_of_a_conversation_are_shown(self) -> None:
        requests = [Request("Scan", {"TableName": f"T{number}"}) for number in range(5)]

        assert request_lines(requests) == ["Scan T0", "Scan T1", "Scan T2", "and 2 more"]
        assert request_lines(requests[:3])[-1] == "Scan T2"

    def test_a_placeholder_that_is_not_declared_stays(self) -> None:
        assert lines("Query", TableName="App", KeyConditionExpression="PK = :pk")[1] == "  PK = :pk"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"S": 'a"ä'}, '"a\\"ä"'),
        ({"N": "10"}, "10"),
        ({"BOOL": True}, "true"),
        ({"L": [{"S": "a"}]}, '[{"S": "a"}]'),
    ],
)
def test_a_text_stands_in_quotes_and_a_number_does_not(value: AttributeValue, shown: str) -> None:
    assert value_text(value) == shown


def test_only_the_attributes_that_an_item_has_are_shown_of_its_key() -> None:
    assert key_text({"PK": {"S": "a"}, "n": {"N": "1"}}, ("PK", "SK")) == 'PK = "a"'
