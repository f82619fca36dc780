"""No deletion is finished while the table may have items that it would not find."""

from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from tests.access.executors import Raw
from tests.systems.gymcoach.people import (
    MORNING,
    SAMPLES,
    everything,
    joined,
    remaining,
    stored,
)
from tests.systems.watch import Watch

from sortkey import DB, Backfill, load_design, observe
from sortkey.access.filling import fill
from sortkey.access.observing import Call
from sortkey.design.declaring.entity import kind_of
from sortkey.testing import clock, explore
from sortkey_systems.gymcoach import deleting
from sortkey_systems.gymcoach.adopting import back_filled_since
from sortkey_systems.gymcoach.crud import change, find
from sortkey_systems.gymcoach.deleting import (
    SETTLED_AFTER,
    Deletion,
    FinishedDeletions,
    delete_user,
    finish_deletions,
)
from sortkey_systems.gymcoach.design import (
    GymCoach,
    IndexSearch,
    Milestone,
    index_search,
    milestones,
    record_search,
)
from sortkey_systems.gymcoach.design.adopting import NOTIFICATIONS, PARTITIONS, SEARCHED
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.errors import DeletionUnderWay, GymCoachError, NotBackFilled

KINDS = [kind.model for kind in load_design("sortkey_systems.gymcoach.design").kinds]
AT_ONCE = timedelta(0)
FEW = 100  # schedules of a race with faults and lag together
SUBSTITUTION = {
    "PK": "EXERCISE_SUBSTITUTIONS",
    "SK": "SUBSTITUTION#sub1",
    "id": "sub1",
    "userId": "user123",
    "createdAt": "2024-01-01T00:00:00Z",
    "originalExerciseId": "squat",
    "substituteExerciseId": "lunge",
    "reason": "knee",
    "confidenceScore": 1,
    "muscleGroupsMatch": True,
    "equipmentAvailable": True,
    "difficultyMatch": True,
}
FOUND_IN_INDEX = [e.entity.__name__ for e in ERASURES if not e.is_consistent]
# As the former application may store them: without index keys, or with those of the document.
FORMER = {"no index keys": {}, "other index keys": {"GSI1PK": "user123", "GSI1SK": "2024-01-01"}}


def put(db: DB, item: dict[str, Any]) -> None:
    """Store an item as the former application did."""
    written = {name: stored(value) for name, value in item.items()}
    db(Raw("PutItem", GymCoach, {"Item": written}))


def former(name: str, **more: Any) -> dict[str, Any]:
    """An item of the document that has not expired."""
    sample = {**SAMPLES, "ExerciseSubstitution": SUBSTITUTION}[name]
    lasting = {"ttl": int(MORNING.timestamp()) + 9**9} if "ttl" in sample else {}
    return {**sample, **lasting, **more}


def back_fill(db: DB) -> None:
    *_, last = Backfill(db, KINDS).run()
    assert last.failures == ()


def calls_of(call: Any) -> list[Call]:
    seen: list[Call] = []
    with observe(seen.append):
        call()
    return seen


def test_the_search_covers_what_a_deletion_finds_in_the_index() -> None:
    partitions = {
        kind_of(e.entity).primary.parts[0].template.text for e in ERASURES if not e.is_consistent
    }
    assert partitions == {*PARTITIONS, f"{NOTIFICATIONS}{{notification_id}}"}


def test_a_new_table_is_searched_once_and_then_costs_one_read(db: DB, watch: Watch) -> None:
    assert back_filled_since(db) == MORNING
    watch.wait(minutes=1)
    later = calls_of(lambda: back_filled_since(db))
    assert [(call.pattern, len(call.exchanges)) for call in later] == [("index_search", 1)]
    assert back_filled_since(db) == MORNING
    assert len(everything(db)) == 1


@pytest.mark.parametrize("form", FORMER)
@pytest.mark.parametrize("name", FOUND_IN_INDEX)
def test_a_deletion_is_not_finished_before_the_back_fill(
    memory: DB, watch: Watch, name: str, form: str
) -> None:
    joined(memory, "user123")
    item = former(name, **FORMER[form])
    put(memory, item)

    first = delete_user(memory, "user123")
    watch.wait(minutes=6)
    again = delete_user(memory, "user123")
    refused = finish_deletions(memory)

    assert not first.is_complete
    assert again == Deletion(first.id, {}, watch.now + SETTLED_AFTER)
    assert refused.finished == ()
    assert str(refused.failed["user123"]) == (
        f"{item['PK']} / {item['SK']} is not back-filled, and a deletion would not find it: run "
        "`sortkey backfill sortkey_systems.gymcoach.design`"
    )
    with pytest.raises(DeletionUnderWay):
        joined(memory, "user123")

    back_fill(memory)
    assert finish_deletions(memory) == FinishedDeletions((), {}), "the index may lag"
    watch.wait(minutes=5)
    assert finish_deletions(memory).finished == ("user123",)
    assert remaining(memory) == []


def test_a_deletion_waits_until_the_index_has_what_was_back_filled(
    memory: DB, watch: Watch
) -> None:
    joined(memory, "user123")
    put(memory, former("Milestone"))
    delete_user(memory, "user123")
    watch.wait(minutes=60)
    back_fill(memory)
    assert delete_user(memory, "user123").retry_at == watch.now + SETTLED_AFTER
    watch.wait(minutes=4)
    assert not delete_user(memory, "user123").is_complete
    watch.wait(minutes=1)
    assert delete_user(memory, "user123").is_complete
    assert remaining(memory) == []


def test_an_item_of_somebody_else_is_in_the_way_too(memory: DB) -> None:
    """Whose an item is shows only when it is read, and the search ends at the first."""
    joined(memory)
    put(memory, former("Milestone"))
    assert not delete_user(memory, "ada", settled_after=AT_ONCE).is_complete


def test_expired_items_that_are_still_stored_are_in_the_way(memory: DB) -> None:
    """The back-fill leaves them to DynamoDB, which deletes them within days."""
    joined(memory, "user123")
    put(memory, former("NotificationRecord", ttl=1))
    back_fill(memory)
    assert not delete_user(memory, "user123", settled_after=AT_ONCE).is_complete


def test_records_without_an_account_are_erased_after_the_back_fill(
    memory: DB, watch: Watch
) -> None:
    """The former application may have deleted only the profile."""
    put(memory, former("Milestone"))
    assert not delete_user(memory, "user123", settled_after=AT_ONCE).is_complete
    back_fill(memory)
    assert finish_deletions(memory) == FinishedDeletions((), {})
    watch.wait(minutes=5)
    assert finish_deletions(memory).finished == ("user123",)
    assert remaining(memory) == []


def test_records_without_an_account_are_erased_although_the_index_lags_behind_the_back_fill(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(memory, former("Milestone"))
    back_fill(memory)

    with monkeypatch.context() as lagging:
        found_without_index = tuple(e for e in ERASURES if e.is_consistent)
        lagging.setattr(deleting, "ERASURES", found_without_index)
        assert not delete_user(memory, "user123").is_complete
    watch.wait(minutes=5)

    assert finish_deletions(memory).finished == ("user123",)
    assert remaining(memory) == []


def many(db: DB) -> None:
    """As many records as are searched at a time, and one more."""
    goals = (
        Milestone(
            id=f"m{number}",
            user_id="ada",
            milestone_type="strength",
            title="Squat",
            target_value=Decimal(100),
        )
        for number in range(SEARCHED + 1)
    )
    fill(db, goals)


def test_a_large_table_is_searched_by_several_calls(memory: DB) -> None:
    many(memory)
    assert back_filled_since(memory) is None
    assert back_filled_since(memory) == MORNING


def test_a_schedule_searches_more_in_a_call_than_a_user(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(memory)
    joined(memory)
    with monkeypatch.context() as patch:
        patch.setattr(deleting, "SEARCHED_PAGES", 1)
        assert finish_deletions(memory, settled_after=AT_ONCE) == FinishedDeletions((), {})
        memory(record_search(IndexSearch()))
    assert not delete_user(memory, "ada", settled_after=AT_ONCE).is_complete
    memory(record_search(IndexSearch()))
    assert finish_deletions(memory, settled_after=AT_ONCE).finished == ("ada",)


def test_the_search_continues_where_it_found_an_item(memory: DB) -> None:
    many(memory)
    # In the order of the scan it is behind the others.
    for number in range(9):
        put(memory, former("WorkoutPlan", SK=f"PLAN#{number}", id=str(number)))
    with pytest.raises(NotBackFilled):
        back_filled_since(memory, pages=2)
    search = memory(index_search())
    assert search is not None
    assert search.finished_at is None
    back_fill(memory)
    pages = [call for call in calls_of(lambda: back_filled_since(memory)) if call.pattern]
    assert [call.pattern for call in pages] == ["index_search", "unfilled_items", "record_search"]


def test_a_position_that_cannot_be_read_starts_the_search_again(memory: DB) -> None:
    put(memory, former("Milestone"))
    memory(record_search(IndexSearch(position="of another version")))
    with pytest.raises(NotBackFilled, match="MILESTONES"):
        back_filled_since(memory)


def test_an_item_that_was_only_changed_is_not_back_filled(memory: DB) -> None:
    """A change adds neither the type nor the keys of an index."""
    joined(memory, "user123")
    put(memory, former("Milestone"))
    change(memory, milestones, find(memory, milestones, "milestone123"), title="More")
    with pytest.raises(NotBackFilled):
        back_filled_since(memory)


def finish_later(db: DB) -> None:
    """Finish the deletions when the index has settled."""
    with clock((MORNING + 2 * SETTLED_AFTER).timestamp):
        finish_deletions(db)


@pytest.mark.parametrize("lag", [False, True])
def test_a_back_fill_while_deletions_are_finished(
    memory: DB, monkeypatch: pytest.MonkeyPatch, *, lag: bool
) -> None:
    joined(memory, "user123")
    put(memory, former("Milestone"))
    delete_user(memory, "user123")
    few = tuple(e for e in ERASURES if e.entity.__name__ == "Milestone")
    monkeypatch.setattr("sortkey_systems.gymcoach.deleting.ERASURES", few)

    def nothing_is_left_without_its_account() -> None:
        kinds = {item["SK"]["S"].split("#")[0] for item in everything(memory)}
        assert "PROFILE" in kinds or "MILESTONE" not in kinds, "a record is left behind"

    explored = explore(
        partial(finish_deletions, memory, settled_after=SETTLED_AFTER if lag else AT_ONCE),
        partial(back_fill, memory),
        db=memory,
        then=partial(finish_later, memory),
        invariant=nothing_is_left_without_its_account,
        errors=(GymCoachError,),
        crashes=lag,
        lost_responses=lag,
        index_lag=lag,
        stale_reads=lag,
        sample=FEW if lag else None,
    )

    assert explored.schedules > 10
