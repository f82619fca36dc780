"""Exploration: the races that it finds, and those that it rules out."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from sortkey import (
    DB,
    AsyncDB,
    Entity,
    Refused,
    Table,
    TransactionFailed,
    UpdatedAt,
    Version,
    VersionConflict,
    auto,
    missing,
)
from sortkey.explore.exploration import Exploration
from sortkey.explore.schedule import BadSchedule
from sortkey.testing import ExplorationFailed, Outcome, explore


class App(Table):
    pass


class Counter(Entity, table=App):
    name: str
    count: int = 0
    primary = App.primary.key("COUNTER#{name}", "COUNTER")


class Account(Entity, table=App):
    name: str
    balance: int = 0
    rev: Version = 0
    primary = App.primary.key("ACCOUNT#{name}", "ACCOUNT")


class AthleteOwner(Entity, table=App):
    athlete_id: int
    user_id: str
    updated_at: UpdatedAt = auto()
    primary = App.primary.key("STRAVA#ATHLETE#{athlete_id}", "OWNER")


class Connection(Entity, table=App):
    user_id: str
    athlete_id: int
    token: str
    primary = App.primary.key("USER#{user_id}", "STRAVA#CONNECTION")


class AthleteAlreadyConnected(Exception):  # noqa: N818 - what an application would say
    pass


@pytest.fixture
def db() -> DB:
    return DB.memory(App)


def careless_add(db: DB, name: str) -> None:
    counter = db(Counter.get(name=name).required())
    db(Counter(name=name, count=counter.count + 1).put())


def count(db: DB, name: str) -> int:
    return db(Counter.get(name=name).required()).count


def connect(db: DB, user_id: str, athlete_id: int, *, guarded: bool = True) -> None:
    """Claim the athlete, store the connection and release the previous athlete, atomically."""
    held = db(Connection.get(user_id=user_id).consistently())
    claim = AthleteOwner(athlete_id=athlete_id, user_id=user_id).put()
    if guarded:
        claim = claim.where(lambda o: missing(o.user_id) | (o.user_id == user_id))
    connection = Connection(user_id=user_id, athlete_id=athlete_id, token="t")
    if held is None:
        writes: list[Any] = [claim, connection.create()]
    else:
        known = held.athlete_id
        writes = [claim, connection.replace().where(lambda c: c.athlete_id == known)]
        if known != athlete_id:
            release = AthleteOwner.delete(athlete_id=known)
            writes.append(release.where(lambda o: o.user_id == user_id))
    try:
        db.transact(*writes)
    except TransactionFailed as error:
        if error.of(claim):
            raise AthleteAlreadyConnected from error
        raise


def owners_agree(db: DB) -> Callable[[], None]:
    def check() -> None:
        connections = {c.athlete_id: c.user_id for c in db(Connection.scan())}
        owners = {o.athlete_id: o.user_id for o in db(AthleteOwner.scan())}
        assert connections == owners

    return check


def test_a_lost_update_is_found_and_shown_request_by_request(db: DB) -> None:
    db(Counter(name="c").create())

    with pytest.raises(ExplorationFailed) as failed:
        explore(
            lambda: careless_add(db, "c"),
            lambda: careless_add(db, "c"),
            db=db,
            invariant=lambda: count(db, "c") == 2,
            crashes=False,
            lost_responses=False,
        )

    assert failed.value.schedule in {"AB2A", "ABA2", "ABAB"}
    assert "GetItem     App  COUNTER#c / COUNTER" in str(failed.value)
    assert "PutItem     App  COUNTER#c / COUNTER\n          name=c, count=1" in str(failed.value)
    sent = [f"{caller} {request.operation}" for caller, request in failed.value.requests]
    assert sorted(sent) == ["A GetItem", "A PutItem", "B GetItem", "B PutItem"]
    assert sent[:2] == ["A GetItem", "B GetItem"]


@pytest.mark.parametrize(("schedule", "sent"), [("A!", []), ("A+", ["PutItem"])])
def test_a_request_that_a_crash_prevented_is_not_listed_as_sent(
    db: DB, schedule: str, sent: list[str]
) -> None:
    with pytest.raises(ExplorationFailed) as failed:
        explore(
            lambda: db(Counter(name="c").create()),
            db=db,
            invariant=lambda: False,
            replay=schedule,
        )

    assert [request.operation for _, request in failed.value.requests] == sent


def test_a_story_shows_what_a_batch_reads_and_writes(db: DB) -> None:
    def batches() -> None:
        db.write_many([Counter(name="a", count=3).put(), Counter.delete(name="b")])
        db.get_many([Counter.get(name="a")])

    with pytest.raises(ExplorationFailed) as failed:
        explore(batches, db=db, invariant=lambda: False, crashes=False, lost_responses=False)

    lines = [line.strip() for line in str(failed.value).splitlines()]
    assert "1  A  BatchWriteItem" in lines
    assert "Put      App  COUNTER#a / COUNTER" in lines
    assert "name=a, count=3, _type=Counter" in lines
    assert "Delete   App  COUNTER#b / COUNTER" in lines
    assert "2  A  BatchGetItem" in lines
    assert "Get      App  COUNTER#a / COUNTER" in lines


def test_a_story_shows_each_change_and_condition_whole_within_a_terminal(db: DB) -> None:
    db(Account(name="a").create())
    add = Account.update(name="a").add(lambda a: a.balance).by(-1).where(lambda a: a.balance > 41)

    with pytest.raises(ExplorationFailed) as failed:
        explore(
            lambda: db(add), db=db, invariant=lambda: False, crashes=False, lost_responses=False
        )

    story = str(failed.value)
    assert "ADD balance -1, rev 1\n" in story
    assert "balance > 41" in story
    assert max(map(len, story.splitlines())) <= 80


def test_an_atomic_add_survives_every_order(db: DB) -> None:
    db(Counter(name="c").create())
    add = Counter.update(name="c").add(lambda c: c.count).by(1)

    explored = explore(
        lambda: db(add),
        lambda: db(add),
        db=db,
        invariant=lambda: count(db, "c") == 2,
        crashes=False,
        lost_responses=False,
    )

    assert explored.schedules == 2


def test_a_lost_response_to_an_add_is_found_to_count_twice(db: DB) -> None:
    db(Counter(name="c").create())
    add = Counter.update(name="c").add(lambda c: c.count).by(1)

    with pytest.raises(ExplorationFailed, match="the response is lost"):
        explore(lambda: db(add), db=db, invariant=lambda: count(db, "c") == 1, crashes=False)


def test_a_version_makes_a_lost_update_impossible(db: DB) -> None:
    db(Account(name="a").create())

    def deposit() -> None:
        account = db(Account.get(name="a").consistently().required())
        db(account.update().set(lambda a: a.balance).to(account.balance + 10))

    def nothing_lost(outcomes: list[Outcome]) -> bool:
        done = sum(10 for outcome in outcomes if outcome.succeeded)
        return db(Account.get(name="a").required()).balance == done

    explored = explore(
        deposit, deposit, db=db, invariant=nothing_lost, crashes=False, lost_responses=False
    )

    assert any(VersionConflict.__name__ in text for ending in explored.endings for text in ending)
    count = len(explored.endings)
    assert repr(explored) == f"<Exploration: {explored.schedules} schedules, {count} endings>"
    assert str(explored).splitlines()[1:] == [f"  {', '.join(e)}" for e in explored.endings]


def test_connecting_an_athlete_has_one_owner_in_every_order_and_after_every_crash(db: DB) -> None:
    connect(db, "ann", 8)

    explored = explore(
        lambda: connect(db, "ann", 7),
        lambda: connect(db, "bob", 7),
        db=db,
        invariant=owners_agree(db),
        errors=(AthleteAlreadyConnected,),
    )

    assert explored.schedules > 10


def test_connecting_without_the_claims_condition_fails(db: DB) -> None:
    with pytest.raises(ExplorationFailed, match="TransactWriteItems"):
        explore(
            lambda: connect(db, "ann", 7, guarded=False),
            lambda: connect(db, "bob", 7, guarded=False),
            db=db,
            invariant=owners_agree(db),
        )


def test_requests_that_cannot_notice_each_other_need_one_order(db: DB) -> None:
    for name in "ab":
        db(Counter(name=name).create())

    explored = explore(
        lambda: careless_add(db, "a"),
        lambda: careless_add(db, "b"),
        db=db,
        invariant=lambda: count(db, "a") == count(db, "b") == 1,
        crashes=False,
        lost_responses=False,
    )

    assert explored.schedules == 1


def test_after_a_failure_only_simpler_schedules_are_run(db: DB) -> None:
    db(Counter(name="c").create())
    calls = [lambda: careless_add(db, "c")] * 2
    judged: list[int] = []

    def both_count() -> bool:
        judged.append(count(db, "c"))
        return judged[-1] == 2

    with pytest.raises(ExplorationFailed) as failed:
        explore(*calls, db=db, invariant=both_count)

    assert failed.value.schedule == "AB2A"
    assert len(judged) < explore(*calls, db=db, invariant=lambda: True).schedules / 3


def never(*_: object) -> bool:
    return False


def test_a_crash_whose_course_is_covered_is_not_run_to(
    db: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[str] = []

    def connect_ann() -> None:
        runs.append("A")
        connect(db, "ann", 7)

    def explored() -> Exploration:
        runs.clear()
        return explore(
            connect_ann,
            lambda: connect(db, "bob", 7),
            db=db,
            invariant=owners_agree(db),
            errors=(AthleteAlreadyConnected,),
        )

    quick, fewer = explored(), len(runs)
    monkeypatch.setattr("sortkey.explore.exploration._Node._is_covered", never)
    assert explored() == quick
    assert fewer < len(runs)


def test_a_crash_stops_the_call_also_in_its_handlers(db: DB) -> None:
    def writes_twice() -> None:
        try:
            db(Counter(name="first").put())
        finally:
            db(Counter(name="second").put())

    endings: set[tuple[bool, bool]] = set()

    def note(outcomes: list[Outcome]) -> None:
        there = [db(Counter.get(name=name)) is not None for name in ("first", "second")]
        endings.add((there[0], there[1]))

    explore(writes_twice, db=db, invariant=note, lost_responses=False)

    assert endings == {(False, False), (True, False), (True, True)}


def test_a_later_caller_may_finish_the_work(db: DB) -> None:
    def finish() -> None:
        db(Counter(name="c", count=1).put())

    explored = explore(
        finish, db=db, then=finish, invariant=lambda: count(db, "c") == 1, lost_responses=False
    )

    assert explored.schedules == 3


def test_the_database_is_as_it_was_afterwards(db: DB) -> None:
    db(Counter(name="c").create())
    add = Counter.update(name="c").add(lambda c: c.count).by(1)

    explore(lambda: db(add), db=db, invariant=lambda: True)

    assert count(db, "c") == 0
    assert db(add).count == 1


def test_a_schedule_can_be_run_alone(db: DB) -> None:
    db(Counter(name="c").create())
    calls = [lambda: careless_add(db, "c")] * 2

    with pytest.raises(ExplorationFailed, match="the invariant does not hold"):
        explore(*calls, db=db, invariant=lambda: count(db, "c") == 2, replay="ABAB")
    explore(*calls, db=db, invariant=lambda: count(db, "c") == 2, replay="A2B2")


def test_too_many_schedules_are_refused_with_the_advice_to_sample(db: DB) -> None:
    db(Counter(name="a").create())
    add = partial(careless_add, db, "a")
    with pytest.raises(Refused, match=r"more than 10 schedules: .* explore a sample="):
        explore(add, add, db=db, invariant=lambda: True, most=10)


def test_a_sample_is_the_same_for_each_seed(db: DB) -> None:
    db(Counter(name="a").create())
    add = partial(careless_add, db, "a")

    def failing(seed: int) -> str:
        with pytest.raises(ExplorationFailed, match=r"of \d+ explored") as failed:
            explore(add, add, db=db, invariant=lambda: count(db, "a") == 2, sample=20, seed=seed)
        return str(failed.value)

    assert failing(1) == failing(1)
    assert failing(1) != failing(2)


def test_a_sample_has_crashes_lost_responses_and_stale_reads_and_at_most_so_many_schedules(
    db: DB,
) -> None:
    db(Counter(name="a").create())
    add = partial(careless_add, db, "a")
    everything = explore(add, add, db=db, invariant=lambda: True, stale_reads=True)
    sample = explore(add, add, db=db, invariant=lambda: True, stale_reads=True, sample=2_000)
    few = explore(add, add, db=db, invariant=lambda: True, stale_reads=True, sample=5)

    assert set(sample.endings) == set(everything.endings)
    assert few.schedules <= 5


def test_a_sample_without_schedules_is_refused(db: DB) -> None:
    with pytest.raises(Refused, match="sample=0 explores no schedule"):
        explore(lambda: None, db=db, invariant=lambda: True, sample=0)


def test_weather_is_refused_because_it_has_other_results_each_time() -> None:
    with (
        DB.memory(App, weather="bad-network") as db,
        pytest.raises(Refused, match="needs a database without weather"),
    ):
        explore(lambda: None, db=db, invariant=lambda: True)


def test_a_schedule_of_other_calls_is_refused(db: DB) -> None:
    with pytest.raises(BadSchedule, match="has no request to send"):
        explore(lambda: None, lambda: None, db=db, invariant=lambda: True, replay="AB")


def test_an_unexpected_error_is_a_failure(db: DB) -> None:
    def breaks() -> None:
        db(Counter.get(name="c"))
        raise KeyError("oops")

    with pytest.raises(ExplorationFailed, match="A raised KeyError"):
        explore(breaks, db=db, invariant=lambda: True)


def test_an_error_of_sortkey_is_a_failure_where_others_are_named(db: DB) -> None:
    with pytest.raises(ExplorationFailed, match="A raised NotFound"):
        explore(
            lambda: db(Counter.get(name="nobody").required()),
            db=db,
            invariant=lambda: True,
            errors=(KeyError,),
        )


def test_an_invariant_that_does_not_find_its_record_does_not_hold(db: DB) -> None:
    with pytest.raises(ExplorationFailed, match=r"does not hold: Counter .*does not exist"):
        explore(
            lambda: db(Counter(name="c").create()),
            db=db,
            invariant=lambda: db(Counter.get(name="c").required()),
        )


def test_an_invariant_that_breaks_leaves_the_database_as_it_was(db: DB) -> None:
    def broken() -> None:
        raise KeyError("oops")

    with pytest.raises(KeyError, match="oops"):
        explore(lambda: db(Counter(name="c").create()), db=db, invariant=broken)

    assert db(Counter.get(name="c")) is None


def test_a_call_over_its_budget_is_a_failure(db: DB) -> None:
    def reads_too_much() -> None:
        with db.budget(requests=0):
            db(Counter.get(name="c"))

    with pytest.raises(ExplorationFailed, match="A raised OverBudget"):
        explore(reads_too_much, db=db, invariant=lambda: True, crashes=False, lost_responses=False)


def test_code_that_awaits_is_explored_alike() -> None:
    db = AsyncDB.memory(App)

    async def careless() -> None:
        counter = await db(Counter.get(name="c"))
        await db(Counter(name="c", count=(counter.count if counter else 0) + 1).put())

    async def both_counted() -> bool:
        counter = await db(Counter.get(name="c"))
        return counter is not None and counter.count == 2

    with pytest.raises(ExplorationFailed) as failed:
        explore(
            careless,
            careless,
            db=db,
            invariant=both_counted,
            crashes=False,
            lost_responses=False,
        )

    assert "PutItem" in str(failed.value)


def test_a_file_is_refused(tmp_path: Any) -> None:
    with DB.open(tmp_path / "app.db", App) as db, pytest.raises(Refused, match="in memory"):
        explore(lambda: None, db=db, invariant=lambda: True)
