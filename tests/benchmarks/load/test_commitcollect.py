"""The crowd of CommitCollect reports violated guarantees."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from benchmarks.load.commitcollect import CommitCollect

from benchmarks.load import commitcollect
from sortkey import DB, Keyring, LocalKey
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.milestones import Award, Milestone, MilestoneStatus
from sortkey_systems.commitcollect.design.strava import AthleteOwner, StravaConnection
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.receiving import Aspect, StravaEvent, receive

TRACE = Trace("test")
FIRST = datetime(2036, 5, 14, 10, tzinfo=UTC)


@pytest.fixture
def db(monkeypatch: pytest.MonkeyPatch) -> Iterator[DB]:
    """Yield a database in which one user has ridden far enough for some parts."""
    monkeypatch.setattr(commitcollect, "PEOPLE", 1)
    with DB.memory(*TABLES, secrets=Keyring(LocalKey.new("test"))) as db:
        CommitCollect().prepare(db)
        for number in range(4):
            event = ride(number)
            receive(db, event, commitcollect.activity_of(event), TRACE)
        [goal] = db.each(Milestone.scan())
        assert recompute(db, "user0", goal.milestone_id, TRACE).minted
        yield db


def ride(number: int) -> StravaEvent:
    """Return a ride; its length follows from its time."""
    at = FIRST + timedelta(seconds=number)
    return StravaEvent(aspect=Aspect.CREATE, object_id=f"{number}", athlete_id="0", event_time=at)


def milestone(db: DB) -> Milestone:
    [goal] = db.each(Milestone.scan())
    return goal


def erased(db: DB, award: Award) -> None:
    """Delete the award, though no pattern does."""
    key = award.model_dump(include={"user_id", "milestone_id", "part_index"})
    db(Award.erase(**key))


def faults(db: DB, crowd: CommitCollect | None = None) -> list[str]:
    return list((crowd or CommitCollect()).faults(db))


def test_what_the_services_write_is_as_it_should_be(db: DB) -> None:
    assert faults(db) == []


def test_an_athlete_whose_owner_has_another_is_found(db: DB) -> None:
    [held] = db.each(StravaConnection.scan())
    db(held.model_copy(update={"athlete_id": "9"}).put())

    assert faults(db) == [
        "the athlete 0 belongs to user0, who has 9",
        "user0 has the athlete 9, which belongs to None",
    ]


def test_an_athlete_without_an_owner_is_found(db: DB) -> None:
    db(AthleteOwner.delete(athlete_id="0"))

    assert faults(db) == ["user0 has the athlete 0, which belongs to None"]


def test_an_award_that_is_missing_is_found(db: DB) -> None:
    goal = milestone(db)
    erased(db, next(iter(db.each(Award.scan()))))

    [fault] = faults(db)
    assert fault.startswith(f"the milestone of user0 has {goal.parts_earned} parts, awarded [")


def test_parts_that_were_reached_and_not_earned_are_found(db: DB) -> None:
    db(milestone(db).update().set(lambda each: each.progress_value).to(Decimal(399_999)))

    [fault] = faults(db)
    assert fault.startswith("the milestone of user0 has reached more than ")


def test_a_part_that_came_too_early_is_found(db: DB) -> None:
    for award in list(db.each(Award.scan())):
        erased(db, award)
        db(award.model_copy(update={"progress_value_at_award": Decimal(1)}).create())

    assert "the part 1 of user0 was awarded too early" in faults(db)


def test_a_milestone_that_is_completed_before_its_end_is_found(db: DB) -> None:
    db(milestone(db).update().set(lambda each: each.status).to(MilestoneStatus.COMPLETED))

    [fault] = faults(db)
    assert fault.startswith("the milestone of user0 is COMPLETED with ")


def test_awards_without_a_milestone_are_found(db: DB) -> None:
    goal = milestone(db)
    db(goal.delete())

    assert faults(db) == [f"the milestone {goal.milestone_id} has awards but is missing"]


def test_an_event_that_was_applied_twice_or_lost_is_found(db: DB) -> None:
    crowd, lost = CommitCollect(), ride(9)
    for _ in range(2):
        crowd.was_applied(lost)

    found = faults(db, crowd)
    assert found[0] == f"the event {lost.request_id} was applied 2 times"
    assert found[1] == f"the event {lost.request_id} was applied but is lost"


def test_rides_that_are_not_counted_are_found(db: DB, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index could return one of them twice."""
    [goal] = db.each(Milestone.scan())
    counted = commitcollect.earning.progress_of(db, goal)

    def one_more(_db: DB, _goal: Milestone) -> Decimal:
        return counted + 1

    monkeypatch.setattr(commitcollect.earning, "progress_of", one_more)

    [fault] = faults(db)
    assert fault == f"user0 has ridden {counted} metres, but {counted + 1} are counted"
