"""A record under an earlier template of its key is read, moved and erased like any other."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field, model_validator
from tests.access.executors import put_item, stored_items

from sortkey import (
    DB,
    AlreadyExists,
    DesignError,
    Entity,
    Keyring,
    LocalKey,
    Refused,
    Table,
    Unreadable,
    Version,
    accepts_plaintext,
    secret,
    unique,
)
from sortkey.access.backfill import Backfill
from sortkey.access.rewriting import Progress
from sortkey.testing import Outcome, explore

Word = Annotated[str, Field(pattern="^[a-z0-9]+$")]
NEW_YEAR = date(2024, 1, 1)


class Gym(Table, name="{environment}-Gym"):
    pass


class Strength(Entity, table=Gym):
    """The exercise was appended to the key: two exercises of one day had the same."""

    user_id: Word
    day: datetime
    exercise: Word
    weight: int
    sets: int = 1
    note: Annotated[str | None, secret, accepts_plaintext] = None
    rev: Version = 0

    primary = Gym.primary.key(
        "STRENGTH",
        "USER#{user_id}#{day:%Y-%m-%d}#{exercise}",
        earlier="USER#{user_id}#{day:%Y-%m-%d}",
    )


class Metrics(Entity, table=Gym):
    user_id: Word
    period: Word
    start: date
    tag: Annotated[str | None, unique] = None

    primary = Gym.primary.key(
        "METRICS", "METRICS#{user_id}#{period}#{start}", earlier="METRICS#{user_id}#{period}"
    )


KEYS = Keyring(LocalKey("k", b"1" * 32))
DAY = datetime(2024, 1, 1, 8, tzinfo=UTC)
BENCH: dict[str, Any] = {"user_id": "u", "day": DAY, "exercise": "bench"}
SQUAT: dict[str, Any] = BENCH | {"exercise": "squat"}


def old_strength(**attributes: Any) -> dict[str, Any]:
    return {
        "PK": {"S": "STRENGTH"},
        "SK": {"S": "USER#u#2024-01-01"},
        "user_id": {"S": "u"},
        "day": {"S": "2024-01-01T08:00:00.000000Z"},
        "exercise": {"S": "bench"},
        "weight": {"N": "145"},
        "note": {"S": "in clear"},
        "unknown": {"S": "kept"},
        **attributes,
    }


def old_metrics(**attributes: Any) -> dict[str, Any]:
    key = {"PK": {"S": "METRICS"}, "SK": {"S": "METRICS#u#month"}}
    return {**key, "start": {"S": "2024-01-01"}, **attributes}


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    db = opened(Gym, secrets=KEYS)
    put_item(db, Gym, old_strength())
    put_item(db, Gym, old_metrics())
    return db


def memory() -> DB:
    db = DB.memory(Gym, secrets=KEYS)
    put_item(db, Gym, old_strength())
    return db


def run(db: DB, *entities: type[Entity], **settings: Any) -> Progress:
    [*_, last] = Backfill(db, entities or (Strength, Metrics), **settings).run()
    return last


def keys(db: DB) -> set[str]:
    return {item["SK"]["S"] for item in stored_items(db, Gym)}


class Lifted(BaseModel):
    exercise: str
    weight: int


def test_a_record_is_read_under_its_earlier_key(db: DB) -> None:
    strength = db(Strength.get(**BENCH).required())

    assert (strength.exercise, strength.weight, strength.note) == ("bench", 145, "in clear")
    assert db(Strength.get(**BENCH).select(Lifted)) == Lifted(exercise="bench", weight=145)
    assert db(Strength.query()) == db(Strength.scan()) == [strength]
    assert db(Strength.query(user_id="u")) == [strength]
    assert db.get_many([Strength.get(**BENCH)]) == [strength]
    assert db.snapshot(Strength.get(**BENCH)) == (strength,)
    [metrics] = db(Metrics.query(user_id="u"))
    assert (metrics.user_id, metrics.period, metrics.start) == ("u", "month", NEW_YEAR)


def test_a_key_that_was_common_to_several_records_is_read_as_one_of_them_only(db: DB) -> None:
    assert db(Strength.get(**SQUAT)) is None
    assert db(Strength.get(**SQUAT).select(Lifted)) is None
    assert db.snapshot(Strength.get(**SQUAT), Strength.get(**BENCH))[0] is None
    db(Strength(**SQUAT, weight=200).create())
    assert db(Strength.get(**SQUAT).required()).weight == 200
    assert keys(db) >= {"USER#u#2024-01-01", "USER#u#2024-01-01#squat"}


def test_a_write_moves_the_record_first(db: DB) -> None:
    assert db(Strength.update(**BENCH).add(sets=1)).sets == 2
    assert keys(db) == {"USER#u#2024-01-01#bench", "METRICS#u#month"}
    with pytest.raises(AlreadyExists):
        db(Strength(**BENCH, weight=1).create())


@pytest.mark.parametrize("how", ["erase", "delete", "transact", "write_many"])
def test_it_is_erased_by_its_key(db: DB, how: str) -> None:
    [found] = db(Strength.query(user_id="u"))
    match how:
        case "erase":
            db(Strength.erase(**BENCH))
        case "delete":
            db(found.delete())
        case "transact":
            db.transact(Strength.erase(**BENCH))
        case _:
            db.write_many([Strength.erase(**BENCH)])
    assert keys(db) == {"METRICS#u#month"}


def test_a_back_fill_moves_it_and_counts_it(db: DB) -> None:
    assert (run(db, dry_run=True).moved, len(keys(db))) == (2, 2)

    first, second = run(db), run(db)

    assert (first.rewritten, first.moved, first.encrypted, first.failed) == (2, 2, 1, 0)
    assert (second.moved, second.current) == (0, 2)
    assert keys(db) == {"USER#u#2024-01-01#bench", "METRICS#u#month#2024-01-01"}
    [item] = [one for one in stored_items(db, Gym) if one["PK"] == {"S": "STRENGTH"}]
    assert (item["unknown"], item["note"].keys()) == ({"S": "kept"}, {"B"})
    assert db(Strength.get(**BENCH).required()).note == "in clear"


def test_a_copy_under_the_new_key_is_no_obstacle(db: DB) -> None:
    db(Strength.erase(**BENCH))
    db(Strength(**BENCH, weight=145, note="in clear").create())
    put_item(db, Gym, old_strength())

    done = run(db, Strength)

    assert (done.moved, done.failed) == (1, 0)
    assert keys(db) == {"USER#u#2024-01-01#bench", "METRICS#u#month"}


def test_another_record_under_the_new_key_is_reported_and_both_stay(db: DB) -> None:
    db(Strength(**SQUAT, weight=1).create())
    put_item(db, Gym, old_strength(exercise={"S": "squat"}))

    done = run(db, Strength)

    assert (done.failed, done.current) == (1, 1)
    assert "delete one of them" in done.failures[0].reason
    assert keys(db) >= {"USER#u#2024-01-01", "USER#u#2024-01-01#squat"}


def test_a_record_whose_fields_make_another_key_moves(db: DB) -> None:
    db(Metrics(user_id="u", period="week", start=NEW_YEAR, tag="t").create())
    [item] = [one for one in stored_items(db, Gym) if one["SK"]["S"].startswith("METRICS#u#week")]
    put_item(db, Gym, item | {"start": {"S": "2024-02-01"}})

    done = run(db, Metrics)

    assert (done.moved, done.failed, done.locks) == (2, 0, 1)
    assert keys(db) >= {"METRICS#u#week#2024-02-01"}
    assert "METRICS#u#week#2024-01-01" not in keys(db)
    assert db(Metrics.get_by(tag="t").required()).start == date(2024, 2, 1)


class Ratio(Entity, table=Gym):
    ratio_id: Word
    whole: int
    share: float = 0.0

    primary = Gym.primary.key("RATIO", "{ratio_id}")

    @model_validator(mode="after")
    def _derive(self) -> "Ratio":
        self.share = 1 / self.whole
        return self


def test_a_record_that_its_model_cannot_take_is_reported_and_the_others_are_rewritten(
    db: DB,
) -> None:
    for name, whole in (("zero", {"N": "0"}), ("text", {"S": "?"}), ("fine", {"N": "2"})):
        put_item(db, Gym, {"PK": {"S": "RATIO"}, "SK": {"S": name}, "whole": whole})
    put_item(db, Gym, {"PK": {"S": "RATIO"}, "SK": {"S": "none"}})

    done = run(db, Ratio)

    assert (done.rewritten, done.failed) == (1, 3)
    reasons = {failure.key: failure.reason for failure in done.failures}
    assert "its model raised ZeroDivisionError" in reasons["RATIO / zero"]
    assert "whole: Field required" in reasons["RATIO / none"]


def test_an_unreadable_record_under_the_earlier_key_is_reported(db: DB) -> None:
    put_item(db, Gym, old_strength(weight={"S": "heavy"}))

    assert (run(db, Strength).failed, "USER#u#2024-01-01" in keys(db)) == (1, True)
    with pytest.raises(Unreadable):
        db(Strength.get(**BENCH))
    with pytest.raises(Refused, match="cannot be moved to its new key"):
        db(Strength.update(**BENCH).add(sets=1))


# Races.


def add_set(db: DB) -> None:
    db(Strength.update(**BENCH).add(sets=1))


def test_a_change_meets_the_move_and_neither_is_lost() -> None:
    with memory() as db:

        def holds(outcomes: list[Outcome]) -> None:
            strength = db(Strength.get(**BENCH).required())
            assert strength.sets == (2 if outcomes[1].succeeded else 1)
            assert len(keys(db)) == 1

        explored = explore(
            lambda: run(db, Strength),
            lambda: add_set(db),
            db=db,
            invariant=holds,
            lost_responses=False,
            crashes=False,
        )
        assert explored.schedules > 5


def test_two_back_fills_and_lost_responses_leave_one_record() -> None:
    with memory() as db:

        def one() -> bool:
            return keys(db) in ({"USER#u#2024-01-01"}, {"USER#u#2024-01-01#bench"})

        def fill() -> Progress:
            return run(db, Strength)

        explore(fill, fill, db=db, invariant=one)


def test_an_erased_record_does_not_come_back() -> None:
    with memory() as db:
        explore(
            lambda: run(db, Strength),
            lambda: db(Strength.erase(**BENCH)),
            db=db,
            invariant=lambda: keys(db) == set(),
            crashes=False,
        )


def was_read(outcomes: list[Outcome]) -> bool:
    return outcomes[1].result is not None


def test_a_get_never_misses_a_record_that_moves() -> None:
    with memory() as db:
        explore(
            lambda: run(db, Strength),
            lambda: db(Strength.get(**BENCH)),
            db=db,
            invariant=was_read,
            crashes=False,
            index_lag=True,
        )


# Declarations.


def declared(sort: str, earlier: str, **settings: Any) -> Callable[[], object]:
    def make() -> None:
        class Bad(Entity, table=Gym):  # pyright: ignore[reportUnusedClass]
            bad_id: Word
            at: datetime
            place: str = ""
            free: str

            primary = Gym.primary.key("BAD", sort, earlier=earlier, **settings)

    return make


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (declared("{bad_id}", "{place}"), '"place" is not part of the key'),
        (declared("{bad_id}", "{nothing}"), "nothing"),
        (declared("{bad_id}#{at:%Y-%m-%d}", "{bad_id}#{at:%Y-%m}"), "the same format"),
        (declared("{bad_id}#{free}", "{free}"), "key of another record"),
        (declared("{bad_id}#{free}", "{bad_id}", shards=2), "one shard"),
    ],
)
def test_an_earlier_key_that_cannot_be_found_is_refused(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(DesignError, match="SK127") as refused:
        make()
    assert message in str(refused.value)


def test_the_earlier_key_of_another_entity_is_a_shared_key() -> None:
    with pytest.raises(DesignError, match="SK101"):

        class Weight(Entity, table=Gym):  # pyright: ignore[reportUnusedClass]
            user_id: Word
            day: date

            primary = Gym.primary.key("STRENGTH", "USER#{user_id}#{day}")
