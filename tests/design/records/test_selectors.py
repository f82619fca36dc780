"""Selectors stand for fields, and say so when they are taken for values."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from pydantic import BaseModel, Field

from sortkey import DB, Entity, Refused, Table, all_of, any_of, contains, not_
from sortkey import size as typed_size


class App(Table):
    pass


class Home(BaseModel):
    city: str = "Oslo"
    rooms: int = 2
    open: bool = True


class Player(Entity, table=App):
    name: str
    score: int = 0
    best: int = 0
    home: Home = Home()
    active: bool = True
    banned: bool | None = None
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
    (lambda p: p.active, True),
    (lambda p: ~p.active, False),
    (lambda p: p.banned, False),
    (lambda p: ~p.banned, True),
    (lambda p: p.home.open, True),
    (lambda p: p.active & (p.score == 3), True),
    (lambda p: (p.score == 3) & ~p.active, False),
    (lambda p: p.banned | p.active, True),
    (lambda p: p.active & p.banned, False),
    (lambda p: all_of(p.active, not_(p.banned)), True),
    (lambda p: any_of(~p.active, p.banned), False),
]


@pytest.mark.parametrize(("test", "held"), COMPARISONS)
def test_a_comparison_is_asked_of_the_record(test: Function, held: bool) -> None:
    assert holds(test) is held


NO_CONDITIONS: list[tuple[Function, str]] = [
    (lambda p: p.scor == 3, r"Player has no field scor; did you mean score\?"),
    (lambda p: p.zebra == 3, r"Player has no field zebra$"),
    (lambda p: p.home.town == 3, r"Player has no field home\.town$"),
    (lambda p: p.score.digits == 3, r"Player\.score is not a model, so it has no digits"),
    (lambda p: p.score == "many", r"Player\.score cannot be 'many': Input should be a valid"),
    (lambda p: p.score == 10**40 + 1, r"Player\.score cannot take 1.*: it has more than 38"),
    (
        lambda p: p.score > 1 and p.best > 1,
        r"DynamoDB decides a condition, so Python cannot use it as a bool",
    ),
    (
        lambda p: not p.score,
        r"Player\.score is stored in DynamoDB, so Python cannot use it as a bool",
    ),
    (lambda p: "x" in p.tags, r"write contains\(r\.tags, \.\.\.\) instead of `in`"),
    (lambda p: size(p.tags) == "two", r"size\(\) is compared with a whole number, not 'two'"),
    (lambda p: size("tags") == 2, r"size\(\) is for a record's field within where"),
    (lambda p: contains("tags", "x"), r"contains\(\) is for a record's field within where"),
    (lambda _: True, r"a condition compares a record's fields, .* this function returned True"),
    (lambda p: p.active is True, r"returned False; Python decides `is`, `in`.* ~ for `not`"),
    (lambda p: not p.active, r"cannot use it as a bool: .* \(~r\.active if it is false\)"),
    (lambda p: p.active and p.banned, r"write & for `and`, \| for `or`"),
    (lambda p: p.score, r"score alone is not a condition, because it is not a bool: compare it"),
    (lambda p: size(p.tags), r"a condition compares a record's fields"),
    (lambda p: ~p.score, r"score alone is not a condition, because it is not a bool: compare it"),
    (lambda p: p.score > 1 & p.active, r"put each condition in its own parentheses"),
    (lambda p: p.score & p.active, r"put each condition in its own parentheses"),
    (lambda p: p.active & 1, r"put each condition in its own parentheses"),
]


@pytest.mark.parametrize(("test", "message"), NO_CONDITIONS)
def test_what_is_no_condition_is_refused_with_what_to_write(test: Function, message: str) -> None:
    with pytest.raises(Refused, match=message):
        Player.scan().where(test)


NO_FIELDS: list[Function] = [lambda _: 3, lambda p: p.score > 3, lambda p: p]


@pytest.mark.parametrize("select", NO_FIELDS)
def test_a_change_wants_one_field(select: Function) -> None:
    with pytest.raises(Refused, match=r"name one field, as in lambda r: r\.count"):
        Player.update(name="a").remove(select)


def test_a_selector_is_no_member_of_sets() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        Player.scan().where(lambda p: {p.score: True}[p.score])  # pyright: ignore[reportArgumentType]
