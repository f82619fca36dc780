"""Of an account that is deleted nothing is left, and of others nothing is missing."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from tests.access.executors import Raw
from tests.systems.gymcoach.people import (
    MORNING,
    advice,
    everything,
    generated,
    goal,
    joined,
    remaining,
    started,
)
from tests.systems.watch import Watch

from sortkey import DB, Entity, Keyring, LocalKey, TransactionFailed
from sortkey.access.filling import fill
from sortkey.design.declaring.entity import kind_of
from sortkey.wire.errors import TransactionConflictException
from sortkey_systems.gymcoach import deleting
from sortkey_systems.gymcoach.accounts import change_account
from sortkey_systems.gymcoach.crud import key_of
from sortkey_systems.gymcoach.deleting import (
    SETTLED_AFTER,
    Deletion,
    FinishedDeletions,
    delete_user,
    end_of,
    finish_deletions,
    sweep,
)
from sortkey_systems.gymcoach.design import (
    FinishedDeletion,
    GymCoach,
    IndexSearch,
    UserFitnessProfile,
    UserProfile,
    WorkoutPlan,
    record_search,
    users,
)
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    DeletionUnderWay,
    RecordNotFound,
)
from sortkey_systems.gymcoach.exporting import export
from sortkey_systems.gymcoach.notifying import notify, register_device
from sortkey_systems.gymcoach.reminding import set_preferences

MADE = generated(12, 2)


def of_nobody(user_id: str, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items in which this user does not occur."""
    return [i for i in items if f"'{user_id}'" not in str(i) and f"#{user_id}'" not in str(i)]


@pytest.fixture
def lived(db: DB, watch: Watch) -> DB:
    """Twelve people who have a record of every kind."""
    watch.now = MORNING
    fill(db, MADE)
    return db


def test_nothing_of_a_user_is_left_and_nothing_of_others_is_missing(
    lived: DB, watch: Watch
) -> None:
    before = remaining(lived)
    kinds = {item["_type"]["S"] for item in before if item.get("userId") == {"S": "user1"}}
    assert len(kinds) == 20, "every entity with an owner"

    first = delete_user(lived, "user1")

    assert first.retry_at == watch.now + SETTLED_AFTER
    left = [i for i in everything(lived) if i.get("userId") == {"S": "user1"}]
    assert [item["_type"]["S"] for item in left] == ["UserProfile"]
    watch.wait(minutes=5)
    assert delete_user(lived, "user1") == Deletion(first.id, {"UserProfile": 1})
    after = remaining(lived)
    assert sorted(map(str, after)) == sorted(map(str, of_nobody("user1", before)))
    assert all("user1'" not in str(item) for item in after)
    assert {"user10", "user11", "user12"} <= {str(i.get("userId", {}).get("S")) for i in after}


def test_the_mark_says_nothing_of_the_person(db: DB) -> None:
    joined(db)
    image = "https://images.example.org/ada.jpg"
    change_account(db, "ada", name="Ada", profile_image=image, fitness_goals="Run")
    change_account(db, "ada", preferences={"timezone": "Europe/Berlin"})
    delete_user(db, "ada")
    [mark] = remaining(db)
    assert (mark["name"], mark["email"]) == ({"S": "deleted"}, {"S": "deleted@invalid"})
    assert not {"profileImage", "fitnessGoals"} & mark.keys()
    assert mark["preferences"]["M"]["timezone"] == {"S": "UTC"}


def test_its_end_is_recorded_without_the_person(db: DB, watch: Watch) -> None:
    joined(db)
    deletion_id = delete_user(db, "ada").id
    assert deletion_id is not None
    with pytest.raises(RecordNotFound):
        end_of(db, deletion_id)
    watch.wait(minutes=5)

    assert finish_deletions(db).finished == ("ada",)

    end = FinishedDeletion(id=deletion_id, began_at=MORNING, finished_at=watch.now)
    assert end_of(db, deletion_id) == end
    assert "ada" not in str(everything(db))


def test_a_deletion_that_an_earlier_version_began_is_finished(db: DB, watch: Watch) -> None:
    """Its mark has no id, and left more of the account."""
    joined(db)
    db(UserProfile.update(user_id="ada").set(deleting_since=MORNING))
    assert finish_deletions(db) == FinishedDeletions((), {})
    watch.wait(minutes=5)

    assert finish_deletions(db).finished == ("ada",)

    assert remaining(db) == []
    ends = [item for item in everything(db) if item["_type"]["S"] == "FinishedDeletion"]
    assert [end["beganAt"]["S"] for end in ends] == ["2032-03-01T09:30:00Z"]
    assert "ada" not in str(everything(db))


def test_two_deletions_in_one_second_are_told_apart(db: DB) -> None:
    """The first, which is still running, removes nothing of the account that came after it."""
    joined(db)
    first = delete_user(db, "ada", settled_after=timedelta(0))
    joined(db)
    second = delete_user(db, "ada")
    assert first.id is not None
    assert second.id not in {None, first.id}
    db(UserFitnessProfile(user_id="ada").create())

    assert sweep(db, "ada", first.id) == {}

    assert len(remaining(db)) == 2


def test_it_returns_the_number_of_deleted_records(lived: DB) -> None:
    own = [r for r in MADE if r.__dict__.get("user_id") == "user2"]
    removed = delete_user(lived, "user2", settled_after=timedelta(0)).deleted
    assert sum(removed.values()) == len(own)
    assert removed["UserProfile"] == 1


def test_expired_records_that_are_still_stored_are_deleted_too(lived: DB, watch: Watch) -> None:
    watch.wait(days=400)
    delete_user(lived, "user1", settled_after=timedelta(0))
    assert all(item.get("userId") != {"S": "user1"} for item in everything(lived))


def test_it_may_be_called_again_at_any_time(db: DB, watch: Watch) -> None:
    joined(db)
    since = delete_user(db, "ada").retry_at
    watch.wait(minutes=4)
    assert delete_user(db, "ada").retry_at == since, "the first mark counts"
    watch.wait(minutes=1)
    assert delete_user(db, "ada").is_complete
    assert remaining(db) == []
    delete_user(db, "ada", settled_after=timedelta(0))
    assert remaining(db) == []


def test_a_deletion_is_finished_without_another_request_of_the_user(
    lived: DB, watch: Watch
) -> None:
    before = remaining(lived)
    for user_id in ("user1", "user2"):
        delete_user(lived, user_id)
        watch.wait(minutes=3)

    assert finish_deletions(lived).finished == ("user1",), "user2 has two minutes left"
    assert finish_deletions(lived) == FinishedDeletions((), {})
    watch.wait(minutes=2)
    assert finish_deletions(lived).finished == ("user2",)

    left = of_nobody("user2", of_nobody("user1", before))
    assert sorted(map(str, remaining(lived))) == sorted(map(str, left))


class Broken:
    """A kind of record of which Eve has one that cannot be read."""

    def keys(self, user_id: str) -> Any:
        if user_id == "eve":
            raise ValueError("unreadable")
        return ERASURES[0].keys(user_id)


def test_a_deletion_that_fails_is_reported_and_the_others_continue(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user_id in ("ada", "eve", "zoe"):
        joined(memory, user_id)
        delete_user(memory, user_id)
    watch.wait(minutes=5)

    with monkeypatch.context() as patch:
        patch.setattr(deleting, "ERASURES", (Broken(), *ERASURES))
        result = finish_deletions(memory)

    assert result.finished == ("ada", "zoe")
    assert {user_id: str(error) for user_id, error in result.failed.items()} == {
        "eve": "unreadable"
    }
    assert finish_deletions(memory) == FinishedDeletions(("eve",), {}), "as soon as it can be read"


def test_more_records_than_fit_into_a_transaction_are_all_deleted(memory: DB) -> None:
    joined(memory)
    for number in range(100):
        goal(memory, f"m{number}", 100)
    assert delete_user(memory, "ada", settled_after=timedelta(0)).deleted["Milestone"] == 100
    assert remaining(memory) == []


def test_a_deletion_without_an_account_does_not_block_a_registration(db: DB) -> None:
    db(record_search(IndexSearch(finished_at=MORNING - SETTLED_AFTER)))
    assert delete_user(db, "ada") == Deletion(None, {})
    assert remaining(db) == []
    joined(db)


def test_while_it_is_deleted_nothing_is_created_for_it(db: DB) -> None:
    joined(db)
    delete_user(db, "ada")
    with pytest.raises(DeletionUnderWay):
        joined(db)
    for write in (
        lambda: change_account(db, "ada", name="Ada", fitness_goals="Run"),
        lambda: started(db, "s1"),
        lambda: goal(db, "m1", 100),
        lambda: advice(db),
        lambda: notify(db, "ada", notification_type="x", title="x", body="x"),
        lambda: register_device(db, "ada", "d", device_token="t", platform="ios"),
        lambda: set_preferences(db, "ada", workout_reminder_time="08:00"),
        lambda: [*export(db, "ada")],
    ):
        with pytest.raises(AccountNotFound):
            write()
    assert len(remaining(db)) == 1


class Died(BaseException):
    """The process is gone."""


class Deadly:
    """A kind of record at which the process dies."""

    def keys(self, _: str) -> None:
        raise Died


def test_after_a_crash_the_next_call_finishes_it(
    lived: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for survived in (0, 5, 17):
        with monkeypatch.context() as patch:
            patch.setattr(deleting, "ERASURES", (*ERASURES[:survived], Deadly()))
            with pytest.raises(Died):
                delete_user(lived, "user1")
        with pytest.raises(DeletionUnderWay):
            joined(lived, "user1")
    watch.wait(minutes=5)
    assert finish_deletions(lived).finished == ("user1",)
    assert all(item.get("userId") != {"S": "user1"} for item in everything(lived))


class Busy:
    """A kind of record whose removal meets another transaction at the account."""

    entity = WorkoutPlan

    def keys(self, user_id: str) -> Any:
        return ERASURES[0].keys(user_id)

    def erase(self, *_: object) -> None:
        raise TransactionFailed([TransactionConflictException("another"), None])


def test_an_account_stays_until_its_records_are_gone(
    lived: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction conflict is not mistaken for a mark that is gone."""
    monkeypatch.setattr(deleting, "ERASURES", (Busy(),))
    with pytest.raises(TransactionFailed):
        delete_user(lived, "user1", settled_after=timedelta(0))
    with pytest.raises(DeletionUnderWay):
        joined(lived, "user1")


def test_records_without_an_account_go_too(lived: DB, watch: Watch) -> None:
    """An import may leave such records; the id cannot be registered meanwhile."""
    profile = {"PK": {"S": "USER#user1"}, "SK": {"S": "PROFILE#user1"}}
    lived(Raw("DeleteItem", GymCoach, {"Key": profile}))

    assert not delete_user(lived, "user1").is_complete
    with pytest.raises(DeletionUnderWay):
        joined(lived, "user1")
    watch.wait(minutes=5)
    assert finish_deletions(lived).finished == ("user1",)
    assert all(item.get("userId") != {"S": "user1"} for item in everything(lived))
    joined(lived, "user1")


def test_a_second_deletion_in_the_same_second_uses_the_mark_of_the_first(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory(UserFitnessProfile(user_id="ada").create())
    marking = users.create

    def just_after_another(account: UserProfile) -> object:
        monkeypatch.undo()
        delete_user(memory, "ada")
        return marking(account)

    monkeypatch.setattr(users, "create", just_after_another)
    second = delete_user(memory, "ada")
    [mark] = remaining(memory)
    assert second == Deletion(mark["deletionId"]["S"], {}, MORNING + SETTLED_AFTER)


def test_no_key_is_needed_to_delete_secrets(memory: DB) -> None:
    fill(memory, MADE)
    memory._context = DB.memory(GymCoach, secrets=Keyring(LocalKey.new("other")))._context
    delete_user(memory, "user5", settled_after=timedelta(0))
    assert all(item.get("userId") != {"S": "user5"} for item in everything(memory))


def test_an_id_that_cannot_be_one_is_refused(db: DB) -> None:
    with pytest.raises(BadInput):
        delete_user(db, "a#b")
    assert everything(db) == []


# Export.


def plain(records: Iterable[Entity]) -> list[dict[str, Any]]:
    """Records without what changes when they are written, in one order."""
    ordered = sorted(records, key=lambda record: (type(record).__name__, key_of(record)))
    return [
        record.model_dump(exclude={kind.version_field or "", kind.updated_field or ""})
        for record in ordered
        for kind in (kind_of(type(record)),)
    ]


def test_an_export_has_every_record_of_a_user_and_no_other(lived: DB) -> None:
    for user_id in ("user1", "user5", "user12"):
        own = [r for r in MADE if r.__dict__.get("user_id") == user_id]
        assert plain(export(lived, user_id)) == plain(own)


def test_an_unknown_user_cannot_export(db: DB) -> None:
    with pytest.raises(AccountNotFound):
        list(export(db, "ada"))
