"""The design keeps the documented keys, and its records accept values within their bounds."""

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import SPRING, connected, ride

from sortkey import DB, load_design, ulid
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.milestones import Award, Milestone, TargetType
from sortkey_systems.commitcollect.design.models import ModelPart
from sortkey_systems.commitcollect.design.tables import CommitCollect, CommitCollectSessions
from sortkey_systems.commitcollect.design.workouts import Sport

RECORDS: dict[type, dict[str, Any]] = {
    UserProfile: {"user_id": "ada", "email": "ada@example.org", "created_at_utc": SPRING},
    Milestone: {
        "user_id": "ada",
        "milestone_id": ulid(),
        "model_id": "nike",
        "sport": Sport.RIDE,
        "target_type": TargetType.DISTANCE_METERS,
        "total_target": Decimal(100),
        "part_target": Decimal(25),
        "parts_total": 4,
        "period_start_at_utc": SPRING,
    },
    Award: {
        "user_id": "ada",
        "milestone_id": ulid(),
        "part_index": 1,
        "part_name": "wing",
        "mesh_file": "wing.glb",
        "attach_point": "left",
        "awarded_at_utc": SPRING,
        "progress_value_at_award": Decimal(25),
    },
    ModelPart: {
        "model_id": "nike",
        "index": 1,
        "part_name": "wing",
        "mesh_file": "wing.glb",
        "attach_point": "left",
    },
}
DOCUMENTED = {
    "UserProfile": {"primary": ("USER#{user_id}", "PROFILE")},
    "StravaConnection": {"primary": ("USER#{user_id}", "STRAVA#CONNECTION")},
    "AthleteOwner": {"primary": ("STRAVA#ATHLETE#{athlete_id}", "OWNER")},
    "Workout": {"primary": ("USER#{user_id}", "WORKOUT#STRAVA#{activity_id}")},
    "Milestone": {"primary": ("USER#{user_id}", "MILESTONE#{milestone_id}")},
    "Award": {"primary": ("USER#{user_id}", "MILESTONE#{milestone_id}#AWARD#{part_index:02d}")},
    "ModelMeta": {"primary": ("MODEL#{model_id}", "META")},
    "ModelPart": {"primary": ("MODEL#{model_id}", "PART#{index:02d}")},
    "Session": {"primary": ("SESSION#{session_id}", "META")},
    "OAuthState": {"primary": ("STATE#{state}", "META")},
    "AuditEvent": {
        "primary": ("USER#{user_id}", "AUDIT#{occurred_at_utc:%s}#{request_id}"),
        "by_correlation": ("CORR#{correlation_id}", "AUDIT#{occurred_at_utc:%s}#{request_id}"),
        "by_type": (
            "EVENT#{event_type}#{occurred_at_utc:%Y%m}",
            "AUDIT#{occurred_at_utc:%s}#{request_id}",
        ),
    },
    "WebhookClaim": {"primary": ("IDEMPOTENCY#{request_id}", "META")},
}
LEAST = Decimal("0.01")
# For each field, the smallest and largest accepted values, and the values just beyond.
BOUNDS: list[tuple[type, str, list[Any], list[Any]]] = [
    (UserProfile, "user_id", ["a", "a" * 128], ["", "a" * 129, "a#b"]),
    (UserProfile, "email", ["a@b", "a" * 318 + "@b"], ["a" * 319 + "@b", "ab", "a @b"]),
    (Milestone, "milestone_id", [ulid(), "ride-2024", "a" * 128], ["", "a" * 129, "a#b", "a!"]),
    (Milestone, "total_target", [LEAST], [Decimal(0)]),
    (Milestone, "part_target", [LEAST], [Decimal(0)]),
    (Milestone, "parts_total", [1, 99], [0, 100]),
    (Milestone, "progress_value", [Decimal(0), LEAST], [-LEAST]),
    (Milestone, "percent_complete", [Decimal(0), Decimal(100)], [-LEAST, 100 + LEAST]),
    (Milestone, "parts_earned", [0, 99], [-1, 100]),
    (Award, "part_index", [1, 99], [0, 100]),
    (ModelPart, "index", [1, 99], [0, 100]),
]


def test_the_documented_keys_are_the_beginning_of_those_that_are_used() -> None:
    entities = {
        kind.name: kind.model for kind in load_design("sortkey_systems.commitcollect.design").kinds
    }

    assert set(entities) == {*DOCUMENTED, "SessionIndex"}
    for entity, keys in DOCUMENTED.items():
        for name, (partition, sort) in keys.items():
            used = getattr(entities[entity], name)
            assert used.partition == (partition,)
            assert used.sort[0] == sort or used.sort[0].startswith(f"{sort}#{{")


def test_a_key_of_audit_events_without_their_id_is_reported() -> None:
    """Two events of one request in one second had one key, and the last overwrote the first."""
    [events] = [
        kind
        for kind in load_design("sortkey_systems.commitcollect.design").kinds
        if kind.name == "AuditEvent"
    ]

    assert events.identity == ("event_id",)
    assert {*events.identity} <= {*events.primary.all_fields}


def test_a_time_in_a_list_is_the_number_that_is_stored_beside_it(memory: DB) -> None:
    connected(memory)
    ride(memory, "1", 10_000)

    [workout] = [i for i in stored_items(memory, CommitCollect) if "activityId" in i]
    [session] = stored_items(memory, CommitCollectSessions)

    assert workout["GSI1SK"]["S"].startswith(workout["startDateUtc"]["N"])
    assert session["GSI1SK"]["S"].startswith(session["createdAtUtc"]["N"])


@pytest.mark.parametrize(("kind", "field", "taken", "refused"), BOUNDS)
def test_a_field_takes_what_is_within_its_bounds(
    kind: type, field: str, taken: list[Any], refused: list[Any]
) -> None:
    for value in taken:
        assert getattr(kind(**RECORDS[kind] | {field: value}), field) == value
    for value in refused:
        with pytest.raises(ValidationError, match=field):
            kind(**RECORDS[kind] | {field: value})
