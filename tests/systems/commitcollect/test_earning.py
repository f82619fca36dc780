"""A fraction of the target earns a part of the statue, which is kept."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import (
    SPRING,
    TRACE,
    Clock,
    event,
    goal,
    ride,
    signed_in,
    statue,
    under_way,
)

from sortkey import (
    DB,
    AlreadyExists,
    Contended,
    Refused,
    TransactionFailed,
    VersionConflict,
    ulid,
)
from sortkey_systems.commitcollect import earning as service
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.deleting import delete_account
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.audit import EventType, audit_by_type
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    MilestoneStatus,
    TargetType,
    add_milestone,
    awards,
    milestone,
    milestone_with_awards,
    mint,
)
from sortkey_systems.commitcollect.design.models import ModelPart, model_parts
from sortkey_systems.commitcollect.design.tables import CommitCollect
from sortkey_systems.commitcollect.design.workouts import Sport
from sortkey_systems.commitcollect.earning import (
    create_milestone,
    part_target,
    parts_reached,
    recompute,
)
from sortkey_systems.commitcollect.errors import (
    AccountNotFound,
    BadInput,
    MilestoneNotFound,
    ModelIncomplete,
    ModelUnavailable,
)
from sortkey_systems.commitcollect.publishing import publish, retire
from sortkey_systems.commitcollect.receiving import Aspect, receive


def earned(db: DB, made: Milestone) -> list[int]:
    return [award.part_index for award in db(awards("ada", made.milestone_id))]


# Creation.


def test_a_milestone_begins_with_nothing(db: DB) -> None:
    made = under_way(db, total=1_000, parts=3)

    assert db(milestone("ada", made.milestone_id)) == made
    assert (made.part_target, made.parts_earned, made.progress_value) == (334, 0, 0)
    assert (made.status, made.version, len(made.milestone_id)) == (MilestoneStatus.ACTIVE, 1, 26)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"total_target": Decimal(0)}, "total_target"),
        ({"total_target": Decimal(-1)}, "total_target"),
        ({"total_target": Decimal("NaN")}, "total_target"),
        ({"total_target": Decimal("sNaN")}, "total_target"),
        ({"total_target": Decimal("Infinity")}, "total_target"),
        ({"total_target": Decimal("1E+200")}, "total_target"),
        ({"period_start": SPRING.replace(tzinfo=None)}, "period_start"),
        ({"parts_total": 0}, "parts_total"),
        ({"parts_total": 100}, "parts_total"),
        ({"parts_total": 3}, "parts_total"),
        ({"user_id": "a#b"}, "user_id"),
        ({"model_id": "a#b"}, "model_id"),
    ],
)
def test_bad_input_is_rejected_with_its_field_and_nothing_is_written(
    db: DB, given: dict[str, Any], field: str
) -> None:
    signed_in(db)
    publish(db, *statue())
    before = stored_items(db, CommitCollect)
    asked: dict[str, Any] = {
        "user_id": "ada",
        "model_id": "nike",
        "sport": Sport.RIDE,
        "target_type": TargetType.DISTANCE_METERS,
        "total_target": Decimal(1000),
        "parts_total": 4,
        "period_start": SPRING,
    }

    with pytest.raises(BadInput) as refused:
        create_milestone(db, **(asked | given))

    assert refused.value.field == field
    assert stored_items(db, CommitCollect) == before


def test_a_target_may_be_very_small(db: DB) -> None:
    assert under_way(db, total=1).total_target == 1


def test_a_statue_may_be_of_one_part(memory: DB) -> None:
    made = under_way(memory, parts=1)
    ride(memory, "1", 100_000)

    assert recompute(memory, "ada", made.milestone_id, TRACE).minted == (1,)


def test_a_milestone_is_set_once(memory: DB) -> None:
    made = under_way(memory)

    with pytest.raises(TransactionFailed):
        memory(add_milestone(made.model_copy(update={"total_target": Decimal(1)})))

    assert memory(milestone("ada", made.milestone_id)) == made


def test_a_milestone_counts_the_awards_that_are_stored_with_it(memory: DB) -> None:
    made = under_way(memory)
    claimed = made.model_copy(update={"milestone_id": ulid(), "parts_earned": 3})
    memory(add_milestone(claimed))
    loaded = memory(milestone("ada", claimed.milestone_id))
    assert loaded is not None
    assert loaded.parts_earned == 0

    memory(mint(loaded, claimed, memory(model_parts(made.model_id))[:2], SPRING))

    assert earned(memory, claimed) == [1, 2]
    counted = memory(milestone("ada", claimed.milestone_id))
    assert counted is not None
    assert counted.parts_earned == 2


def test_a_model_that_is_unknown_or_retired_cannot_be_chosen(db: DB) -> None:
    signed_in(db)
    with pytest.raises(ModelUnavailable):
        goal(db)
    publish(db, *statue())
    retire(db, "nike")
    with pytest.raises(ModelUnavailable):
        goal(db)


def test_a_user_without_an_account_cannot_create_a_milestone(db: DB) -> None:
    publish(db, *statue())
    with pytest.raises(AccountNotFound):
        goal(db)


# Earning.


def test_each_fraction_of_the_target_earns_a_part_with_its_details(db: DB, now: Clock) -> None:
    made = under_way(db)
    ride(db, "1", 60_000)

    done = recompute(db, "ada", made.milestone_id, TRACE)

    assert done.minted == (1, 2)
    whole = db(milestone_with_awards("ada", made.milestone_id))
    assert whole.milestone is not None
    reached = whole.milestone
    assert (reached.progress_value, reached.percent_complete) == (60_000, 60)
    assert (reached.parts_earned, reached.version) == (2, 2)
    assert whole.awards[1] == Award(
        user_id="ada",
        milestone_id=made.milestone_id,
        part_index=2,
        part_name="part 2",
        mesh_file="nike/02.glb",
        attach_point="socket-2",
        awarded_at_utc=now.moment,
        progress_value_at_award=Decimal(60_000),
    )


def test_a_second_recompute_of_the_same_rides_writes_nothing(db: DB) -> None:
    made = under_way(db)
    ride(db, "1", 60_000)
    first = recompute(db, "ada", made.milestone_id, TRACE)
    before = stored_items(db, CommitCollect)

    second = recompute(db, "ada", made.milestone_id, TRACE)

    assert second.minted == ()
    assert second.milestone.version == first.milestone.version
    assert stored_items(db, CommitCollect) == before


def test_only_the_milestones_own_sport_and_time_counts(db: DB) -> None:
    made = under_way(db)
    ride(db, "1", 10_000)
    ride(db, "2", 10_000, sport_type="Run")
    ride(db, "3", 10_000, sport_type="VirtualRide")
    ride(db, "4", 10_000, start_date=made.period_start_at_utc)
    ride(db, "5", 10_000, start_date=made.period_start_at_utc - timedelta(seconds=1))
    ride(db, "6", 10_000, distance_meters=None)

    assert recompute(db, "ada", made.milestone_id, TRACE).milestone.progress_value == 20_000


def test_elevation_is_counted_where_the_milestone_says_so(db: DB) -> None:
    under_way(db)
    climb = goal(db, total=200, target_type=TargetType.ELEVATION_METERS)
    ride(db, "1", 60_000, total_elevation_gain=Decimal("100.5"))
    ride(db, "2", 60_000, total_elevation_gain=None)

    done = recompute(db, "ada", climb.milestone_id, TRACE)

    assert (done.milestone.progress_value, done.minted) == (Decimal("100.5"), (1, 2))


def test_progress_may_fall_but_parts_and_completion_do_not(db: DB) -> None:
    made = under_way(db)
    ride(db, "1", 100_000)
    assert recompute(db, "ada", made.milestone_id, TRACE).minted == (1, 2, 3, 4)

    receive(db, event(aspect=Aspect.DELETE, at=SPRING + timedelta(days=1)), None, TRACE)
    after = recompute(db, "ada", made.milestone_id, TRACE)

    reached = after.milestone
    assert (reached.progress_value, reached.percent_complete) == (0, 0)
    assert (reached.parts_earned, reached.status) == (4, MilestoneStatus.COMPLETED)
    assert (after.minted, earned(db, made)) == ((), [1, 2, 3, 4])


def test_more_than_the_target_is_all_of_it(memory: DB) -> None:
    made = under_way(memory)
    ride(memory, "1", 150_000)

    reached = recompute(memory, "ada", made.milestone_id, TRACE).milestone

    assert (reached.progress_value, reached.percent_complete) == (150_000, 100)


def test_rounding_up_does_not_cost_the_last_part(db: DB) -> None:
    made = under_way(db, total=10, parts=4)  # a part takes 3, four of them would take 12
    ride(db, "1", 9)
    assert recompute(db, "ada", made.milestone_id, TRACE).minted == (1, 2, 3)

    ride(db, "2", 1)

    assert recompute(db, "ada", made.milestone_id, TRACE).minted == (4,)


def test_the_arithmetic_of_parts() -> None:
    assert part_target(Decimal(100), 3) == 34
    assert part_target(Decimal("0.5"), 4) == 1
    base = Milestone.model_construct(
        total_target=Decimal(100), part_target=Decimal(34), parts_total=3
    )
    reached = [parts_reached(base, Decimal(metres)) for metres in (0, 33, 34, 67, 68, 99, 100, 500)]
    assert reached == [0, 0, 1, 1, 2, 2, 3, 3]


def test_all_of_ninety_nine_parts_are_earned_in_two_transactions(db: DB) -> None:
    made = under_way(db, total=99, parts=99)
    ride(db, "1", 99)

    done = recompute(db, "ada", made.milestone_id, TRACE)

    assert done.minted == tuple(range(1, 100))
    assert (done.milestone.version, done.milestone.parts_earned) == (3, 99)
    assert done.milestone.status is MilestoneStatus.COMPLETED
    assert db(milestone("ada", made.milestone_id)) == done.milestone
    assert earned(db, made) == [*range(1, 100)]


def test_what_was_done_is_read_once(memory: DB, monkeypatch: pytest.MonkeyPatch) -> None:
    made = under_way(memory)
    ride(memory, "1", 60_000)
    progress = service.progress_of
    read: list[int] = []

    def watched(memory: DB, loaded: Milestone) -> Decimal:
        read.append(loaded.version)
        return progress(memory, loaded)

    monkeypatch.setattr(service, "progress_of", watched)
    recompute(memory, "ada", made.milestone_id, TRACE)

    assert read == [made.version]


def test_a_crash_between_the_two_leaves_a_count_of_what_is_committed(
    db: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = under_way(db, total=99, parts=99)
    ride(db, "1", 99)

    def crash(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(service, "audit", crash)
    with pytest.raises(KeyboardInterrupt):
        recompute(db, "ada", made.milestone_id, TRACE)
    half = db(milestone("ada", made.milestone_id))
    assert half is not None
    assert (half.parts_earned, half.status) == (98, MilestoneStatus.ACTIVE)
    assert len(earned(db, made)) == 98

    monkeypatch.setattr(service, "audit", audit)
    assert recompute(db, "ada", made.milestone_id, TRACE).minted == (99,)


def test_a_version_that_keeps_changing_is_reported(db: DB, monkeypatch: pytest.MonkeyPatch) -> None:
    made = under_way(db)
    ride(db, "1", 60_000)
    progress = service.progress_of

    def disturbed(db: DB, loaded: Milestone) -> Decimal:
        db(loaded.update().set(lambda m: m.progress_value).to(loaded.progress_value + 1))
        return progress(db, loaded)

    monkeypatch.setattr(service, "progress_of", disturbed)

    with pytest.raises(Contended):
        recompute(db, "ada", made.milestone_id, TRACE)

    assert earned(db, made) == []
    stored = db(milestone("ada", made.milestone_id))
    assert stored is not None
    assert stored.version == made.version + 5


def test_an_account_that_is_being_deleted_mints_nothing(db: DB) -> None:
    made = under_way(db)
    ride(db, "1", 60_000)
    db(UserProfile.delete(user_id="ada"))

    with pytest.raises(AccountNotFound):
        recompute(db, "ada", made.milestone_id, TRACE)

    assert earned(db, made) == []


def test_a_model_without_the_part_is_reported_and_nothing_is_minted(db: DB) -> None:
    made = under_way(db)
    ride(db, "1", 60_000)
    db(ModelPart.delete(model_id="nike", index=2))

    with pytest.raises(ModelIncomplete):
        recompute(db, "ada", made.milestone_id, TRACE)

    assert earned(db, made) == []


def test_a_retired_model_still_gives_its_parts(db: DB) -> None:
    made = under_way(db)
    retire(db, "nike")
    ride(db, "1", 60_000)

    assert recompute(db, "ada", made.milestone_id, TRACE).minted == (1, 2)


def test_an_unknown_milestone_raises_an_error(db: DB) -> None:
    made = under_way(db)
    with pytest.raises(MilestoneNotFound):
        recompute(db, "eve", made.milestone_id, TRACE)
    with pytest.raises(BadInput):
        recompute(db, "e#e", made.milestone_id, TRACE)


# Earned parts are kept.


def test_an_award_is_never_changed_or_minted_twice(db: DB) -> None:
    made = under_way(db)
    ride(db, "1", 30_000)
    recompute(db, "ada", made.milestone_id, TRACE)
    [award] = db(awards("ada", made.milestone_id))

    for forbidden in (award.put, award.replace, award.delete):
        with pytest.raises(Refused, match="immutable"):
            db(forbidden())
    with pytest.raises(Refused, match="immutable"):
        award.update().set(lambda a: a.part_name).to("mine")
    with pytest.raises(AlreadyExists):
        db(award.create())


def test_a_milestone_is_written_only_as_it_was_loaded(db: DB) -> None:
    made = under_way(db)
    db(made.update().set(lambda m: m.progress_value).to(Decimal(1)))

    with pytest.raises(VersionConflict):
        db(made.update().set(lambda m: m.progress_value).to(Decimal(2)))


def test_the_parts_that_were_minted_are_audited(db: DB, now: Clock) -> None:
    made = under_way(db)
    ride(db, "1", 60_000)

    recompute(db, "ada", made.milestone_id, Trace("r", "why"))

    [audited] = db(audit_by_type(EventType.MILESTONE_PART_MINTED, now.moment))
    assert audited.data == {"milestoneId": made.milestone_id, "parts": "1,2"}
    assert (audited.request_id, audited.correlation_id) == ("r", "why")


def test_after_an_account_is_deleted_there_is_no_milestone(db: DB) -> None:
    made = under_way(db)
    delete_account(db, "ada", TRACE)
    with pytest.raises(MilestoneNotFound):
        recompute(db, "ada", made.milestone_id, TRACE)
