"""Selectors stand for fields, and say so when they are taken for values."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from pydantic import BaseModel, Field

from sortkey import DB, Entity, Refused, Table, contains
from sortkey import size as typed_size


class App(Table):
    pass


class Home(BaseModel):
    city: str = "Oslo"
    rooms: int = 2


class Player(Entity, table=App):
    name: str
    score: int = 0
    best: int = 0
    home: Home = Home()
    tags: list[str] = Field(default_factory=list[str])
    aliases: list[str] = Field(default_factory=list[str])
    primary = App.primary.key("PLAYER#{name}", "PLAYER")


# Given what a type checker would refuse.
size: Any = typed_size


def holds(test: Callable[[Player], Any]) -> bool:
    """Whether the condition holds for a record with a score of 3 and a best of 5."""
    with DB.memory(App) as db:
        db(Player(name="a", score=3, best=5, tags=["x", "y"], aliases=["b"]).create())
        return bool(db(Player.scan().where(test)))


Function: TypeAlias = Callable[[Any], Any]

COMPARISONS: list[tuple[Function, bool]] = [
    (lambda p: p.score == 3, True),
    (lambda p: p.score != 3, False),
    (lambda p: p.score < 4, True),
    (lambda p: p.score <= 2, False),
    (lambda p: p.score > 2, True),
    (lambda p: p.score >= 4, False),
    (lambda p: p.score < p.best, True),
    (lambda p: p.score == size(p.tags), False),
    (lambda p: size(p.tags) == 2, True),
    (lambda p: size(p.tags) != 2, False),
    (lambda p: size(p.tags) < 3, True),
    (lambda p: size(p.tags) <= 1, False),
    (lambda p: size(p.tags) > size(p.aliases), True),
    (lambda p: size(p.tags) >= 3, False),
    (lambda p: (p.score == 3) & (p.best == 5), True),
    (lambda p: (p.score == 1) | (p.best == 1), False),
    (lambda p: ~(p.score == 3), False),
    (lambda p: p.tags[0] == "x", True),
]


@pytest.mark.parametrize(("test", "held"), COMPARISONS)
def test_a_comparison_is_asked_of_the_record(test: Function, held: bool) -> None:
    assert holds(test) is held


NO_CONDITIONS: list[tuple[Function, str]] = [
    (lambda p: p.scor == 3, r"Player has no field scor; did you mean score\?"),
    (lambda p: p.zebra == 3, r"Player has no field zebra$"),
    (lambda p: p.home.town == 3, r"Player has no field home\.town$"),
    (lambda p: p.score.digits == 3, r"Player\.score is no model, so it has no digits"),
    (lambda p: p.score == "many", r"Player\.score cannot be 'many': Input should be a valid"),
    (lambda p: p.score == 10**40 + 1, r"Player\.score cannot take 1.*: it has more than 38"),
    (lambda p: p.score > 1 and p.best > 1, r"a condition .* is not yet true or false"),
    (lambda p: not p.score, r"Player\.score is not known here, so it is not true or false"),
    (lambda p: "x" in p.tags, r"write contains\(r\.tags, \.\.\.\) instead of `in`"),
    (lambda p: size(p.tags) == "two", r"size\(\) is compared with a whole number, not 'two'"),
    (lambda p: size("tags") == 2, r"size\(\) is for a record's field within where"),
    (lambda p: contains("tags", "x"), r"contains\(\) is for a record's field within where"),
    (lambda _: True, r"a condition compares a record's fields, .* this one is True"),
]


@pytest.mark.parametrize(("test", "told"), NO_CONDITIONS)
def test_what_is_no_condition_is_refused_with_what_to_write(test: Function, told: str) -> None:
    with pytest.raises(Refused, match=told):
        Player.scan().where(test)


NO_FIELDS: list[Function] = [lambda _: 3, lambda p: p.score > 3, lambda p: p]


@pytest.mark.parametrize("select", NO_FIELDS)
def test_a_change_wants_one_field(select: Function) -> None:
    with pytest.raises(Refused, match=r"name one field, as in lambda r: r\.count"):
        Player.update(name="a").remove(select)


def test_a_selector_is_no_member_of_sets() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        Player.scan().where(lambda p: {p.score: True}[p.score])  # pyright: ignore[reportArgumentType]
