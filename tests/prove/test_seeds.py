"""Five designs as their authors first wrote them: what each does wrong is shown."""

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.access.executors import HAS_LOCAL
from tests.prove.scripts import shown

from sortkey import load_design
from sortkey.design.design import Design
from sortkey.prove.files import write_files
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import THOROUGH, Settings
from sortkey.prove.verdict import Outcome, Report, Verdict

pytestmark = pytest.mark.acceptance

FOLDER = Path(__file__).parents[1] / "check" / "seeds"

# The seed, the pattern or entity, and what is said of it.
Told: TypeAlias = tuple[str, str, str]

TOO_MUCH = "a record is returned that does not belong to the answer"
EXPIRED = "a record is returned that had expired at"
MISSING = "a record is missing"
OVERWRITES = "it overwrites what is stored without a condition"

WRONG_ANSWERS: list[tuple[Told, int]] = [
    # The tenth part comes before the ninth.
    (
        ("commitcollect", "parts_of_a_model_in_order", "the records are returned in another order"),
        2,
    ),
    (("commitcollect", "awards_of_a_milestone_part_by_part", "the records are returned in"), 2),
    # Awards lie behind their milestone, and have the same prefix.
    (("commitcollect", "milestones_of_a_user", "an Award is returned where a Milestone"), 1),
    # The awards of milestone "ab" are among those of "a".
    (("commitcollect", "awards_of_a_milestone", TOO_MUCH), 1),
    # Whose time is over is there until DynamoDB comes to remove it.
    (("commitcollect", "session_by_id", EXPIRED), 1),
    (("shuttle", "a_session", EXPIRED), 1),
    (("shuttle", "jobs_by_shop_and_status", EXPIRED), 1),
    # What expires at an ISO time does not expire at all.
    (("gymcoach", "get_user_recommendations", TOO_MUCH), 1),
    # A day ends before the first moment of it that has a time.
    (("agentcore", "costs_of_a_user_within_two_days", MISSING), 1),
    (("gymcoach", "get_workout_sessions_by_date_range", MISSING), 1),
    # Nothing is ever written into the index.
    (("agentcore", "look_a_session_up", MISSING), 1),
    # The index of those who were called has no name, so nobody reads it.
    (("oneonone", "session_history_by_user", MISSING), 1),
    # Whoever does not know the id of a notification does not find it.
    (("gymcoach", "get_user_notifications_by_key", MISSING), 1),
]
REFUSALS: list[Told] = [
    # A filter on the key that is queried.
    ("gymcoach", "get_user_devices", "SK507"),
    ("gymcoach", "get_user_notifications", "SK507"),
    # A reserved word.
    ("shuttle", "finish_a_job", "SK502"),
]
COLLISIONS: list[Told] = [
    # Two events of one request in one second.
    ("commitcollect", "AuditEvent", "USER#"),
    # Two exercises of one day, two measurements of one day, and the same month a year later.
    ("gymcoach", "StrengthProgress", "STRENGTH_PROGRESS"),
    ("gymcoach", "BodyMeasurement", "BODY_MEASUREMENTS"),
    ("gymcoach", "ProgressMetrics", "PROGRESS_METRICS"),
]
COSTS: list[Told] = [
    # Everybody's records are read to find those of one.
    ("gymcoach", "list_user_workout_plans", "with a partition that all share"),
    ("gymcoach", "list_user_workout_sessions", "with a partition that all share"),
    ("gymcoach", "get_user_body_measurements", "with a partition that all share"),
    ("gymcoach", "get_user_recommendations", "with a partition that all share"),
    ("gymcoach", "get_workout_sessions_by_date_range", "with a partition that all share"),
    # All workouts of a user are read to find those of one sport.
    ("commitcollect", "workouts_since_a_date_for_one_sport", "with the partition"),
    # All users are read to find who waits.
    ("oneonone", "who_waits_in_the_queue", "with the table"),
]
RACES: list[Told] = [
    # Two users own one athlete.
    ("commitcollect", "connect_strava", "athlete_id is unique, and two StravaConnection records"),
    # An award is minted twice.
    ("commitcollect", "mint_an_award", "Award is immutable, and was changed"),
    # Two rides are added up at once, and one of them is lost.
    ("commitcollect", "update_progress", "its version was not raised"),
    # The second measurement of a day takes the place of the first.
    ("gymcoach", "create_body_measurement", "one BodyMeasurement overwrites another"),
]
UNGUARDED: list[Told] = [
    ("agentcore", "record_a_cost", OVERWRITES),
    ("gymcoach", "create_user_profile", OVERWRITES),
    ("oneonone", "enforce_point_usage", OVERWRITES),
    ("oneonone", "store_a_session", OVERWRITES),
]


def each(told: list[Told]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("told", told, ids=[subject for _, subject, _ in told])


# A refutation of each seed that its script shows, and what the script prints.
SHOWN: list[tuple[str, Told]] = [
    ("right", ("agentcore", "look_a_session_up", "NOT THE SAME")),
    ("safe", ("commitcollect", "mint_an_award", "WHICH MUST NOT BE")),
    ("right", ("shuttle", "a_session", "NOT THE SAME")),
    ("affordable", ("oneonone", "who_waits_in_the_queue", "IT GROWS")),
    ("lossless", ("gymcoach", "BodyMeasurement", "NOT THE SAME")),
]


@cache
def seed(name: str) -> Design:
    return load_design(FOLDER / f"{name}.py")


@cache
def judged(name: str, aspect: str, subject: str) -> Verdict:
    design = seed(name)
    how = Settings(0, THOROUGH, Strategies(design.modules))
    asked = [each for each in ASPECTS if each.name == aspect]
    [verdict] = prove(design, how, aspects=asked, only=[subject]).verdicts
    return verdict


def refuted(told: Told, aspect: str) -> Verdict:
    """The verdict on what must be refuted, with this said of it."""
    name, subject, reason = told
    verdict = judged(name, aspect, subject)
    assert verdict.outcome is Outcome.REFUTED, verdict
    shown = [verdict.reason, *(found.told for found in verdict.counterexamples)]
    assert any(reason in told for told in shown), shown
    return verdict


@pytest.mark.parametrize(
    ("told", "records"), WRONG_ANSWERS, ids=[told[1] for told, _ in WRONG_ANSWERS]
)
def test_a_wrong_answer_is_shown_with_its_records_and_its_call(told: Told, records: int) -> None:
    shown = refuted(told, "right").counterexamples
    [found, *_] = [found for found in shown if told[2] in found.told]

    assert len(found.records) == records
    assert len(found.calls) == 1


@each(REFUSALS)
def test_what_dynamodb_refuses_is_no_answer_at_all(told: Told) -> None:
    verdict = refuted(told, "right")

    assert verdict.reason.startswith("DynamoDB rejects the request: ")
    assert verdict.counterexample is None


@each(COLLISIONS)
def test_two_records_are_shown_that_have_one_key(told: Told) -> None:
    verdict = refuted(told, "lossless")

    assert verdict.reason.startswith("two records share the key")
    assert verdict.counterexample is not None
    first, second = verdict.counterexample.records
    assert verdict.counterexample.found == [second] != [first]


@each(COSTS)
def test_a_cost_is_shown_that_grows_with_what_nobody_asked_for(told: Told) -> None:
    assert "one call reads 161 items" in refuted(told, "affordable").reason


@each(RACES)
def test_a_schedule_is_shown_in_which_a_promise_is_broken(told: Told) -> None:
    detail = refuted(told, "safe").detail

    assert detail is not None
    assert detail.value["schedule"] == "AB"
    assert "B  returned" in detail.value["story"]


@each(UNGUARDED)
def test_what_overwrites_and_has_promised_nothing_is_not_proved(told: Told) -> None:
    name, subject, reason = told
    verdict = judged(name, "safe", subject)

    assert verdict.outcome is Outcome.UNPROVEN
    assert reason in verdict.reason


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of one refutation of each seed."""
    written = tmp_path_factory.mktemp("seeds")
    for aspect, (name, subject, _) in SHOWN:
        report = Report(name, 0, THOROUGH, (judged(name, aspect, subject),))
        write_files(report, seed(name), str(FOLDER / f"{name}.py"), written)
    return written


def test_the_test_of_each_seed_fails_until_it_is_mended(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert f"{len(SHOWN)} failed" in done.stdout, done.stdout
    assert done.stdout.count("is None\n") >= len(SHOWN), done.stdout


@pytest.mark.parametrize(("aspect", "told"), SHOWN, ids=[told[0] for _, told in SHOWN])
def test_the_script_of_each_seed_shows_it_without_sortkey(
    folder: Path, http_url: str, aspect: str, told: Told
) -> None:
    _, subject, printed = told

    shown(folder / f"{subject}_is_{aspect}_boto3.py", http_url, printed)


@pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed")
@pytest.mark.parametrize(("aspect", "told"), SHOWN, ids=[told[0] for _, told in SHOWN])
def test_dynamodb_local_does_what_each_seed_is_refuted_for(
    folder: Path, local_url: str, aspect: str, told: Told
) -> None:
    _, subject, printed = told

    shown(folder / f"{subject}_is_{aspect}_boto3.py", local_url, printed)
