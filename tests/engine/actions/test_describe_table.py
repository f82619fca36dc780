"""DescribeTable."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]


class TestShape:
    def test_a_name_is_a_text(self, ask: Ask) -> None:
        with pytest.raises(SerializationException, match="cannot be converted to String"):
            ask("DescribeTable", TableName=3)


class TestValidation:
    def test_a_name_is_required(self, ask: Ask) -> None:
        with pytest.raises(ValidationException):
            ask("DescribeTable")

    def test_an_unknown_table_is_named(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException) as refused:
            ask("DescribeTable", TableName="nowhere")
        assert refused.value.message == "Requested resource not found: Table: nowhere not found"


class TestBehaviour:
    def test_a_table_is_found_by_its_arn(self, ask: Ask) -> None:
        by_name = ask("DescribeTable", TableName="shop")["Table"]
        assert ask("DescribeTable", TableName=by_name["TableArn"])["Table"] == by_name

    def test_items_and_bytes_are_counted_exactly(self, ask: Ask) -> None:
        for number in range(10):
            item = {"pk": {"S": "a"}, "sk": {"S": str(number)}, "amount": {"N": "1"}}
            sparse = {"status": {"S": "open"}} if number < 3 else {}
            ask("PutItem", TableName="shop", Item=item | sparse)
        ask("DeleteItem", TableName="shop", Key={"pk": {"S": "a"}, "sk": {"S": "0"}})
        table = ask("DescribeTable", TableName="shop")["Table"]
        counts = {
            index["IndexName"]: (index["ItemCount"], index["IndexSizeBytes"])
            for index in table["GlobalSecondaryIndexes"] + table["LocalSecondaryIndexes"]
        }

        plain = len("pkask1amount") + 2
        status = len("statusopen")
        assert (table["ItemCount"], table["TableSizeBytes"]) == (9, 9 * plain + 2 * status)
        assert counts["by_status"] == (2, 2 * (plain + status))
        assert counts["by_amount"] == (9, 9 * plain)

    def test_what_the_engine_keeps_for_itself_is_not_described(self, ask: Ask) -> None:
        table = ask("DescribeTable", TableName="shop")["Table"]
        assert not {"Tags", "TimeToLive", "Number"} & table.keys()
        assert all("Number" not in index for index in table["GlobalSecondaryIndexes"])
