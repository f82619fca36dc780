"""Accounts are registered once, with a fitness profile."""

import pytest
from tests.systems.gymcoach.people import everything, fitness, joined
from tests.systems.watch import Watch

from sortkey import DB
from sortkey_systems.gymcoach.accounts import account, change_account, register
from sortkey_systems.gymcoach.deleting import delete_user
from sortkey_systems.gymcoach.design import Level, UserFitnessProfile
from sortkey_systems.gymcoach.errors import (
    AccountExists,
    AccountNotFound,
    BadInput,
    DeletionUnderWay,
    RecordExists,
)


def test_registration_creates_an_account_and_a_fitness_profile(db: DB, watch: Watch) -> None:
    made = register(db, "ada", email="ada@example.org", name="Ada", experience_level=Level.ADVANCED)

    assert account(db, "ada") == made
    assert made.created_at == made.updated_at == watch.now
    assert fitness(db).experience_level is Level.ADVANCED
    assert made.preferences.privacy.profile_visibility == "private"


def test_an_id_is_registered_once(db: DB) -> None:
    before = joined(db)
    with pytest.raises(AccountExists):
        register(db, "ada", email="eve@example.org", name="Eve")
    assert account(db, "ada") == before


def test_an_id_that_is_being_deleted_is_not_free(db: DB, watch: Watch) -> None:
    joined(db)
    delete_user(db, "ada")
    with pytest.raises(DeletionUnderWay):
        joined(db)
    with pytest.raises(AccountNotFound):
        account(db, "ada")

    watch.wait(minutes=5)
    assert delete_user(db, "ada").is_complete
    joined(db)


def test_a_fitness_profile_without_an_account_is_not_overwritten(db: DB) -> None:
    db(UserFitnessProfile(user_id="ada", fitness_goals=["run"]).create())
    with pytest.raises(RecordExists):
        joined(db)
    assert len(everything(db)) == 1


def test_an_account_is_changed_in_part(db: DB, watch: Watch) -> None:
    joined(db)
    watch.wait(seconds=5)
    changed = change_account(db, "ada", name="Ada L.", preferences={"units": "imperial"})
    assert (changed.name, changed.preferences.units) == ("Ada L.", "imperial")
    assert changed.updated_at == watch.now
    with pytest.raises(AccountNotFound):
        change_account(db, "eve", name="Eve")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"user_id": "a#b"}, "id"),
        ({"email": "nobody"}, "email"),
        ({"name": ""}, "name"),
        ({"profile_image": ""}, "profile_image"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_bad_input_is_refused_by_name_and_nothing_is_written(
    db: DB, given: dict[str, object], field: str
) -> None:
    valid: dict[str, object] = {"user_id": "ada", "email": "a@b", "name": "Ada"}
    with pytest.raises(BadInput) as refused:
        register(db, **(valid | given))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    assert refused.value.field == field
    assert everything(db) == []
