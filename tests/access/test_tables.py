"""Missing tables are created, different ones reported, and deletion works only on this machine."""

from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.access.executors import Raw

from sortkey import DB, Entity, Provisioned, Refused, Settings, Table, TableMismatch, gsi, number
from sortkey.access.tables import create_missing
from sortkey.engine import Engine
from sortkey.operations.operation import Conversation
from sortkey.wire.errors import ResourceNotFoundException, ValidationException
from sortkey.wire.messages import Request

PROVISIONED = Settings(billing=Provisioned(5, 3))


class Things(Table, name="{environment}-Things", ttl="until", settings=PROVISIONED):
    by_size = gsi("kind", number("size"), project=("colour",))


class Thing(Entity, table=Things):
    thing_id: str
    primary = Things.primary.key("THING#{thing_id}", "THING")


class OtherIndex(Table, name="{environment}-Things"):
    by_size = gsi("kind")


def test_a_table_is_made_as_it_is_declared(opened: Callable[..., DB]) -> None:
    db = opened(Things)

    table = db(Raw("DescribeTable", Things))["Table"]
    ttl = db(Raw("DescribeTimeToLive", Things))["TimeToLiveDescription"]

    assert table["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    [index] = table["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "by_size"
    assert index["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["colour"]}
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert ttl["AttributeName"] == "until"


def test_making_a_table_again_leaves_it_as_it_is(opened: Callable[..., DB]) -> None:
    db = opened(Things)
    db(Thing(thing_id="t").put())

    db.create_tables()

    assert db(Thing.get(thing_id="t")) is not None


def test_a_database_that_cannot_be_opened_lets_go_of_its_file(tmp_path: Path) -> None:
    DB.open(tmp_path / "app.db", Things).close()

    with (
        patch.object(Engine, "close", autospec=True, side_effect=Engine.close) as closed,
        pytest.raises(TableMismatch),
    ):
        DB.open(tmp_path / "app.db", OtherIndex)

    closed.assert_called_once()


def test_two_processes_may_set_the_expiry_at_the_same_time() -> None:
    with DB.memory() as db:

        def begun() -> tuple[Conversation[None], Request]:
            """The creation of a table, up to its TTL setting."""
            steps = create_missing((Things.definition,), db._context, db._target)
            step = next(steps)
            while isinstance(step, Request) and step.operation != "UpdateTimeToLive":
                try:
                    step = steps.send(db._transport.send(step))
                except ResourceNotFoundException as error:
                    step = steps.throw(error)
            assert isinstance(step, Request)
            return steps, step

        (one, first), (other, second) = begun(), begun()
        answer = db._transport.send(first)
        with pytest.raises(StopIteration):
            one.send(answer)
        with pytest.raises(ValidationException) as refused:
            db._transport.send(second)

        again = other.throw(refused.value)
        assert isinstance(again, Request)
        answer = db._transport.send(again)
        with pytest.raises(StopIteration):
            other.send(answer)


def test_deleted_tables_are_gone_and_can_be_made_again(opened: Callable[..., DB]) -> None:
    db = opened(Things)
    db(Thing(thing_id="t").put())

    db.delete_tables()
    with pytest.raises(ResourceNotFoundException):
        db(Thing.get(thing_id="t"))
    db.delete_tables()
    db.create_tables()

    assert db(Thing.get(thing_id="t")) is None


def test_tables_elsewhere_are_not_deleted() -> None:
    url = "https://dynamodb.eu-west-1.amazonaws.com"
    with (
        DB.endpoint(url, Things, region="eu-west-1") as db,
        pytest.raises(Refused, match="only for databases on this machine"),
    ):
        db.delete_tables()


def test_a_database_is_shown_by_its_place_and_tables() -> None:
    with DB.memory(Things) as db, DB.memory() as empty:
        assert (repr(db), repr(empty)) == ("<DB memory: Things>", "<DB memory>")
