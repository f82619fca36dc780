"""An engine in memory, with a table for each shape of key that the tests need."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.access.conftest import local_url

from sortkey.engine import Engine

__all__ = ["local_url"]

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as opened:
        opened.answer(
            "CreateTable",
            {
                "TableName": "shop",
                "KeySchema": [
                    {"AttributeName": "pk", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "sk", "AttributeType": "S"},
                    {"AttributeName": "status", "AttributeType": "S"},
                    {"AttributeName": "amount", "AttributeType": "N"},
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
            },
        )
        opened.answer(
            "CreateTable",
            {
                "TableName": "plain",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        yield opened


@pytest.fixture
def ask(engine: Engine) -> Ask:
    """Ask the engine: ``ask("GetItem", TableName="shop", ...)``."""

    def ask(operation: str, /, **body: Any) -> dict[str, Any]:
        return engine.answer(operation, body)

    return ask
