"""Conditions: each is asked of DynamoDB, and holds for the records that it describes."""

import operator
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated

import pytest
from pydantic import AfterValidator, BaseModel, Field

from sortkey import (
    DB,
    Entity,
    EpochSeconds,
    Refused,
    Table,
    WholeSeconds,
    all_of,
    any_of,
    begins_with,
    between,
    contains,
    exists,
    missing,
    not_,
    one_of,
    size,
    value_of,
)


class App(Table):
    pass


class Plan(Enum):
    FREE = "free"
    PRO = "pro"


class Address(BaseModel):
    city: str


class Player(Entity, table=App):
    team: str
    name: str
    score: int | None = None
    credit: Decimal = Decimal(0)
    plan: Plan = Plan.FREE
    tags: set[str] = Field(default_factory=set)
    log: list[str] = Field(default_factory=list)
    home: Address | None = None
    primary = App.primary.key("TEAM#{team}", "PLAYER#{name}")


ANN = Player(team="t", name="ann", score=3, plan=Plan.PRO, tags={"new"}, log=["in", "out"])
BEA = Player(team="t", name="bea", credit=Decimal("1.5"), home=Address(city="Oslo"), log=["in"])


@pytest.fixture(scope="module")
def db() -> Iterator[DB]:
    with DB.memory(App) as opened:
        opened.write_many([ANN.put(), BEA.put()])
        yield opened


def holds_for(db: DB, test: Callable[[Player], bool]) -> str:
    return " ".join(player.name for player in db(Player.query(team="t").where(test)))


@pytest.mark.parametrize("count", [0, 101])
def test_one_of_takes_from_one_to_a_hundred_choices(count: int) -> None:
    with pytest.raises(Refused, match=rf"one_of takes 1 to 100 choices, not {count}"):
        Player.scan().where(lambda p: one_of(p.score, list(range(count))))


CASES: list[tuple[Callable[[Player], bool], str]] = [
    (lambda p: exists(p.score), "ann"),
    (lambda p: missing(p.score), "bea"),
    (lambda p: p.score == None, "bea"),  # noqa: E711 - asked of DynamoDB, not of Python
    (lambda p: begins_with(p.log[0], "i"), "ann bea"),
    (lambda p: contains(p.tags, "new"), "ann"),
    (lambda p: contains(p.log, "out"), "ann"),
    (lambda p: contains(value_of(p.home).city, "sl"), "bea"),
    (lambda p: between(p.score, 1, 3), "ann"),
    (lambda p: between(p.credit, 1, Decimal("1.5")), "bea"),
    (lambda p: one_of(p.plan, [Plan.PRO]), "ann"),
    (lambda p: one_of(p.credit, [0, Decimal(7)]), "ann"),
    (lambda p: size(p.log) == 1, "bea"),
    (lambda p: size(p.log) > size(p.tags), "ann"),
    (lambda p: value_of(p.score) > 2, "ann"),
    (lambda p: value_of(p.score) <= 2, ""),
    (lambda p: value_of(p.home).city == "Oslo", "bea"),
    (lambda p: all_of(exists(p.score), p.credit > 0), ""),
    (lambda p: any_of(exists(p.score), p.credit > 0), "ann bea"),
    (lambda p: not_(exists(p.score)), "bea"),
]


@pytest.mark.parametrize(("test", "names"), CASES)
def test_a_condition_holds_for_what_it_describes(
    db: DB, test: Callable[[Player], bool], names: str
) -> None:
    assert holds_for(db, test) == names


def test_a_place_in_an_optional_model_can_be_changed(db: DB) -> None:
    update = Player.update(team="t", name="bea").set(lambda p: value_of(p.home).city).to("Bergen")
    assert db(update).home == Address(city="Bergen")
    db(BEA.put())


@pytest.mark.parametrize("asked", [exists, missing, size, value_of])
def test_a_value_that_is_no_field_is_refused(asked: Callable[[object], bool]) -> None:
    with pytest.raises(Refused, match=f"{asked.__name__}\\(\\) is for a record's field"):
        Player.query(team="t").where(lambda _: asked("score"))


# Times that are stored in whole seconds, held against one that is not.


class Match(Entity, table=App):
    name: str
    begins: EpochSeconds
    ends: WholeSeconds | None = None
    primary = App.primary.key("MATCH", "{name}")


SECOND = timedelta(seconds=1)
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


@pytest.mark.parametrize("field", ["begins", "ends"])
def test_a_time_is_compared_with_its_microseconds(field: str) -> None:
    whole = datetime(2026, 5, 1, 12, tzinfo=UTC)
    half = whole + SECOND / 2
    with DB.memory(App) as db:
        for name, moment in (("a", whole - SECOND), ("b", whole), ("c", whole + SECOND)):
            db(Match(name=name, begins=moment, ends=moment).put())

        def found(test: Callable[[Match], bool]) -> str:
            return "".join(match.name for match in db(Match.query().where(test)))

        for compare in COMPARISONS:
            for moment in (half, whole):
                meant = [m.name for m in db(Match.query()) if compare(getattr(m, field), moment)]
                holds = found(lambda m: compare(getattr(m, field), moment))  # noqa: B023 - asked at once
                assert holds == "".join(meant), (compare, moment)
        assert found(lambda m: between(getattr(m, field), half - SECOND, half)) == "b"
        assert found(lambda m: between(getattr(m, field), half, half + SECOND)) == "c"
        assert found(lambda m: one_of(getattr(m, field), [half, whole + SECOND])) == "c"


def to_the_minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)


class Train(Entity, table=App):
    leaves: Annotated[datetime, AfterValidator(to_the_minute)]
    primary = App.primary.key("TRAIN", "{leaves}")


def test_a_time_that_its_field_cuts_further_is_compared_as_the_field_has_it() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    with DB.memory(App) as db:
        db(Train(leaves=noon).create())
        late = noon + timedelta(seconds=30, microseconds=5)

        assert len(list(db(Train.scan().where(lambda t: t.leaves == late)))) == 1


def test_a_time_before_1970_is_compared_with_its_microseconds() -> None:
    last = datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)
    with DB.memory(App) as db:
        db(Match(name="a", begins=last).put())
        assert db(Match.query().where(lambda m: m.begins < last.replace(microsecond=1)))
        assert not db(Match.query().where(lambda m: m.begins >= last.replace(microsecond=1)))
