"""Expiry: what is past its time goes, from the table and from its indexes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.wire.limits import EXPIRY_WINDOW_SECONDS

NOW = 1_700_000_000
BY_KIND = {
    "IndexName": "by_kind",
    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = float(NOW)

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.memory(clock=clock) as opened:
        make_table(opened)
        yield opened


def make_table(engine: Engine) -> None:
    engine.answer(
        "CreateTable",
        {
            "TableName": "items",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [
                {"AttributeName": "id", "AttributeType": "S"},
                {"AttributeName": "kind", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexes": [BY_KIND],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )


def put(engine: Engine, name: str, expires: Any = None) -> None:
    item = {"id": {"S": name}, "kind": {"S": "x"}}
    if expires is not None:
        item["ttl"] = expires if isinstance(expires, dict) else {"N": str(expires)}
    engine.answer("PutItem", {"TableName": "items", "Item": item})


def switch(engine: Engine, *, enabled: bool = True, name: str = "ttl") -> None:
    specification = {"AttributeName": name, "Enabled": enabled}
    engine.answer(
        "UpdateTimeToLive",
        {"TableName": "items", "TimeToLiveSpecification": specification},
    )


def left(engine: Engine) -> set[str]:
    """Return the items of the table after upkeep, which its index must have as well."""
    while engine.tend():
        pass
    items = engine.answer("Scan", {"TableName": "items"})["Items"]
    entries = engine.answer("Scan", {"TableName": "items", "IndexName": "by_kind"})["Items"]
    table = engine.answer("DescribeTable", {"TableName": "items"})["Table"]
    names = {item["id"]["S"] for item in items}
    assert {entry["id"]["S"] for entry in entries} == names
    assert table["ItemCount"] == table["GlobalSecondaryIndexes"][0]["ItemCount"] == len(names)
    return names


def test_items_go_once_their_time_has_come(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, "past", NOW - 60)
    put(engine, "soon", NOW + 60)
    put(engine, "never")

    assert left(engine) == {"soon", "never"}
    clock.now += 59
    assert left(engine) == {"soon", "never"}
    clock.now += 1
    assert left(engine) == {"never"}


@pytest.mark.parametrize(
    "odd",
    [
        {"S": str(NOW - 60)},
        {"N": "0"},
        {"N": str(-NOW)},
        {"N": "9" * 38},
        {"N": str(NOW - EXPIRY_WINDOW_SECONDS - 1)},
        {"NS": [str(NOW - 60)]},
    ],
)
def test_only_seconds_of_the_last_five_years_count(engine: Engine, odd: dict[str, Any]) -> None:
    switch(engine)
    put(engine, "odd", odd)
    assert left(engine) == {"odd"}


def test_a_fraction_of_a_second_is_no_obstacle(engine: Engine) -> None:
    switch(engine)
    put(engine, "fraction", f"{NOW - 60}.25")
    assert left(engine) == set()


def test_items_that_were_there_before_expire_too(engine: Engine) -> None:
    for number in range(1100):
        put(engine, str(number), NOW - 60 if number % 2 else NOW + 60)
    switch(engine)
    assert len(left(engine)) == 550


def test_nothing_goes_once_it_is_switched_off(engine: Engine) -> None:
    switch(engine)
    switch(engine, enabled=False)
    put(engine, "past", NOW - 60)
    assert left(engine) == {"past"}


def test_another_attribute_forgets_the_times_of_the_first(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, "once", NOW + 60)
    switch(engine, enabled=False)
    switch(engine, name="other")
    clock.now += 120
    assert left(engine) == {"once"}


def test_a_changed_time_is_the_one_that_counts(engine: Engine, clock: Clock) -> None:
    switch(engine)
    put(engine, "moved", NOW + 60)
    engine.answer(
        "UpdateItem",
        {
            "TableName": "items",
            "Key": {"id": {"S": "moved"}},
            "UpdateExpression": "SET #ttl = :later",
            "ExpressionAttributeNames": {"#ttl": "ttl"},
            "ExpressionAttributeValues": {":later": {"N": str(NOW + 600)}},
        },
    )
    clock.now += 120
    assert left(engine) == {"moved"}
    clock.now += 600
    assert left(engine) == set()


def test_a_server_waits_until_every_item_has_its_time(clock: Clock) -> None:
    with Engine.memory(grouped=True, clock=clock) as engine:
        engine.answer(
            "CreateTable",
            {
                "TableName": "items",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        for number in range(600):
            put(engine, str(number), NOW - 60)
        switch(engine)
        engine.flush()
        assert engine.answer("Scan", {"TableName": "items", "Select": "COUNT"})["Count"] == 600
        while engine.tend():
            engine.flush()
        assert engine.answer("Scan", {"TableName": "items", "Select": "COUNT"})["Count"] == 0


# -- the delay ----------------------------------------------------------------------------------


def test_expired_items_stay_until_the_delay_has_passed(clock: Clock) -> None:
    with Engine.memory(clock=clock, ttl_delay=3600) as engine:
        make_table(engine)
        switch(engine)
        put(engine, "gone", NOW - 1)
        put(engine, "later", NOW + 60)

        clock.now += 3598
        assert left(engine) == {"gone", "later"}
        clock.now += 1
        assert left(engine) == {"later"}
        clock.now += 61
        assert left(engine) == set()


def test_an_expired_item_that_gets_a_later_time_stays(clock: Clock) -> None:
    with Engine.memory(clock=clock, ttl_delay=3600) as engine:
        make_table(engine)
        switch(engine)
        put(engine, "kept", NOW - 1)
        clock.now += 1800
        engine.answer(
            "UpdateItem",
            {
                "TableName": "items",
                "Key": {"id": {"S": "kept"}},
                "UpdateExpression": "SET #t = :later",
                "ExpressionAttributeNames": {"#t": "ttl"},
                "ExpressionAttributeValues": {":later": {"N": str(NOW + 7200)}},
            },
        )

        clock.now += 1800
        assert left(engine) == {"kept"}


def test_the_delay_counts_beside_an_event_loop_too(tmp_path: Path, clock: Clock) -> None:
    with Engine.open(tmp_path / "a.db", clock=clock, grouped=True, ttl_delay=60) as engine:
        make_table(engine)
        switch(engine)
        put(engine, "gone", NOW - 1)
        engine.flush()
        with engine.beside() as beside:
            assert left(beside) == {"gone"}
            clock.now += 60
            assert left(beside) == set()
