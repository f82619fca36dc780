"""Five designs as their authors first wrote them: prove shows the faults of each."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.access.executors import HAS_LOCAL
from tests.prove.scripts import shown

from sortkey import load_design
from sortkey.design.declaring.design import Design
from sortkey.prove.files import write_files
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import THOROUGH, ProofSettings
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict

pytestmark = pytest.mark.acceptance

FOLDER = Path(__file__).parents[1] / "check" / "seeds"

# The seed, the pattern or entity, and a part of the reason.
Expectation: TypeAlias = tuple[str, str, str]

TOO_MUCH = "a record is returned that does not belong to the answer"
EXPIRED = "a record is returned that expired at"
MISSING = "a record is missing"
OVERWRITES = "it overwrites a stored record without a condition"

WRONG_ANSWERS: list[tuple[Expectation, int]] = [
    # The tenth part comes before the ninth.
    (
        (
            "commitcollect",
            "parts_of_a_model_in_order",
            "the records are returned in the wrong order",
        ),
        2,
    ),
    (("commitcollect", "awards_of_a_milestone_part_by_part", "the records are returned in"), 2),
    # Awards sort after their milestone, and have the same prefix.
    (("commitcollect", "milestones_of_a_user", "an Award is returned where a Milestone"), 1),
    # The awards of milestone "ab" are among those of "a".
    (("commitcollect", "awards_of_a_milestone", TOO_MUCH), 1),
    # Expired records remain until DynamoDB deletes them.
    (("commitcollect", "session_by_id", EXPIRED), 1),
    (("shuttle", "a_session", EXPIRED), 1),
    (("shuttle", "jobs_by_shop_and_status", EXPIRED), 1),
    # A record with an ISO time as its TTL never expires.
    (("gymcoach", "get_user_recommendations", TOO_MUCH), 1),
    # The bound of a day sorts before every time on that day.
    (("agentcore", "costs_of_a_user_within_two_days", MISSING), 1),
    (("gymcoach", "get_workout_sessions_by_date_range", MISSING), 1),
    # No write adds items to the index.
    (("agentcore", "look_a_session_up", MISSING), 1),
    # The request does not name the index of called users, so it is never read.
    (("oneonone", "session_history_by_user", MISSING), 1),
    # A notification is found only by a caller that knows its id.
    (("gymcoach", "get_user_notifications_by_key", MISSING), 1),
]
REFUSALS: list[Expectation] = [
    # A filter on the key that is queried.
    ("gymcoach", "get_user_devices", "SK507"),
    ("gymcoach", "get_user_notifications", "SK507"),
    # A reserved word.
    ("shuttle", "finish_a_job", "SK502"),
]
COLLISIONS: list[Expectation] = [
    # Two events of one request in one second.
    ("commitcollect", "AuditEvent", "USER#"),
    # Two exercises of one day, two measurements of one day, and the same month a year later.
    ("gymcoach", "StrengthProgress", "STRENGTH_PROGRESS"),
    ("gymcoach", "BodyMeasurement", "BODY_MEASUREMENTS"),
    ("gymcoach", "ProgressMetrics", "PROGRESS_METRICS"),
]
COSTS: list[Expectation] = [
    # The records of all users are read to find those of one.
    ("gymcoach", "list_user_workout_plans", "with a partition that all callers share"),
    ("gymcoach", "list_user_workout_sessions", "with a partition that all callers share"),
    ("gymcoach", "get_user_body_measurements", "with a partition that all callers share"),
    ("gymcoach", "get_user_recommendations", "with a partition that all callers share"),
    ("gymcoach", "get_workout_sessions_by_date_range", "with a partition that all callers share"),
    # All workouts of a user are read to find those of one sport.
    ("commitcollect", "workouts_since_a_date_for_one_sport", "with the partition"),
    # All users are read to find those who wait.
    ("oneonone", "who_waits_in_the_queue", "with the table"),
]
RACES: list[Expectation] = [
    # Two users own one athlete.
    ("commitcollect", "connect_strava", "athlete_id is unique, but two StravaConnection records"),
    # An award is minted twice.
    ("commitcollect", "mint_an_award", "Award is immutable but was changed"),
    # Two rides are added concurrently, and one of them is lost.
    ("commitcollect", "update_progress", "its version was not incremented"),
    # The second measurement of a day replaces the first.
    ("gymcoach", "create_body_measurement", "one BodyMeasurement overwrites another"),
]
UNGUARDED: list[Expectation] = [
    ("agentcore", "record_a_cost", OVERWRITES),
    ("gymcoach", "create_user_profile", OVERWRITES),
    ("oneonone", "enforce_point_usage", OVERWRITES),
    ("oneonone", "store_a_session", OVERWRITES),
]


def each(expectation: list[Expectation]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "expectation", expectation, ids=[subject for _, subject, _ in expectation]
    )


# A refutation of each seed that its script shows, and what the script prints.
SHOWN: list[tuple[str, Expectation]] = [
    ("right", ("agentcore", "look_a_session_up", "NOT THE SAME")),
    ("safe", ("commitcollect", "mint_an_award", "THIS MUST NOT HAPPEN")),
    ("right", ("shuttle", "a_session", "NOT THE SAME")),
    ("affordable", ("oneonone", "who_waits_in_the_queue", "THE COST GROWS")),
    ("lossless", ("gymcoach", "BodyMeasurement", "NOT THE SAME")),
]


@cache
def seed(name: str) -> Design:
    return load_design(FOLDER / f"{name}.py")


@cache
def judged(name: str, aspect: str, subject: str) -> Verdict:
    design = seed(name)
    how = ProofSettings(0, THOROUGH, Strategies(design.modules))
    asked = [each for each in ASPECTS if each.name == aspect]
    [verdict] = prove(design, how, aspects=asked, only=[subject]).verdicts
    return verdict


def refuted(expectation: Expectation, aspect: str) -> Verdict:
    """Assert that the subject is refuted for the expected reason, and return the verdict."""
    name, subject, reason = expectation
    verdict = judged(name, aspect, subject)
    assert verdict.outcome is ProofOutcome.REFUTED, verdict
    shown = [verdict.reason, *(found.message for found in verdict.counterexamples)]
    assert any(reason in message for message in shown), shown
    return verdict


@pytest.mark.parametrize(
    ("expectation", "records"),
    WRONG_ANSWERS,
    ids=[expectation[1] for expectation, _ in WRONG_ANSWERS],
)
def test_a_wrong_answer_is_shown_with_its_records_and_its_call(
    expectation: Expectation, records: int
) -> None:
    shown = refuted(expectation, "right").counterexamples
    [found, *_] = [found for found in shown if expectation[2] in found.message]

    assert len(found.records) == records
    assert len(found.calls) == 1


@each(REFUSALS)
def test_a_request_that_dynamodb_rejects_has_no_counterexample(expectation: Expectation) -> None:
    verdict = refuted(expectation, "right")

    assert verdict.reason.startswith("DynamoDB rejects the request: ")
    assert verdict.counterexample is None


@each(COLLISIONS)
def test_two_records_with_one_key_are_shown(expectation: Expectation) -> None:
    verdict = refuted(expectation, "lossless")

    assert verdict.reason.startswith("two records share the key")
    assert verdict.counterexample is not None
    first, second = verdict.counterexample.records
    assert verdict.counterexample.found == [second] != [first]


@each(COSTS)
def test_a_cost_that_grows_with_unrequested_records_is_shown(expectation: Expectation) -> None:
    assert ", 161 items for" in refuted(expectation, "affordable").reason


@each(RACES)
def test_a_schedule_that_breaks_a_promise_is_shown(expectation: Expectation) -> None:
    detail = refuted(expectation, "safe").detail

    assert detail is not None
    assert detail.value["schedule"] == "AB"
    assert "B  returned" in detail.value["story"]


@each(UNGUARDED)
def test_an_overwrite_without_promises_is_not_proved(expectation: Expectation) -> None:
    name, subject, reason = expectation
    verdict = judged(name, "safe", subject)

    assert verdict.outcome is ProofOutcome.UNPROVEN
    assert reason in verdict.reason


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of one refutation of each seed."""
    written = tmp_path_factory.mktemp("seeds")
    for aspect, (name, subject, _) in SHOWN:
        report = ProofReport(name, 0, THOROUGH, (judged(name, aspect, subject),))
        write_files(report, seed(name), str(FOLDER / f"{name}.py"), written)
    return written


def test_the_test_of_each_seed_fails_until_it_is_fixed(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert f"{len(SHOWN)} failed" in done.stdout, done.stdout
    assert done.stdout.count("is None\n") >= len(SHOWN), done.stdout


@pytest.mark.parametrize(
    ("aspect", "expectation"), SHOWN, ids=[expectation[0] for _, expectation in SHOWN]
)
def test_the_script_of_each_seed_shows_it_without_sortkey(
    folder: Path, http_url: str, aspect: str, expectation: Expectation
) -> None:
    _, subject, printed = expectation

    shown(folder / f"{subject}_is_{aspect}_boto3.py", http_url, printed)


@pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed")
@pytest.mark.parametrize(
    ("aspect", "expectation"), SHOWN, ids=[expectation[0] for _, expectation in SHOWN]
)
def test_dynamodb_local_shows_the_refutation_of_each_seed(
    folder: Path, local_url: str, aspect: str, expectation: Expectation
) -> None:
    _, subject, printed = expectation

    shown(folder / f"{subject}_is_{aspect}_boto3.py", local_url, printed)
