"""DeleteTable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]


class TestShape:
    def test_a_name_is_a_text(self, ask: Ask) -> None:
        with pytest.raises(SerializationException, match="cannot be converted to String"):
            ask("DeleteTable", TableName=3)


class TestValidation:
    def test_an_unknown_table_is_named(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException, match="Table: nowhere not found"):
            ask("DeleteTable", TableName="nowhere")

    def test_a_protected_table_stays(self, ask: Ask) -> None:
        ask("UpdateTable", TableName="plain", DeletionProtectionEnabled=True)
        with pytest.raises(ValidationException, match="protected against deletion"):
            ask("DeleteTable", TableName="plain")

        ask("UpdateTable", TableName="plain", DeletionProtectionEnabled=False)
        ask("DeleteTable", TableName="plain")
        assert ask("ListTables")["TableNames"] == ["shop"]


class TestBehaviour:
    def test_a_table_is_deleting_in_its_answer_and_then_gone(self, ask: Ask) -> None:
        deleted = ask("DeleteTable", TableName="shop")["TableDescription"]

        assert deleted["TableStatus"] == "DELETING"
        assert not {"KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes"} & deleted.keys()
        with pytest.raises(ResourceNotFoundException):
            ask("DescribeTable", TableName="shop")
        with pytest.raises(ResourceNotFoundException):
            ask("GetItem", TableName="shop", Key={"pk": {"S": "a"}, "sk": {"S": "b"}})

    def test_a_table_of_the_same_name_begins_empty(self, ask: Ask) -> None:
        ask("PutItem", TableName="plain", Item={"id": {"S": "1"}})
        ask("DeleteTable", TableName="plain")
        ask(
            "CreateTable",
            TableName="plain",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
            BillingMode="PAY_PER_REQUEST",
        )

        assert ask("Scan", TableName="plain")["Count"] == 0
        ask("PutItem", TableName="plain", Item={"id": {"N": "1"}})

    def test_another_process_loses_the_table_too(self, tmp_path: Path) -> None:
        body = {
            "TableName": "shared",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        key = {"TableName": "shared", "Key": {"id": {"S": "1"}}}
        with Engine.open(tmp_path / "app.db") as one, Engine.open(tmp_path / "app.db") as other:
            one.answer("CreateTable", body)
            assert other.answer("GetItem", key) == {}
            one.answer("DeleteTable", {"TableName": "shared"})
            with pytest.raises(ResourceNotFoundException):
                other.answer("GetItem", key)
