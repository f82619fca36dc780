"""Text that another program stored as a number is read, compared and back-filled as text."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from tests.access.executors import put_item, stored_items

from sortkey import (
    DB,
    Backfill,
    ConditionFailed,
    DesignError,
    Entity,
    Stored,
    Table,
    TransactionFailed,
    Unreadable,
    accepts_number,
    gsi,
    immutable,
    one_of,
    transact,
    unique,
)
from sortkey.design.records.codecs import Codec, codec_for

Id = Annotated[str, Field(pattern="^[0-9a-z]+$")]


class App(Table, name="{environment}-App"):
    lists = gsi("GSI1PK", "GSI1SK")
    athletes = gsi("athleteId")


class Workout(Entity, table=App):
    user: Id
    activity: Annotated[Id, Stored("activityId"), accepts_number]
    athlete: Annotated[Id | None, accepts_number] = None

    primary = App.primary.key("USER#{user}", "WORKOUT#{activity}")
    by_athlete = App.lists.key("ATHLETE#{athlete}", "{activity}")


class Connection(Entity, table=App):
    user: Id
    athlete: Annotated[Id, Stored("athleteId"), accepts_number]
    device: Annotated[Id, accepts_number, immutable] = "0"

    primary = App.primary.key("USER#{user}", "CONNECTION")
    by_athlete = App.athletes.key()


class Owner(Entity, table=App):
    user: Id
    number: Annotated[Id, accepts_number, unique]

    primary = App.primary.key("USER#{user}", "OWNER")


class Athlete(BaseModel):
    athlete: str | None = None


KEY = {"PK": {"S": "USER#u"}, "SK": {"S": "WORKOUT#7"}}
NUMBER = {"activityId": {"N": "7"}, "athlete": {"N": "77"}}


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    db = opened(App)
    put_item(db, App, KEY | NUMBER)
    return db


def workout(db: DB) -> Workout:
    return db(Workout.get(user="u", activity="7").required())


def test_a_number_is_read_as_text(db: DB) -> None:
    assert workout(db) == Workout(user="u", activity="7", athlete="77")
    assert db(Workout.query(user="u").select(Athlete)) == [Athlete(athlete="77")]


def test_a_number_that_is_not_text_of_the_field_is_unreadable(db: DB) -> None:
    put_item(db, App, KEY | {"activityId": {"N": "7"}, "athlete": {"N": "-7.5"}})
    with pytest.raises(Unreadable, match="athlete"):
        workout(db)


@pytest.mark.parametrize("stored", [{"N": "77"}, {"S": "77"}])
def test_a_condition_is_the_same_for_both_forms(db: DB, stored: Any) -> None:
    put_item(db, App, KEY | NUMBER | {"athlete": stored})

    def found(where: Callable[[Workout], Any]) -> int:
        return len(db(Workout.query(user="u").where(where)))

    assert found(lambda w: w.athlete == "77") == 1
    assert found(lambda w: w.athlete == "78") == 0
    assert found(lambda w: w.athlete == "077") == 0
    assert found(lambda w: w.athlete != "77") == 0
    assert found(lambda w: w.athlete != "78") == 1
    assert found(lambda w: w.athlete != "x") == 1
    assert found(lambda w: w.athlete != None) == 1  # noqa: E711 - makes a condition
    assert found(lambda w: one_of(w.athlete, ["1", "77"])) == 1
    assert found(lambda w: one_of(w.athlete, ["1", "x"])) == 0
    db(transact(Workout.delete(user="u", activity="7").where(lambda w: w.athlete == "77")))
    assert stored_items(db, App) == []


def test_a_missing_attribute_differs_from_every_value(db: DB) -> None:
    put_item(db, App, KEY)
    assert len(db(Workout.query(user="u").where(lambda w: w.athlete != "77"))) == 1
    assert db(Workout.query(user="u").where(lambda w: w.athlete == "77")) == []


def test_every_write_stores_text(db: DB) -> None:
    db(Workout.update(user="u", activity="7").set(athlete="78"))
    [item] = stored_items(db, App)
    assert item["athlete"] == {"S": "78"}
    db(workout(db).put())
    [item] = stored_items(db, App)
    assert item["activityId"] == {"S": "7"}


def test_the_back_fill_stores_text_and_the_keys_of_indexes(db: DB) -> None:
    assert db(Workout.query(Workout.by_athlete, athlete="77")) == []

    for done in Backfill(db, [Workout]).run():
        assert not done.failures
    [again] = [*Backfill(db, [Workout]).run()][-1:]

    assert again.rewritten == 0
    [item] = stored_items(db, App)
    assert (item["activityId"], item["athlete"]) == ({"S": "7"}, {"S": "77"})
    assert item["GSI1SK"] == {"S": "7"}
    assert db(Workout.query(Workout.by_athlete, athlete="77")) == [workout(db)]


def test_an_immutable_field_has_one_value_in_both_forms(db: DB) -> None:
    key = {"PK": {"S": "USER#u"}, "SK": {"S": "CONNECTION"}}
    put_item(db, App, key | {"athleteId": {"S": "7"}, "device": {"N": "5"}})

    with pytest.raises(ConditionFailed):
        db(Connection(user="u", athlete="8", device="6").put())
    db(Connection(user="u", athlete="8", device="5").put())

    assert db(Connection.get(user="u").required()).athlete == "8"


def test_a_unique_field_has_one_lock_for_both_forms(db: DB) -> None:
    db(Owner(user="u", number="5").create())
    [item] = [one for one in stored_items(db, App) if one["SK"] == {"S": "OWNER"}]
    put_item(db, App, item | {"number": {"N": "5"}})

    with pytest.raises(TransactionFailed):
        db.transact(Owner(user="v", number="5").create())
    db(db(Owner.get(user="u").required()).delete())
    db(Owner(user="v", number="5").create())


@given(st.text(max_size=5) | st.integers().map(str) | st.decimals(allow_nan=False).map(str))
def test_a_text_has_a_number_form_only_if_that_is_read_as_the_text(text: str) -> None:
    codec: Codec = codec_for(Annotated[str, accepts_number])
    assert codec.also is not None
    number = codec.also(text)
    assert number is None or codec.decode(number) == text
    assert codec.decode(codec.encode(text)) == text


@pytest.mark.parametrize("kind", [int, list[str], str | int, bytes | None])
def test_only_text_can_accept_a_number(kind: Any) -> None:
    with pytest.raises(DesignError, match="accepts_number marks a str"):

        class Bad(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            bad: Id
            marked: Annotated[kind, accepts_number]  # pyright: ignore[reportInvalidTypeForm]

            primary = App.primary.key("BAD#{bad}", "BAD")
