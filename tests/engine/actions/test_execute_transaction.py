"""ExecuteTransaction."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.errors import (
    IdempotentParameterMismatchException,
    ResourceNotFoundException,
    TransactionCanceledException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]
NEEDS_KEY = (
    "Select statements within ExecuteTransaction must specify the primary key in the where clause."
)


def execute(ask: Ask, *statements: str | dict[str, Any], **more: Any) -> dict[str, Any]:
    members = [each if isinstance(each, dict) else {"Statement": each} for each in statements]
    return ask("ExecuteTransaction", TransactStatements=members, **more)


def refused(ask: Ask, *statements: str) -> str:
    with pytest.raises(ValidationException) as raised:
        execute(ask, *statements)
    return raised.value.message


def reasons(ask: Ask, *statements: str | dict[str, Any]) -> list[dict[str, Any]]:
    with pytest.raises(TransactionCanceledException) as raised:
        execute(ask, *statements)
    return raised.value.reasons


def insert(key: str, more: str = "") -> str:
    return f"INSERT INTO plain VALUE {{'id': '{key}'{more}}}"


def stored(ask: Ask) -> set[str]:
    return {item["id"]["S"] for item in ask("Scan", TableName="plain")["Items"]}


class TestShape:
    @pytest.mark.parametrize("count", [0, 101])
    def test_a_transaction_has_one_to_100_statements(self, ask: Ask, count: int) -> None:
        with pytest.raises(ValidationException, match="at 'transactStatements' failed to satisfy"):
            execute(ask, *[insert(str(number)) for number in range(count)])

    def test_a_hundred_statements_are_carried_out(self, ask: Ask) -> None:
        assert execute(ask, *[insert(str(number)) for number in range(100)]) == {"Responses": []}
        assert len(stored(ask)) == 100


class TestValidation:
    def test_a_syntax_error_rejects_the_request(self, ask: Ask) -> None:
        assert refused(ask, insert("1"), "SLECT * FROM plain") == (
            "Statement wasn't well formed, can't be processed: Expected data manipulation"
        )

    def test_reads_and_writes_are_not_mixed(self, ask: Ask) -> None:
        assert refused(ask, insert("1"), "SELECT * FROM plain WHERE id = '2'") == (
            "ExecuteTransaction API does not support both read and write operations in the same "
            "request."
        )

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (
                "UPDATE plain SET a = 1 WHERE id = '2' RETURNING ALL OLD *",
                "RETURNING clause is not supported in ExecuteTransaction.",
            ),
            (
                "EXISTS(SELECT * FROM plain WHERE id = '2')",
                "EXISTS() must contain a single item read with additional condition",
            ),
            (
                "EXISTS(SELECT * FROM plain WHERE a = 1)",
                "EXISTS() must contain a single item read with additional condition",
            ),
        ],
    )
    def test_a_write_that_no_transaction_can_have_is_named(
        self, ask: Ask, text: str, complaint: str
    ) -> None:
        message = refused(ask, insert("1"), text)

        assert message == f"Validation failed in TransactStatements[1]: {complaint}"

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (
                "SELECT * FROM shop.by_status WHERE status = 'x'",
                "Reads on indices are not supported within transactions.",
            ),
            (
                "SELECT * FROM shop WHERE pk = 'a'",
                NEEDS_KEY,
            ),
            (
                "SELECT * FROM plain WHERE id = '1' AND a = 1",
                NEEDS_KEY,
            ),
        ],
    )
    def test_a_read_names_one_item_of_a_table(self, ask: Ask, text: str, complaint: str) -> None:
        assert refused(ask, text) == f"Validation failed in TransactStatements[0]: {complaint}"

    @pytest.mark.parametrize(
        "text", ["SELECT * FROM nosuch WHERE id = '1'", "DELETE FROM nosuch WHERE id = '1'"]
    )
    def test_a_missing_table_rejects_the_request(self, ask: Ask, text: str) -> None:
        with pytest.raises(ResourceNotFoundException):
            execute(ask, text)

    @pytest.mark.parametrize(
        "text",
        [insert("1"), "SELECT * FROM plain WHERE id = '1'", "DELETE FROM plain WHERE id='1'"],
    )
    def test_no_two_statements_are_about_one_item(self, ask: Ask, text: str) -> None:
        assert refused(ask, text, text) == (
            "Transaction request cannot include multiple operations on one item"
        )

    def test_a_statement_that_does_not_fit_its_table_cancels(self, ask: Ask) -> None:
        assert reasons(ask, insert("1"), "UPDATE plain SET a = 1 WHERE id > '1'") == [
            {"Code": "None"},
            {
                "Code": "ValidationError",
                "Message": (
                    "Where clause does not contain a mandatory equality on all key attributes"
                ),
            },
        ]
        assert reasons(ask, "SELECT * FROM plain WHERE id = 1")[0]["Code"] == "ValidationError"


class TestBehaviour:
    def test_reads_return_one_response_each(self, ask: Ask) -> None:
        execute(ask, insert("1", ", 'a': 1"))

        assert execute(
            ask,
            "SELECT a FROM plain WHERE id = '1'",
            "SELECT nosuch FROM shop WHERE pk = 'none' AND sk = 'none'",
        ) == {"Responses": [{"Item": {"a": {"N": "1"}}}, {}]}
        assert execute(ask, "SELECT nosuch FROM plain WHERE id = '1'") == {
            "Responses": [{"Item": {}}]
        }

    def test_all_is_written_or_nothing(self, ask: Ask) -> None:
        execute(ask, insert("1"), insert("2", ", 'a': 1"))

        found = reasons(
            ask,
            insert("3"),
            insert("1"),
            {
                "Statement": "UPDATE plain SET b = 1 WHERE id = '2' AND a = 2",
                "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            },
            "UPDATE plain SET a = 1 WHERE id = 'none'",
            "DELETE FROM plain WHERE id = 'gone' AND a = 1",
        )

        failed = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
        assert found == [
            {"Code": "None"},
            {"Code": "DuplicateItem", "Message": "Duplicate primary key exists in table"},
            failed | {"Item": {"id": {"S": "2"}, "a": {"N": "1"}}},
            failed,
            {"Code": "None"},
        ]
        assert stored(ask) == {"1", "2"}

    def test_exists_checks_an_item(self, ask: Ask) -> None:
        execute(ask, insert("1", ", 'a': 1"))
        check = "EXISTS(SELECT * FROM plain WHERE id = '{}' AND {})"

        execute(ask, check.format("1", "a = 1"), insert("2"))
        assert stored(ask) == {"1", "2"}

        for key, condition in (("1", "a = 2"), ("none", "a IS MISSING")):
            found = reasons(ask, check.format(key, condition), insert("3"))
            assert found[0]["Code"] == "ConditionalCheckFailed"
        assert stored(ask) == {"1", "2"}


class TestTokens:
    def test_a_repeated_transaction_is_not_carried_out_again(self, ask: Ask) -> None:
        first = execute(ask, insert("1"), ClientRequestToken="t", ReturnConsumedCapacity="TOTAL")
        again = execute(ask, insert("1"), ClientRequestToken="t", ReturnConsumedCapacity="TOTAL")

        assert first["ConsumedCapacity"] == [
            {"TableName": "plain", "CapacityUnits": 2.0, "WriteCapacityUnits": 2.0}
        ]
        assert again["ConsumedCapacity"] == [
            {"TableName": "plain", "CapacityUnits": 2.0, "ReadCapacityUnits": 2.0}
        ]
        with pytest.raises(IdempotentParameterMismatchException):
            execute(ask, insert("2"), ClientRequestToken="t")

    def test_a_token_ends_after_ten_minutes(self) -> None:
        now = [0.0]
        with Engine.memory(clock=lambda: now[0]) as engine:
            engine.answer(
                "CreateTable",
                {
                    "TableName": "plain",
                    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            )

            def ask(operation: str, /, **body: Any) -> dict[str, Any]:
                return engine.answer(operation, body)

            execute(ask, insert("1"), ClientRequestToken="t")
            now[0] = 599.0
            execute(ask, insert("1"), ClientRequestToken="t")
            now[0] = 601.0
            with pytest.raises(TransactionCanceledException):
                execute(ask, insert("1"), ClientRequestToken="t")

    def test_the_same_text_is_another_token_in_another_operation(self, ask: Ask) -> None:
        execute(ask, insert("1"), ClientRequestToken="t")

        put = {"Put": {"TableName": "plain", "Item": {"id": {"S": "2"}}}}
        ask("TransactWriteItems", TransactItems=[put], ClientRequestToken="t")

        assert stored(ask) == {"1", "2"}


class TestCapacity:
    def test_reads_cost_twice(self, ask: Ask) -> None:
        found = execute(
            ask,
            "SELECT * FROM plain WHERE id = '1'",
            "SELECT * FROM plain WHERE id = '2'",
            ReturnConsumedCapacity="TOTAL",
        )

        assert found["ConsumedCapacity"] == [
            {"TableName": "plain", "CapacityUnits": 4.0, "ReadCapacityUnits": 4.0}
        ]

    def test_writes_cost_twice_in_the_table_and_once_in_its_indexes(self, ask: Ask) -> None:
        text = "INSERT INTO shop VALUE {'pk': 'a', 'sk': 'b', 'amount': 1}"
        [units] = execute(ask, text, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]

        assert units["Table"]["WriteCapacityUnits"] == 2.0
        assert units["LocalSecondaryIndexes"]["by_amount"]["WriteCapacityUnits"] == 1.0
