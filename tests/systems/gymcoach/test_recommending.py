"""Recommendations are open until they are applied or expire."""

import pytest
from tests.systems.gymcoach.people import MORNING, advice, everything, joined
from tests.systems.watch import Watch

from sortkey import DB, Op, TransactionFailed
from sortkey.wire.errors import TransactionConflictException
from sortkey_systems.gymcoach import recommending
from sortkey_systems.gymcoach.crud import change, find
from sortkey_systems.gymcoach.design import (
    WorkoutRecommendation,
    apply_recommendation,
    open_recommendations,
    workout_recommendations,
)
from sortkey_systems.gymcoach.errors import AlreadyApplied, BadInput, RecordChanged, RecordNotFound
from sortkey_systems.gymcoach.recommending import apply, recommend, revise


def opened(db: DB) -> list[str]:
    return [found.id for found in db(open_recommendations("ada"))]


def test_an_applied_recommendation_leaves_the_list_and_the_index(db: DB) -> None:
    joined(db)
    advice(db)
    assert opened(db) == ["r1"]

    applied = apply(db, "ada", "r1")

    assert applied.is_applied
    assert opened(db) == []
    [item] = [i for i in everything(db) if i["_type"]["S"] == "WorkoutRecommendation"]
    assert not {"GSI2PK", "GSI2SK", "openFor"} & item.keys()
    assert item["GSI1PK"] == {"S": "USER#ada"}
    assert find(db, workout_recommendations, "r1") == applied


def test_a_recommendation_is_applied_once(db: DB) -> None:
    joined(db)
    advice(db)
    apply(db, "ada", "r1")
    with pytest.raises(AlreadyApplied):
        apply(db, "ada", "r1")


def test_a_second_apply_and_a_concurrent_write_raise_different_errors(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined(memory)
    loaded = advice(memory)

    def met(_: WorkoutRecommendation) -> None:
        raise TransactionFailed([TransactionConflictException("another"), None])

    def beaten(_: WorkoutRecommendation) -> Op[None]:
        memory(apply_recommendation(loaded))
        return apply_recommendation(loaded)

    for others, error in ((met, RecordChanged), (beaten, AlreadyApplied)):
        monkeypatch.setattr(recommending, "apply_recommendation", others)
        with pytest.raises(error):
            apply(memory, "ada", "r1")


def test_another_users_or_an_expired_recommendation_is_not_applied(db: DB, watch: Watch) -> None:
    joined(db)
    advice(db)
    with pytest.raises(RecordNotFound):
        apply(db, "eve", "r1")
    watch.wait(days=8)
    with pytest.raises(RecordNotFound):
        apply(db, "ada", "r1")
    assert opened(db) == []


def test_it_expires_as_its_time_says_and_the_number_follows(db: DB) -> None:
    joined(db)
    made = advice(db)
    later = MORNING.replace(day=20)
    changed = change(db, workout_recommendations, made, expires_at=later)
    assert changed.ttl == later
    [item] = [i for i in everything(db) if i["_type"]["S"] == "WorkoutRecommendation"]
    assert item["expiresAt"] == {"S": "2032-03-20T09:30:00Z"}
    assert item["ttl"] == {"N": str(int(later.timestamp()))}


def test_the_most_important_comes_first(db: DB) -> None:
    joined(db)
    for number, priority in enumerate((2, 10, 9, 100)):
        change(db, workout_recommendations, advice(db, f"r{number}"), priority=priority)
    assert opened(db) == ["r3", "r1", "r2", "r0"]


def test_the_number_is_derived_whatever_is_given() -> None:
    made = WorkoutRecommendation(
        id="r",
        user_id="ada",
        recommendation_type="rest",
        title="x",
        description="x",
        reasoning="x",
        priority=1,
        expires_at=MORNING,
        ttl=MORNING.replace(year=2020),
        open_for="eve",
    )
    assert (made.ttl, made.open_for) == (MORNING, "ada")


def test_a_recommendation_that_has_expired_is_refused(db: DB, watch: Watch) -> None:
    joined(db)
    later = advice(db)
    for expires_at in (watch.now, watch.now.replace(year=2020)):
        old = later.model_copy(update={"id": "r2", "expires_at": expires_at})
        for write in (
            lambda old=old: recommend(db, old),
            lambda old=old: revise(db, later, expires_at=old.expires_at),
        ):
            with pytest.raises(BadInput) as refused:
                write()
            assert refused.value.field == "expires_at"
    assert revise(db, later, title="Rest more").title == "Rest more"
