"""Records that a write needs are stored, and records in its way are removed."""

from pathlib import Path
from typing import Any

import pytest
from tests.prove.designs import design, proved

from sortkey import Entity, Op, Table, Version, exists, missing, transact, write_many
from sortkey.clock import clock
from sortkey.prove.allowing import allowing
from sortkey.prove.effects import Effect, effect
from sortkey.prove.state import RecordState
from sortkey.prove.strategies import Strategies
from sortkey.prove.values import NOW

# A job ends only if five conditions on two records hold, and its history row does not exist.
JOBS = """
class State(Enum):
    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"
    LOST = "lost"

class App(Table):
    pass

class Shop(Entity, table=App):
    shop: str
    plan: str
    running: int = 0
    region: int = 0
    primary = App.primary.key("SHOP#{shop}", "SHOP")

class Job(Entity, table=App):
    shop: str
    job: str
    batch: int = 0
    code: Annotated[int, Field(ge=0)] = 0
    state: State = State.QUEUED
    primary = App.primary.key("SHOP#{shop}", "JOB#{job}")

class Row(Entity, table=App):
    shop: str
    job: str
    primary = App.primary.key("SHOP#{shop}", "ROW#{job}")

@pattern("End a job")
def end(job: Job, code: int) -> Op[None]:
    batch = job.batch
    ended = (
        job.update()
        .set(state=State.ENDED)
        .where(lambda j: (j.state == State.RUNNING) & (j.batch == batch) & (j.code == 4711))
    )
    left = Shop.update(shop=job.shop).add(running=-1).where(lambda s: s.running > 17)
    there = Shop.check(shop="eu").where(lambda s: (s.plan == "gold") & (s.region == code))
    return transact(ended, left, there, Row(shop=job.shop, job=job.job).create())
"""


class App(Table):
    pass


class Account(Entity, table=App):
    name: str
    balance: int = 0
    note: str | None = None
    version: Version = 0
    primary = App.primary.key("ACCOUNT#{name}", "ACCOUNT")


class Lock(Entity, table=App):
    name: str
    primary = App.primary.key("ACCOUNT#{name}", "LOCK")


def stored(record: Entity) -> Any:
    """Return a record as it is stored, with its version."""
    return record.create().record


def needed(operation: Op[Any], *records: Entity) -> list[Entity]:
    """Return the records, on which the write must succeed."""
    found = allowing(operation, records, Strategies())
    assert isinstance(effect(operation, RecordState.of_first(found)), Effect)
    return list(found)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_transaction_with_many_conditions_is_proved(tmp_path: Path, seed: int) -> None:
    proved(design(tmp_path, JOBS), "end", seed=seed)


def test_a_missing_record_is_stored_with_the_values_of_the_conditions() -> None:
    operation = Account.update(name="a").add(balance=-5).where(lambda a: a.balance >= 5)

    [account] = needed(operation)

    assert account == stored(Account(name="a", balance=5))


def test_a_stored_record_is_changed_to_meet_the_conditions() -> None:
    operation = Account.check(name="a").where(lambda a: exists(a.note))

    [account] = needed(operation, stored(Account(name="a", balance=3)))

    assert isinstance(account, Account)
    assert account.balance == 3
    assert account.note is not None


def test_a_loaded_record_is_stored_again_as_it_was() -> None:
    loaded = stored(Account(name="a", balance=3))

    assert needed(loaded.update().set(balance=4)) == [loaded]
    assert needed(loaded.delete()) == [loaded]
    assert needed(loaded.check()) == [loaded]


def test_a_record_in_the_way_is_removed() -> None:
    account = stored(Account(name="a"))
    other = stored(Account(name="b"))

    assert needed(Account(name="a").create(), account, other) == [other]
    assert needed(Account.check(name="a").is_absent(), account, other) == [other]


def test_a_write_that_needs_no_record_gets_none() -> None:
    with clock(NOW.timestamp):
        assert needed(Lock.delete(name="a")) == []
        assert needed(Lock(name="a").put()) == []
        assert needed(Lock.upsert(name="a")) == []


def test_each_write_of_a_batch_or_a_result_is_allowed() -> None:
    operation = write_many([Lock(name="a").put(), Account(name="b").create()])
    given = transact(Account.check(name="c"), Lock(name="c").create()).returning(1)

    assert needed(operation, stored(Account(name="b"))) == []
    assert needed(given, stored(Lock(name="c"))) == [stored(Account(name="c"))]


def test_a_condition_that_no_record_meets_leaves_the_records_as_they_are() -> None:
    operation = (
        Account.update(name="a").set(note="x").where(lambda a: missing(a.name) & exists(a.name))
    )

    assert allowing(operation, (), Strategies()) == ()


def test_a_read_needs_nothing() -> None:
    account = stored(Account(name="a"))

    assert allowing(Account.get(name="a"), [account], Strategies()) == (account,)
