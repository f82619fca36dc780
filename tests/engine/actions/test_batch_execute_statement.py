"""BatchExecuteStatement."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import ValidationException

Ask = Callable[..., dict[str, Any]]
MISSING = {"Code": "ResourceNotFound", "Message": "Requested resource not found"}
FAILED = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
DUPLICATE = {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"}
NEEDS_KEY = {
    "Code": "ValidationError",
    "Message": (
        "Select statements within BatchExecuteStatement must specify the primary key in the where "
        "clause."
    ),
}


def execute(ask: Ask, *statements: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    members = [each if isinstance(each, dict) else {"Statement": each} for each in statements]
    return ask("BatchExecuteStatement", Statements=members, **more)


def responses(ask: Ask, *statements: str | dict[str, Any]) -> list[Any]:
    return execute(ask, *statements)["Responses"]


def units(ask: Ask, *statements: str | dict[str, Any]) -> Any:
    return execute(ask, *statements, ReturnConsumedCapacity="INDEXES").get("ConsumedCapacity")


def insert(key: str, more: str = "") -> str:
    return f"INSERT INTO plain VALUE {{'id': '{key}'{more}}}"


class TestShape:
    @pytest.mark.parametrize("count", [0, 26])
    def test_a_batch_has_one_to_25_statements(self, ask: Ask, count: int) -> None:
        with pytest.raises(ValidationException, match="at 'statements' failed to satisfy"):
            execute(ask, *[insert(str(number)) for number in range(count)])

    def test_25_statements_are_carried_out(self, ask: Ask) -> None:
        found = responses(ask, *[insert(str(number)) for number in range(25)])

        assert found == [{"TableName": "plain"}] * 25


class TestValidation:
    def test_reads_and_writes_are_not_mixed(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Read and write requests together in the"):
            execute(ask, "nonsense", "SELECT * FROM plain WHERE id = '1'", insert("2"))

        assert ask("Scan", TableName="plain")["Items"] == []

    def test_no_two_statements_are_about_one_item(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="item keys contains duplicates"):
            execute(ask, insert("1"), "DELETE FROM plain WHERE id = '1'")
        with pytest.raises(ValidationException, match="item keys contains duplicates"):
            execute(ask, *["SELECT * FROM plain WHERE id = '1'"] * 2)

    def test_a_statement_that_is_refused_does_not_stop_the_others(self, ask: Ask) -> None:
        found = responses(
            ask,
            "SLECT * FROM plain",
            insert("1"),
            "UPDATE plain SET a = 1 WHERE b = 1",
            {"Statement": "DELETE FROM plain WHERE id = ?", "Parameters": [{"N": "x"}]},
            "EXISTS(SELECT * FROM plain WHERE id = '1' AND a = 1)",
            "DELETE FROM plain WHERE id = '2' RETURNING ALL NEW *",
        )

        assert [each.get("Error", {}).get("Code") for each in found] == [
            "ValidationError",
            None,
            *["ValidationError"] * 4,
        ]
        assert found[0]["Error"]["Message"] == (
            "Statement wasn't well formed, can't be processed: Expected data manipulation"
        )
        assert found[1] == {"TableName": "plain"}
        assert "TableName" not in found[2]

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT * FROM shop WHERE pk = 'a'",
            "SELECT * FROM shop WHERE pk = 'a' AND sk IN ['1']",
            "SELECT * FROM shop WHERE pk = 'a' AND sk = '1' AND name = 'x'",
            "SELECT * FROM shop.by_status WHERE pk = 'a' AND sk = '1'",
        ],
    )
    def test_a_select_names_the_whole_key_of_a_table(self, ask: Ask, text: str) -> None:
        assert responses(ask, text) == [{"Error": NEEDS_KEY}]

    @pytest.mark.parametrize(
        "text", ["SELECT * FROM nosuch WHERE id = '1'", "DELETE FROM nosuch WHERE id = '1'"]
    )
    def test_a_missing_table_is_named(self, ask: Ask, text: str) -> None:
        assert responses(ask, text) == [{"Error": MISSING, "TableName": "nosuch"}]


class TestBehaviour:
    def test_reads_return_items_in_order(self, ask: Ask) -> None:
        execute(ask, insert("1", ", 'a': 1, 'b': 2"), insert("2"))

        assert responses(
            ask,
            "SELECT a FROM plain WHERE id = '1'",
            "SELECT * FROM plain WHERE id = 'none'",
            "SELECT * FROM plain WHERE id = '2'",
        ) == [
            {"TableName": "plain", "Item": {"a": {"N": "1"}}},
            {"TableName": "plain"},
            {"TableName": "plain", "Item": {"id": {"S": "2"}}},
        ]

    def test_writes_return_what_their_clauses_name(self, ask: Ask) -> None:
        execute(ask, insert("1"), insert("2"))

        assert responses(
            ask,
            "UPDATE plain SET a = 1 WHERE id = '1' RETURNING ALL NEW *",
            "DELETE FROM plain WHERE id = '2' RETURNING ALL OLD *",
            "DELETE FROM plain WHERE id = 'none' RETURNING ALL OLD *",
        ) == [
            {"TableName": "plain", "Item": {"id": {"S": "1"}, "a": {"N": "1"}}},
            {"TableName": "plain", "Item": {"id": {"S": "2"}}},
            {"TableName": "plain"},
        ]

    def test_a_statement_that_fails_names_its_table_and_returns_no_item(self, ask: Ask) -> None:
        execute(ask, insert("1"))

        update = "UPDATE plain SET a = 1 WHERE id = '{}' AND b = 1"
        kept = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        assert responses(ask, {"Statement": update.format("1"), **kept}, insert("2")) == [
            {"Error": FAILED, "TableName": "plain"},
            {"TableName": "plain"},
        ]
        assert responses(ask, insert("1")) == [{"Error": DUPLICATE, "TableName": "plain"}]
        [found] = responses(ask, "UPDATE plain SET a = nosuch WHERE id = '1'")
        assert (found["Error"]["Code"], found["TableName"]) == ("ValidationError", "plain")


class TestCapacity:
    def test_each_read_is_charged_at_its_own_rate(self, ask: Ask) -> None:
        read = {"Statement": "SELECT * FROM plain WHERE id = '1'", "ConsistentRead": True}

        assert units(ask, read, "SELECT * FROM plain WHERE id = '2'") == [
            {"TableName": "plain", "CapacityUnits": 1.5, "Table": {"CapacityUnits": 1.5}}
        ]

    def test_a_failed_statement_is_charged_in_the_total_only(self, ask: Ask) -> None:
        large = {
            "Statement": "INSERT INTO plain VALUE {'id': 'large', 'a': ?}",
            "Parameters": [{"S": "x" * 3000}],
        }
        execute(ask, large, insert("small"))

        assert units(ask, insert("large"), insert("small"), insert("new")) == [
            {"TableName": "plain", "CapacityUnits": 5.0, "Table": {"CapacityUnits": 1.0}}
        ]

    def test_nothing_is_reported_where_nothing_succeeds(self, ask: Ask) -> None:
        execute(ask, insert("1"))

        assert units(ask, insert("1")) is None
        write = "INSERT INTO shop VALUE {'pk': 'a', 'sk': 'b'}"
        assert [each["TableName"] for each in units(ask, insert("1"), write)] == ["shop"]
