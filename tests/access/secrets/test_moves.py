"""A record that is reshaped, or moved to another shard, keeps its secrets."""

from typing import Annotated, Any

import pytest
from tests.access.executors import stored_items
from tests.access.secrets.design import HUSH, OLD

from sortkey import DB, Entity, Keyring, Refused, Table, secret
from sortkey.access.backfill import Backfill


class Log(Table, name="{environment}-Log"):
    pass


def _entry(**settings: Any) -> type[Any]:
    """One entity as designs of different times declare it."""
    Log.definition.entities.clear()
    shards: dict[str, Any] = {n: v for n, v in settings.items() if n in {"shards", "was"}}
    upcasts = settings.get("upcasts", ())

    class Entry(Entity, table=Log, name="Entry", upcasts=upcasts):
        day: int
        number: int
        token: Annotated[str, secret]

        primary = Log.primary.key("ENTRY#{day}", "{number:04d}", **shards)

    return Entry


def _spaced(item: dict[str, Any]) -> dict[str, Any]:
    return {**item, "token": item["token"].replace("-", " ")}


def _token(entry: Any) -> Any:
    return entry.token


NUMBERS = range(8)


@pytest.fixture
def db() -> DB:
    return DB.memory(Log, secrets=Keyring(OLD))


def test_a_back_fill_reshapes_a_secret_and_keeps_it_encrypted(db: DB) -> None:
    first, second = _entry(), _entry(upcasts=(_spaced,))
    db(first(day=1, number=1, token=HUSH).create())

    assert db(second.get(day=1, number=1).required()).token == "hush hush"
    [*_, last] = Backfill(db, [second]).run()

    assert last.rewritten == 1
    assert [item["token"].keys() for item in stored_items(db, Log)] == [{"B"}]
    assert db(second.get(day=1, number=1).required()).token == "hush hush"


def test_a_secret_moves_with_its_record_to_another_shard(db: DB) -> None:
    first, second, third = _entry(), _entry(shards=4, was=1), _entry(shards=4)
    for number in NUMBERS:
        db(first(day=1, number=number, token=f"{HUSH} {number}").create())

    assert [db(second.get(day=1, number=n).required()).token for n in NUMBERS] == [
        f"{HUSH} {n}" for n in NUMBERS
    ]
    changed = db(second.update(day=1, number=0).set(_token).to("changed"))
    [*_, last] = Backfill(db, [second]).run()

    assert changed.token == "changed"
    assert last.failed == 0
    assert last.rewritten > 0
    assert [db(third.get(day=1, number=n).required()).token for n in NUMBERS] == [
        "changed",
        *(f"{HUSH} {n}" for n in NUMBERS[1:]),
    ]


def test_a_back_fill_without_keys_is_refused() -> None:
    with pytest.raises(Refused, match=r"Entry\.token is secret"):
        list(Backfill(DB.memory(Log), [_entry()]).run())
