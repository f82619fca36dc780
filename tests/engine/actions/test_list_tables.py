"""ListTables."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import SerializationException, ValidationException

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def names(ask: Ask) -> list[str]:
    added = ["Zebra", "a.b", "a-b", "a_b"]
    for name in added:
        ask(
            "CreateTable",
            TableName=name,
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
    return sorted([*added, "plain", "shop"])


class TestShape:
    def test_a_limit_is_a_number(self, ask: Ask) -> None:
        with pytest.raises(SerializationException, match="STRING_VALUE cannot be converted"):
            ask("ListTables", Limit="many")


class TestValidation:
    @pytest.mark.parametrize(
        ("limit", "complaint"),
        [(0, "greater than or equal to 1"), (101, "less than or equal to 100")],
    )
    def test_a_page_has_one_to_a_hundred_names(self, ask: Ask, limit: int, complaint: str) -> None:
        with pytest.raises(ValidationException, match=f"at 'limit' failed.*{complaint}"):
            ask("ListTables", Limit=limit)

    def test_a_start_is_a_table_name(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="'exclusiveStartTableName' failed"):
            ask("ListTables", ExclusiveStartTableName="a")


class TestBehaviour:
    def test_names_come_in_the_order_of_their_bytes(self, ask: Ask, names: list[str]) -> None:
        assert ask("ListTables") == {"TableNames": names}

    @pytest.mark.parametrize("limit", [1, 2, 3, 6, 100])
    def test_pages_join_without_gap_or_repeat(self, ask: Ask, names: list[str], limit: int) -> None:
        found: list[str] = []
        page = ask("ListTables", Limit=limit)
        found += page["TableNames"]
        while "LastEvaluatedTableName" in page:
            page = ask(
                "ListTables", Limit=limit, ExclusiveStartTableName=page["LastEvaluatedTableName"]
            )
            found += page["TableNames"]
        assert found == names

    def test_a_page_may_start_behind_a_table_that_is_not_there(
        self, ask: Ask, names: list[str]
    ) -> None:
        page = ask("ListTables", ExclusiveStartTableName="plain.more")
        assert page == {"TableNames": ["shop"]}
