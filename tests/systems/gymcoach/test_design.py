"""The design keeps what its document says, and adds what it must."""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from pydantic import ValidationError
from tests.systems.gymcoach.people import MORNING, SAMPLES, everything, generated, joined, stored
from tests.systems.watch import Watch

from sortkey import DB, Entity, Pattern, TransactionFailed, load_design
from sortkey.check.runner import check
from sortkey.design.plans.value import plan_of
from sortkey.synth.stack import stack_of
from sortkey.testing import clock
from sortkey_systems.gymcoach import design
from sortkey_systems.gymcoach.crud import add
from sortkey_systems.gymcoach.design import (
    EARLIEST,
    LATEST,
    AdaptivePlan,
    GymCoach,
    Records,
    WorkoutPlan,
    WorkoutRecommendation,
)
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.design.table import now_to_the_second

DESIGN = load_design("sortkey_systems.gymcoach.design")
KINDS = {kind.name: kind for kind in DESIGN.kinds}
DOCUMENTED = (
    ("UserProfile", "USER#{user_id}", "PROFILE#{user_id}"),
    ("WorkoutPlan", "WORKOUT_PLANS", "PLAN#{id}"),
    ("WorkoutSession", "WORKOUT_SESSIONS", "SESSION#{id}"),
    ("Exercise", "EXERCISES", "EXERCISE#{id}"),
    ("ProgressPhoto", "PROGRESS_PHOTOS", "PHOTO#{id}"),
    ("WorkoutRecommendation", "WORKOUT_RECOMMENDATIONS", "RECOMMENDATION#{id}"),
    ("AdaptivePlan", "ADAPTIVE_PLANS", "PLAN#{id}"),
    ("ExerciseSubstitution", "EXERCISE_SUBSTITUTIONS", "SUBSTITUTION#{id}"),
    ("RecoveryPlan", "RECOVERY_PLANS", "PLAN#{id}"),
    ("UserFitnessProfile", "USER_FITNESS_PROFILES", "PROFILE#{user_id}"),
    ("CoachingRule", "COACHING_RULES", "RULE#{id}"),
    ("ProgressMetrics", "PROGRESS_METRICS", "METRICS#{user_id}#{period}"),
    ("StrengthProgress", "STRENGTH_PROGRESS", "USER#{user_id}#{measurement_date:%Y-%m-%d}"),
    ("BodyMeasurement", "BODY_MEASUREMENTS", "USER#{user_id}#{measured_at:%Y-%m-%d}"),
    ("ProgressChart", "PROGRESS_CHARTS", "CHART#{chart_id}"),
    ("Milestone", "MILESTONES", "MILESTONE#{id}"),
    ("PerformanceTrend", "PERFORMANCE_TRENDS", "USER#{user_id}#{start_date}"),
    ("DeviceToken", "USER#{user_id}", "DEVICE#{device_id}"),
    ("NotificationRecord", "NOTIFICATION#{notification_id}", "USER#{user_id}"),
    ("NotificationPreferences", "USER#{user_id}", "NOTIFICATION_PREFERENCES"),
)
# The sample's ttl lies before its sentAt; it is that and seven days.
WRONG = {("NotificationRecord", "ttl")}
SEALED = {"deviceToken", "injuryHistory"}


@cache
def plans() -> list[dict[str, Any]]:
    return plan_of(DESIGN)["patterns"]


def test_the_documented_keys_are_the_beginning_of_those_that_are_used() -> None:
    for name, partition, sort in DOCUMENTED:
        first, second = (part.template.text for part in KINDS[name].primary.parts)
        assert first == partition
        assert second == sort or second.startswith(f"{sort}#{{")
    added = {"Reminder", "AdviceGiven", "FinishedDeletion", "IndexSearch"}
    assert set(KINDS) == {name for name, *_ in DOCUMENTED} | added


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_of_the_document_is_read_and_written_back(memory: DB, name: str) -> None:
    kind = KINDS[name]
    sample = {attribute: stored(value) for attribute, value in SAMPLES[name].items()}
    record = kind.model.model_validate(kind.codec.decode(sample))
    written = SAMPLES[name].get("updatedAt") or SAMPLES[name].get("lastUpdated")
    moment = datetime.fromisoformat(written or "2024-01-01T00:00:00Z").timestamp()
    with clock(lambda: moment):
        made = memory(record.create())
        key = {field: getattr(record, field) for field in kind.key_fields}
        assert memory(kind.model.get(**key)) == made

    [item] = everything(memory)

    for attribute, value in sample.items():
        if attribute in SEALED:
            assert "B" in item[attribute]
        elif attribute == "SK":
            assert item["SK"]["S"].startswith(value["S"])
        elif (name, attribute) not in WRONG:
            assert plain(item[attribute]) == plain(value), attribute


def plain(value: Any) -> Any:
    """A stored value without the nulls, which are left out, and with numbers compared as such."""
    [(kind, content)] = value.items()
    match kind:
        case "N":
            return Decimal(content)
        case "L":
            return [plain(member) for member in content]
        case "M":
            return {name: plain(member) for name, member in content.items() if "NULL" not in member}
        case _:
            return content


def test_times_in_keys_are_whole_days_or_seconds_that_end_in_z() -> None:
    for kind in KINDS.values():
        parts = [part.template.text for key in kind.keys.values() for part in key.parts]
        for text in parts:
            for name, form in re.findall(r"\{(\w+):?([^}]*)\}", text):
                if "datetime.datetime" in str(kind.model.model_fields[name].annotation):
                    assert form in {"%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"}, text


def test_every_key_begins_with_what_it_is_of() -> None:
    """So that no id, whatever it is, makes a key of one kind look like one of another."""
    begins = re.compile("[A-Z_]+(#|$)")
    for name, kind in KINDS.items():
        partitions = [key.parts[0].template.text for key in kind.keys.values()]
        own = [part.template.text for part in kind.primary.parts]
        assert [text for text in partitions + own if not begins.match(text)] == [], name


def test_lists_of_one_user_are_in_one_index_and_what_is_active_or_due_in_the_other() -> None:
    """A role that may read one learns nothing about the other."""
    keys = [named for kind in KINDS.values() for named in kind.keys.items()]
    lists = {name for name, key in keys if key.parts[0].attribute.name == "GSI1PK"}
    others = {name for name, key in keys if key.parts[0].attribute.name == "GSI2PK"}
    assert lists == {"by_user", "by_difficulty"}
    assert others == {"active", "by_category", "by_deletion", "by_priority", "due"}


def test_two_records_of_one_moment_have_places_of_their_own_in_each_index() -> None:
    """Their order is certain, then, from page to page."""
    for record in generated(3, 1):
        kind = KINDS[type(record).__name__]
        gone = {"deleting_since": MORNING} if isinstance(record, design.UserProfile) else {}
        one = record.model_copy(update=gone)
        for name in kind.key_fields:
            if type(value := getattr(one, name)) is str:
                other = one.model_copy(update={name: f"{value}x"})
                shared = places(one).items() & places(other).items()
                assert not shared, (kind.name, name)


def places(record: Entity) -> dict[str, tuple[str, str]]:
    """Where a record is in each index that has it."""
    item = KINDS[type(record).__name__].encode(record)
    return {
        index: (item[f"{index}PK"]["S"], item[f"{index}SK"]["S"])
        for index in ("GSI1", "GSI2")
        if f"{index}PK" in item
    }


def test_secrets_are_sealed_where_they_are_stored_and_not_shown(db: DB) -> None:
    for name, attribute in (
        ("DeviceToken", "deviceToken"),
        ("UserFitnessProfile", "injuryHistory"),
    ):
        kind = KINDS[name]
        sample = {a: stored(v) for a, v in SAMPLES[name].items()}
        record = db(kind.model.model_validate(kind.codec.decode(sample)).put())
        assert "(secret)" in repr(record)
        [item] = [i for i in everything(db) if i["_type"]["S"] == name]
        assert "B" in item[attribute]
        assert "fcm_token" not in str(item)
        assert "lower_back" not in str(item)


def test_no_secret_is_in_an_index() -> None:
    for name in ("DeviceToken", "UserFitnessProfile"):
        assert list(KINDS[name].keys) == ["primary"]


def test_the_table_is_run_as_the_document_asks() -> None:
    definition = GymCoach.definition
    settings = definition.settings
    assert definition.name_in("prod") == definition.name_in("dev") == "gymcoach-ai-main"
    assert definition.name_in("t1") == "t1-gymcoach-ai-main"
    assert settings.ttl == "ttl"
    assert settings.stream == "NEW_AND_OLD_IMAGES"
    assert settings.recovery_days == 35
    assert settings.encryption == "aws-managed"
    assert [(i.name, [a.name for a in i.attributes]) for i in definition.indexes.values()] == [
        ("GSI1", ["GSI1PK", "GSI1SK"]),
        ("GSI2", ["GSI2PK", "GSI2SK"]),
    ]


# What every pattern promises, read from its plan.


def families() -> list[Records[..., Any]]:
    return [made for made in vars(design).values() if isinstance(made, Records)]


def test_every_entity_is_created_found_changed_and_deleted_by_a_pattern() -> None:
    names = {pattern.name for pattern in DESIGN.patterns}
    by_entity = {records.entity.__name__: records for records in families()}
    # Preferences are written with their reminders, and what follows from others in no other way.
    others = {"NotificationPreferences", "Reminder", "AdviceGiven", "FinishedDeletion"}
    assert set(KINDS) - set(by_entity) == others | {"IndexSearch"}
    for verb in ("create", "update", "delete"):
        assert f"{verb}_notification_preferences" in names
    assert {"notification_preferences", "reminder", "advice_given", "give_advice"} <= names
    # An account is deleted together with all records of the user.
    assert {"begin_deletion", "end_deletion", "finished_deletion"} <= names
    for records in by_entity.values():
        assert {pattern.name for pattern in records.patterns} - names <= {"delete_user_profile"}
        assert records.get.returns == records.entity | None


def test_only_the_search_before_deletions_scans_and_each_has_a_plan_and_a_rate() -> None:
    assert len(plans()) == len(DESIGN.patterns)
    for plan in plans():
        assert "error" not in plan, plan
        assert "rate" in plan, plan["name"]
        for step in plan["steps"]:
            scans = step["operation"] == "Scan"
            assert scans == (plan["name"] == "unfilled_items"), plan["name"]


def test_reads_that_must_be_fresh_are_consistent() -> None:
    for plan in plans():
        if plan.get("fresh"):
            assert all(step.get("consistent") for step in plan["steps"]), plan["name"]


def test_every_pattern_belongs_to_a_role_and_has_its_own_name() -> None:
    granted = {pattern.name for role in DESIGN.roles for pattern in role.patterns}
    assert {pattern.name for pattern in DESIGN.patterns} == granted
    assert DESIGN.findings == ()
    for name, made in vars(design).items():
        if isinstance(made, Pattern):
            assert made.name == name, "a list is named after its entity"  # pyright: ignore[reportUnknownMemberType]


def test_a_list_of_one_user_reads_no_records_of_others() -> None:
    """The partition, or the beginning of the sort key, is the user's."""
    for plan in plans():
        for step in plan["steps"]:
            if step["operation"] == "Query" and "user_id" in plan["arguments"]:
                assert "$user_id" in str(step["key"]), plan["name"]


def test_the_keys_of_every_entity_with_an_owner_are_found() -> None:
    owned = {name for name, kind in KINDS.items() if "user_id" in kind.model.model_fields}
    assert {erasure.entity.__name__ for erasure in ERASURES} == owned - {"UserProfile"}


def test_the_check_finds_nothing_that_is_not_accounted_for() -> None:
    assert [str(found) for found in check(DESIGN).open] == []
    assert set(GymCoach.definition.ignore) == {"SK611"}
    assert set(KINDS["WorkoutSession"].ignore) == {"SK803"}


def test_a_time_without_a_zone_is_refused_by_its_field() -> None:
    """Also one that is compared with another when the record is made."""
    with pytest.raises(ValidationError) as refused:
        design.RecoveryPlan(
            id="r1",
            user_id="ada",
            plan_type="deload",
            duration_days=7,
            starts_at=datetime(2032, 3, 1),  # noqa: DTZ001 - that is what is wrong
            ends_at=datetime(2032, 3, 8, tzinfo=UTC),
        )
    assert [error["loc"] for error in refused.value.errors()] == [("starts_at",)]


def test_a_recovery_plan_ends_no_earlier_than_it_starts() -> None:
    plan: dict[str, Any] = {"id": "r1", "user_id": "ada", "plan_type": "deload", "duration_days": 1}
    at_once = design.RecoveryPlan(**plan, starts_at=MORNING, ends_at=MORNING)
    assert at_once.ends_at == MORNING
    with pytest.raises(ValidationError):
        design.RecoveryPlan(**plan, starts_at=MORNING, ends_at=MORNING - timedelta(seconds=1))


def test_a_list_without_a_range_includes_all_times() -> None:
    assert datetime.min.replace(tzinfo=UTC) == EARLIEST
    assert datetime.max.replace(tzinfo=UTC, microsecond=0) == LATEST


def test_now_is_a_whole_second() -> None:
    with clock(lambda: MORNING.timestamp() + 0.75):
        assert now_to_the_second() == MORNING


def test_every_update_changes_the_time_of_the_last() -> None:
    stamped = {name: kind.updated for name, kind in KINDS.items() if kind.updated}
    assert stamped.pop("UserFitnessProfile") == "lastUpdated"
    assert set(stamped.values()) == {"updatedAt"}
    has = {name for name, sample in SAMPLES.items() if "updatedAt" in sample}
    assert set(stamped) == has


def test_a_read_or_write_that_takes_longer_than_fifty_milliseconds_is_an_alarm() -> None:
    slow = [alarm for alarm in stack_of(DESIGN, "prod").alarms if "latency" in alarm.name]

    assert slow
    assert {alarm.threshold for alarm in slow} == {50}


def test_only_what_is_no_transaction_says_that_it_answers_with_the_record() -> None:
    creations = [plan for plan in plans() if plan["title"].startswith("Create: ")]

    said = {plan["name"]: (plan["returns"], plan["shape"]) for plan in creations}

    assert said
    for name, (returned, shape) in said.items():
        assert (returned == "None") is (shape == "transaction"), name


def test_trends_that_begin_on_one_day_come_by_what_they_are_of_and_then_by_their_period(
    memory: DB,
) -> None:
    day = date(2026, 5, 1)
    trends = [
        design.PerformanceTrend(
            user_id="ada",
            metric_type=metric,
            period=period,
            start_date=day,
            end_date=day,
            trend_direction="stable",
            trend_strength=Decimal(1),
        )
        for metric, period in [("strength", "month"), ("endurance", "week"), ("strength", "all")]
    ]
    memory.write_many(trend.put() for trend in trends)

    found = memory(design.trends_between("ada"))

    assert [(t.metric_type, t.period) for t in found] == [
        ("endurance", "week"),
        ("strength", "all"),
        ("strength", "month"),
    ]


def test_the_newest_of_what_is_active_comes_first_and_of_advice_the_most_urgent(
    memory: DB, watch: Watch
) -> None:
    joined(memory)
    for number, name in enumerate(("z", "m", "a")):
        plan = WorkoutPlan(
            id=name, user_id="ada", name=name, duration_weeks=1, frequency_per_week=1
        )
        add(memory, design.workout_plans, plan)
        adapted = AdaptivePlan(id=name, user_id="ada", base_plan_id=name, adaptation_reason="why")
        add(memory, design.adaptive_plans, adapted)
        add(memory, design.workout_recommendations, recommend(name, (number + 1) % 3, watch.now))
        watch.wait(minutes=1)

    newest = ["a", "m", "z"]
    assert [plan.id for plan in memory(design.active_workout_plans("ada"))] == newest
    assert [plan.id for plan in memory(design.active_adaptive_plans("ada"))] == newest
    assert [open_.id for open_ in memory(design.open_recommendations("ada"))] == ["m", "z", "a"]


def test_a_rule_does_not_advise_over_a_recommendation_with_its_id(memory: DB, watch: Watch) -> None:
    joined(memory)
    kept = add(memory, design.workout_recommendations, recommend("a", 1, watch.now))

    with pytest.raises(TransactionFailed):
        memory(design.give_advice(recommend("a", 2, watch.now)))

    assert memory(design.workout_recommendation("a")) == kept


def recommend(name: str, priority: int, now: datetime) -> WorkoutRecommendation:
    return WorkoutRecommendation(
        id=name,
        user_id="ada",
        recommendation_type="rest",
        title="Rest",
        description="Rest",
        reasoning="It was much",
        priority=priority,
        expires_at=now + timedelta(days=1),
    )
