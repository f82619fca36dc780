"""Five designs as their authors first wrote them: what is wrong with each is found."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.report import CheckReport
from sortkey.check.runner import check

FOLDER = Path(__file__).parent

COMMITCOLLECT = [
    # Numbers sort as text, so the tenth award comes before the second.
    ("SK201", "Award.primary.SK"),
    ("SK201", "ModelPart.primary.SK"),
    ("SK201", "AuditEvent.primary.SK"),
    # Two events of one request in one second have one key.
    ("SK102", "AuditEvent.primary"),
    # The lock that is to keep an athlete with one owner has no condition.
    ("SK702", "connect_strava.condition"),
    ("SK701", "connect_strava"),
    # Awards are immutable and milestones versioned, in words only.
    ("SK702", "mint_an_award.condition"),
    ("SK702", "update_progress.condition"),
    ("SK704", "update_progress"),
    # The milestones of a user bring their awards along.
    ("SK407", "milestones_of_a_user.key_condition"),
    ("SK408", "awards_of_a_milestone.key_condition"),
    ("SK407", "awards_of_a_milestone.key_condition"),
    ("SK415", "session_by_id"),
    ("SK609", "StravaConnection.access_token"),
    ("SK303", "CommitCollectAudit"),
    ("SK421", "CommitCollectAudit.GSI1"),
    ("SK615", "CommitCollect"),
]
AGENTCORE = [
    # Three indexes that no pattern of the document reads.
    ("SK421", "UserQuotas.OwnerStatusIndex"),
    ("SK421", "UserQuotas.EmailDomainIndex"),
    ("SK421", "UserQuotas.CreatedAtIndex"),
    ("SK421", "SessionsMetadata.UserTimestampIndex"),
    # The index that sessions are looked up in is documented without keys for them.
    ("SK422", "look_a_session_up"),
    ("SK208", "Cost.primary"),
    ("SK416", "costs_of_a_user_within_two_days.key_condition"),
    ("SK301", "State.expires_at"),
    ("SK303", "OidcState"),
    ("SK703", "record_a_cost"),
]
ONEONONE = [
    ("SK413", "who_waits_in_the_queue"),
    # The second index has no name in the document, and the history reads only the first.
    ("SK421", "Sessions.of_second"),
    ("SK205", "Session.as_first"),
    ("SK305", "session_history_by_user"),
    ("SK704", "enforce_point_usage"),
    ("SK703", "store_a_session"),
]
SHUTTLE = [
    ("SK502", "finish_a_job.update"),
    ("SK421", "Shuttle.GSI1"),
    ("SK421", "Shuttle.GSI2"),
    ("SK421", "Shuttle.GSI3"),
    ("SK609", "Shop.access_token"),
    ("SK605", "Shuttle"),
    ("SK606", "Shuttle"),
    ("SK305", "jobs_by_shop_and_status"),
]
GYMCOACH = [
    # Everybody's records are read to find those of one.
    ("SK409", "list_user_workout_plans.filter"),
    ("SK409", "list_user_workout_sessions.filter"),
    ("SK409", "get_user_body_measurements.filter"),
    ("SK409", "get_user_recommendations.filter"),
    ("SK409", "get_workout_sessions_by_date_range.filter"),
    ("SK507", "get_user_devices.filter"),
    ("SK507", "get_user_notifications.filter"),
    # Two exercises of a day, two measurements and the months of two years have one key.
    ("SK102", "StrengthProgress.primary"),
    ("SK102", "BodyMeasurement.primary"),
    ("SK102", "ProgressMetrics.primary"),
    # An ISO time beside the number that the table expires by.
    ("SK301", "Recommendation.expires_at"),
    ("SK416", "get_workout_sessions_by_date_range.filter"),
    ("SK803", "WorkoutPlan.primary"),
    ("SK421", "Gym.GSI1"),
    ("SK421", "Gym.GSI2"),
    ("SK703", "create_user_profile"),
    ("SK703", "create_body_measurement"),
    ("SK205", "StrengthProgress.primary"),
    ("SK206", "StrengthProgress.primary"),
]


def report_of(seed: str) -> CheckReport:
    return check(load_design(FOLDER / f"{seed}.py"))


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        ("commitcollect", COMMITCOLLECT),
        ("agentcore", AGENTCORE),
        ("oneonone", ONEONONE),
        ("shuttle", SHUTTLE),
        ("gymcoach", GYMCOACH),
    ],
)
def test_what_is_wrong_with_a_seed_is_found(seed: str, expected: list[tuple[str, str]]) -> None:
    found = {(found.code, found.where) for found in report_of(seed).open}

    assert found >= set(expected)


@pytest.mark.parametrize("seed", ["commitcollect", "agentcore", "oneonone", "shuttle", "gymcoach"])
def test_every_finding_but_those_about_the_whole_design_has_its_line(seed: str) -> None:
    without = {f.where for f in report_of(seed).open if f.place is None}

    assert without <= {"The design"}
