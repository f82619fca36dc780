"""Every kind of record is kept alike: created once, found, changed in part, deleted."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.gymcoach.people import MORNING, SAMPLES, everything, joined, stored
from tests.systems.watch import Watch

from sortkey import DB, Entity, TransactionFailed
from sortkey.design.declaring.entity import kind_of
from sortkey.wire.values import Item
from sortkey_systems.gymcoach import design
from sortkey_systems.gymcoach.accounts import account
from sortkey_systems.gymcoach.crud import add, change, find, find_own, key_of, remove
from sortkey_systems.gymcoach.design import (
    BodyMeasurement,
    Exercise,
    Level,
    Records,
    StrengthProgress,
    UserProfile,
    WorkoutSession,
    begin_deletion,
    body_measurements,
    exercises,
    fitness_profiles,
    progress_metrics,
    recovery_plans,
    strength_progress,
    users,
    workout_plans,
    workout_sessions,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    RecordChanged,
    RecordExists,
    RecordNotFound,
)

FAMILIES: list[Records[..., Any]] = [m for m in vars(design).values() if isinstance(m, Records)]
OTHERS = [f for f in FAMILIES if f not in (users, fitness_profiles)]
SEALED = {"deviceToken", "injuryHistory"}
# What can be changed of each, beside what the sample says.
CHANGES: dict[str, dict[str, Any]] = {
    "WorkoutPlan": {"is_active": False},
    "WorkoutSession": {"name": "Other"},
    "Exercise": {"category": "cardio", "difficulty": "advanced"},
    "ExerciseSubstitution": {"reason": "Other"},
    "WorkoutRecommendation": {"expires_at": MORNING + timedelta(days=20)},
    "AdaptivePlan": {"is_active": False},
    "RecoveryPlan": {"is_completed": True},
    "CoachingRule": {"priority": 9},
    "ProgressPhoto": {"notes": None},
    "ProgressMetrics": {"volume_increase": Decimal("-0.5")},
    "StrengthProgress": {"trend": "stable"},
    "BodyMeasurement": {"value": Decimal("75.25")},
    "ProgressChart": {"data_points": []},
    "Milestone": {"target_value": Decimal(160)},
    "PerformanceTrend": {"insights": []},
    "DeviceToken": {"device_token": "other"},
    "NotificationRecord": {"delivery_status": "Read"},
}


def sample(records: Records[..., Any]) -> Any:
    """The document's record of a kind, of Ada and of today."""
    kind = kind_of(records.entity)
    if kind.name == "ExerciseSubstitution":
        return kind.model(
            id="s1",
            user_id="ada",
            original_exercise_id="a",
            substitute_exercise_id="b",
            reason="x",
            confidence_score=Decimal("0.5"),
            muscle_groups_match=True,
            equipment_available=True,
            difficulty_match=True,
        )
    sample = SAMPLES[kind.name] | {
        "userId": "ada",
        "completedAt": None,
        "expiresAt": "2032-03-09T00:00:00Z",
        "sentAt": "2032-03-01T08:00:00Z",
    }
    values = kind.codec.decode({name: stored(value) for name, value in sample.items()})
    return kind.model.model_validate(
        {name: value for name, value in values.items() if name not in {"created_at", "updated_at"}}
    )


def asked(db: DB, records: Records[..., Any], record: Entity) -> Any:
    """The record by its key, through the pattern that finds it."""
    names = [parameter.name for parameter in records.get.parameters]
    return find(db, records, **{name: argument(name, record) for name in names})


def argument(name: str, record: Entity) -> Any:
    """Return a record's value for the argument of a pattern."""
    if name != "day":
        return getattr(record, name if name in type(record).model_fields else "id")
    if isinstance(record, BodyMeasurement):
        return record.measured_at.date()
    assert isinstance(record, StrengthProgress)
    return record.measurement_date.date()


@pytest.mark.parametrize("records", OTHERS, ids=lambda r: r.entity.__name__)
def test_a_record_is_created_once_found_changed_and_deleted(
    db: DB, watch: Watch, records: Records[..., Any]
) -> None:
    joined(db)
    before = everything(db)
    kind = kind_of(records.entity)
    made = add(db, records, sample(records))
    assert asked(db, records, made) == made

    with pytest.raises(RecordExists) as refused:
        add(db, records, sample(records))
    assert refused.value.kind == kind.name
    assert asked(db, records, made) == made

    watch.wait(minutes=1)
    changed = change(db, records, made, **CHANGES[kind.name])
    assert asked(db, records, made) == changed
    assert changed == kind.model.model_validate(changed.model_dump()), "what follows is in step"
    for name, value in CHANGES[kind.name].items():
        assert getattr(changed, name) == value
    if kind.updated_field:
        assert getattr(changed, kind.updated_field) == watch.now
        assert getattr(made, kind.updated_field) == MORNING
    if kind.created_field:
        assert getattr(changed, kind.created_field) == MORNING
    [item] = [i for i in everything(db) if i["_type"]["S"] == kind.name]
    assert item == rewritten(changed, item), "every key is as if the record was created"

    remove(db, records, changed)
    with pytest.raises(RecordNotFound):
        asked(db, records, made)
    remove(db, records, changed)
    assert everything(db) == before


def rewritten(record: Entity, item: Item) -> Item:
    """A record as it would be stored for the first time; its secrets are sealed as they are."""
    encoded = kind_of(type(record)).encode(record)
    return {name: item[name] if name in SEALED else value for name, value in encoded.items()}


def test_only_what_changed_is_written_so_that_others_keep_theirs(db: DB) -> None:
    joined(db)
    plan = add(db, workout_plans, sample(workout_plans))
    change(db, workout_plans, plan, name="Mine")

    merged = change(db, workout_plans, plan, description="Yours")

    assert (merged.name, merged.description) == ("Mine", "Yours")


def test_a_change_of_another_field_keeps_a_state_that_changed_since(db: DB) -> None:
    joined(db)
    plan = add(db, workout_plans, sample(workout_plans))
    change(db, workout_plans, plan, is_active=False)

    merged = change(db, workout_plans, plan, name="Mine")

    assert (merged.name, merged.is_active, merged.active_for) == ("Mine", False, None)


def test_an_update_whose_derived_field_depends_on_a_changed_one_is_rejected(db: DB) -> None:
    joined(db)
    plan = add(db, workout_plans, sample(workout_plans))
    ended = change(db, workout_plans, plan, is_active=False)
    before = plan.model_copy(update={"active_for": "eve"})

    # It would set `active_for`, and leave `is_active` as it was ended.
    with pytest.raises(TransactionFailed):
        db(workout_plans.update(before, plan))

    assert find(db, workout_plans, plan.id) == ended


def test_two_changes_that_are_valid_only_apart_are_not_merged(db: DB) -> None:
    joined(db)
    plan = add(db, recovery_plans, sample(recovery_plans))
    later = change(db, recovery_plans, plan, starts_at=plan.ends_at)

    with pytest.raises(RecordChanged):
        change(db, recovery_plans, plan, ends_at=plan.starts_at)

    assert find(db, recovery_plans, plan.id) == later


def test_the_second_of_two_changes_to_a_versioned_record_is_rejected(db: DB) -> None:
    joined(db)
    session = add(db, workout_sessions, sample(workout_sessions))
    change(db, workout_sessions, session, name="Mine")

    with pytest.raises(RecordChanged):
        change(db, workout_sessions, session, notes="Yours")
    with pytest.raises(RecordChanged):
        remove(db, workout_sessions, session)
    assert find(db, workout_sessions, session.id).name == "Mine"


def test_nothing_is_written_where_nothing_changes(memory: DB) -> None:
    joined(memory)
    plan = add(memory, workout_plans, sample(workout_plans))
    with memory.budget(writes=0, requests=0):
        assert change(memory, workout_plans, plan, name=plan.name) == plan


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_id", "eve"),
        ("id", "other"),
        ("created_at", MORNING),
        ("active_for", "eve"),
        ("nonsense", 1),
        ("duration_weeks", 0),
        ("name", ""),
    ],
)
def test_a_field_that_cannot_be_changed_is_rejected_by_name(db: DB, field: str, value: Any) -> None:
    joined(db)
    plan = add(db, workout_plans, sample(workout_plans))

    with pytest.raises(BadInput) as refused:
        change(db, workout_plans, plan, **{field: value})

    assert refused.value.field == field
    assert find(db, workout_plans, plan.id) == plan


def test_a_record_that_is_gone_is_not_changed_nor_brought_back(db: DB) -> None:
    joined(db)
    plan = add(db, workout_plans, sample(workout_plans))
    remove(db, workout_plans, plan)

    with pytest.raises(RecordNotFound):
        change(db, workout_plans, plan, name="x")

    with pytest.raises(RecordNotFound):
        find(db, workout_plans, plan.id)


def test_another_users_record_raises_the_same_error_as_a_missing_one(db: DB) -> None:
    joined(db)
    plan = add(db, workout_plans, sample(workout_plans))
    assert find_own(db, "ada", workout_plans, plan.id) == plan

    messages: list[str] = []
    for user_id, plan_id in (("eve", plan.id), ("ada", "none")):
        with pytest.raises(RecordNotFound) as refused:
            find_own(db, user_id, workout_plans, plan_id)
        messages.append(str(refused.value))
    assert messages == [f"WorkoutPlan {plan.id} does not exist", "WorkoutPlan none does not exist"]


def test_no_records_are_created_for_a_user_without_an_account(db: DB) -> None:
    for records in OTHERS:
        if "user_id" in records.entity.model_fields:
            with pytest.raises(AccountNotFound):
                add(db, records, sample(records))
    assert everything(db) == []


@pytest.mark.parametrize(
    "records",
    [r for r in OTHERS if "user_id" in r.entity.model_fields],
    ids=lambda r: r.entity.__name__,
)
def test_no_record_of_an_account_that_is_being_deleted_is_changed(
    db: DB, records: Records[..., Any]
) -> None:
    joined(db)
    made = add(db, records, sample(records))
    db(begin_deletion("ada", "d1", MORNING))

    with pytest.raises(AccountNotFound):
        change(db, records, made, **CHANGES[records.entity.__name__])

    assert asked(db, records, made) == made


def test_ids_that_cannot_be_part_of_a_key_are_refused_by_name(db: DB) -> None:
    with pytest.raises(BadInput) as refused:
        find(db, workout_plans, "a#b")
    assert refused.value.field == "id"
    with pytest.raises(BadInput):
        find(db, workout_plans, "")


def test_an_exercise_needs_no_account(db: DB) -> None:
    made = add(db, exercises, Exercise(id="e1", name="Squat", category="strength"))
    assert find(db, exercises, "e1") == made
    assert made.difficulty is Level.BEGINNER


def test_numbers_are_exact(db: DB) -> None:
    joined(db)
    weight = Decimal("75.10000000000000000000000000000000001")
    measurement = sample(body_measurements).model_copy(update={"value": weight})
    add(db, body_measurements, measurement)
    assert asked(db, body_measurements, measurement).value == weight


def test_records_of_one_day_do_not_overwrite_each_other(db: DB) -> None:
    """Each of these shared one documented key."""
    joined(db)
    weight = sample(body_measurements)
    for update in (
        {},
        {"measurement_type": "waist"},
        {"id": "again", "measured_at": weight.measured_at.replace(hour=20)},
    ):
        add(db, body_measurements, weight.model_copy(update=update))
    squat = sample(strength_progress)
    for update in ({}, {"exercise_id": "squat"}):
        add(db, strength_progress, squat.model_copy(update=update))
    january = sample(progress_metrics)
    for update in ({}, {"start_date": january.start_date.replace(month=2)}):
        add(db, progress_metrics, january.model_copy(update=update))

    kinds = [item["_type"]["S"] for item in everything(db)]
    counted = {kind: kinds.count(kind) for kind in kinds}
    assert counted["BodyMeasurement"] == 3
    assert counted["StrengthProgress"] == counted["ProgressMetrics"] == 2


def test_a_key_is_shown_in_the_order_of_its_parts() -> None:
    assert key_of(sample(progress_metrics)) == "ada/month/2024-01-01"


def test_the_profile_has_the_same_patterns(db: DB, watch: Watch) -> None:
    profile = add(db, users, UserProfile(id="ada", user_id="ada", email="a@b", name="Ada"))
    with pytest.raises(RecordExists):
        add(db, users, UserProfile(id="ada", user_id="ada", email="a@b", name="Eve"))
    watch.wait(seconds=1)
    changed = change(db, users, profile, name="Ada L.")
    assert account(db, "ada") == changed
    assert changed.updated_at > profile.updated_at
    with pytest.raises(BadInput):
        change(db, users, changed, deleting_since=MORNING)
    remove(db, users, changed)
    with pytest.raises(AccountNotFound):
        account(db, "ada")


def test_a_session_is_typed_through_all_of_it(db: DB) -> None:
    """The inferred types match the values."""
    joined(db)
    session: WorkoutSession = add(db, workout_sessions, sample(workout_sessions))
    again: WorkoutSession = find(db, workout_sessions, session_id=session.id)
    assert again == session
