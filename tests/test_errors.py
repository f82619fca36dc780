"""A failed write has the record that it conflicted with."""

from typing import Annotated

import pytest

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    Entity,
    NotFound,
    Refused,
    Table,
    TransactionFailed,
    WriteFailed,
    secret,
)


class App(Table):
    """Members and their secrets."""


class Member(Entity, table=App):
    name: str
    visits: int = 0

    primary = App.primary.key("MEMBER#{name}", "MEMBER")


class Vault(Entity, table=App):
    name: str
    code: Annotated[str, secret] = ""

    primary = App.primary.key("VAULT#{name}", "VAULT")


@pytest.fixture
def db() -> DB:
    return DB.memory(App)


def test_a_failed_condition_has_the_record_that_it_was_false_for(db: DB) -> None:
    db(Member(name="ann", visits=3).create())

    with pytest.raises(ConditionFailed) as failed:
        db(Member.update(name="ann").set(lambda m: m.visits).to(9).where(lambda m: m.visits < 3))

    assert failed.value.found(Member) == Member(name="ann", visits=3)


def test_an_existing_record_is_found(db: DB) -> None:
    db(Member(name="ann", visits=3).create())

    with pytest.raises(AlreadyExists) as failed:
        db(Member(name="ann").create())

    assert failed.value.found(Member) == Member(name="ann", visits=3)


def test_each_write_of_a_failed_transaction_has_its_record(db: DB) -> None:
    db(Member(name="ann", visits=3).create())
    again, other = Member(name="ann").create(), Member(name="bob").create()

    with pytest.raises(TransactionFailed) as failed:
        db.transact(again, other)

    failure = failed.value.of(again)
    assert isinstance(failure, WriteFailed)
    assert failure.found(Member) == Member(name="ann", visits=3)


def test_a_missing_record_is_not_found(db: DB) -> None:
    with pytest.raises(NotFound) as failed:
        db(Member.update(name="ann").set(lambda m: m.visits).to(9))

    assert failed.value.found(Member) is None


def test_a_read_error_has_no_record(db: DB) -> None:
    with pytest.raises(NotFound) as failed:
        db(Member.get(name="ann").required())

    assert not isinstance(failed.value, WriteFailed)
    assert (failed.value.entity, failed.value.key) == (
        "Member",
        {"PK": "MEMBER#ann", "SK": "MEMBER"},
    )


def test_it_is_not_found_as_another_entity(db: DB) -> None:
    with pytest.raises(NotFound) as failed:
        db(Member.update(name="ann").set(lambda m: m.visits).to(9))

    with pytest.raises(Refused, match="is about Member, not about Vault"):
        failed.value.found(Vault)


def test_secrets_are_not_opened_by_an_error() -> None:
    failed = NotFound("there is no Vault", entity="Vault", key={})

    with pytest.raises(Refused, match="Vault has secret fields"):
        failed.found(Vault)
