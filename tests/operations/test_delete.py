"""Deletes remove what belongs to the record, and nothing else."""

from collections.abc import Iterator
from typing import Annotated

import pytest

from sortkey import DB, Entity, NotFound, Table, Version, VersionConflict, unique


class Club(Table):
    """A separate table."""


class Guest(Entity, table=Club):
    guest_id: str
    email: Annotated[str, unique]
    rev: Version = 0

    primary = Club.primary.key("GUEST#{guest_id}", "GUEST")


@pytest.fixture
def db() -> Iterator[DB]:
    with DB.memory(Club) as opened:
        yield opened


def test_erasing_a_record_whose_unique_value_has_changed_leaves_no_lock_behind(db: DB) -> None:
    stale = db(Guest(guest_id="ada", email="old").create())
    changed = db(stale.update().set(lambda g: g.email).to("new"))

    with pytest.raises(VersionConflict, match="a different email"):
        db(stale.erase())
    db(changed.erase())

    assert db(Guest(guest_id="bob", email="new").create()).rev == 1


def test_erasing_does_not_check_the_version(db: DB) -> None:
    stale = db(Guest(guest_id="ada", email="a").create())
    db(stale.replace(before=stale))

    db(stale.erase())

    assert db(Guest.get(guest_id="ada")) is None
    assert db(Guest(guest_id="bob", email="a").create()).rev == 1


def test_erasing_a_record_with_a_lock_twice_is_reported(db: DB) -> None:
    loaded = db(Guest(guest_id="ada", email="a").create())
    db(loaded.erase())

    with pytest.raises(NotFound):
        db(loaded.erase())
