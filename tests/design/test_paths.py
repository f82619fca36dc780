"""Everything that a pattern may send: by its arguments, and after an answer."""

from enum import Enum
from typing import Annotated, Any, Literal

import pytest

from sortkey import (
    TTL,
    Entity,
    Op,
    Table,
    pattern,
    reencrypt,
    secret,
    unique,
)
from sortkey.design.declaring.design import Design, design_of
from sortkey.design.plans.drawing import alternatives
from sortkey.design.plans.drawn import LEFT_OUT
from sortkey.design.plans.tracing import paths


class Clubs(Table, ttl="until"):
    pass


class Member(Entity, table=Clubs):
    club: str
    number: int
    email: Annotated[str | None, unique] = None
    visits: int = 0
    until: TTL | None = None
    primary = Clubs.primary.key("CLUB#{club}", "MEMBER#{number:06d}")


class Visit(Entity, table=Clubs):
    club: str
    visits: int = 0
    until: TTL | None = None
    primary = Clubs.primary.key("CLUB#{club}", "VISITS")


class Key(Entity, table=Clubs):
    club: str
    code: Annotated[str, secret]
    primary = Clubs.primary.key("CLUB#{club}", "KEY")


DESIGN: Design = design_of("clubs", [])


class Wish(Enum):
    ONE = "one"
    ALL = "all"
    NONE = "none"


@pattern("One member, or all")
def members(club: str, number: int | None = None, *, fresh: bool = False) -> Op[Any]:
    if number is None:
        return Member.query(Member.primary, club=club)
    found = Member.get(club=club, number=number)
    return found.consistently() if fresh else found


@pattern("What is wished for")
def wished(club: str, wish: Wish) -> Op[Any]:
    match wish:
        case Wish.ONE:
            return Member.get(club=club, number=1)
        case Wish.ALL:
            return Member.scan()
        case Wish.NONE:
            raise ValueError(wish)


@pattern("Another address")
def move(member: Member, email: str) -> Op[Member]:
    return member.update().set(lambda m: m.email).to(email)


@pattern("Another number of visits")
def recount(member: Member, visits: int) -> Op[Member]:
    return member.update().set(lambda m: m.visits).to(visits)


@pattern("Another member altogether")
def replace(member: Member, email: str) -> Op[Member]:
    return member.model_copy(update={"email": email}).replace(before=member)


@pattern("One more visit")
def count(club: str) -> Op[Visit]:
    return Visit.upsert(club=club).add(lambda v: v.visits).by(1)


@pattern("Newer keys")
def rotate() -> Op[Any]:
    return reencrypt(Key)


@pattern("Never")
def never(club: str) -> Op[Any]:
    raise LookupError(club)


def verbs(asked: Any) -> set[str]:
    """What is sent at first, of all variations."""
    return {step.verb for one in paths(asked, DESIGN) for step in one.steps}


def later_verbs(asked: Any) -> list[str]:
    """What an answer may call for, where all arguments are given."""
    return [step.verb for step in paths(asked, DESIGN)[0].later]


def test_a_pattern_that_decides_by_an_argument_is_asked_with_and_without_it() -> None:
    assert verbs(members) == {"GetItem", "Query"}
    assert any(step.consistent for one in paths(members, DESIGN) for step in one.steps)


def test_a_pattern_that_decides_by_a_choice_is_asked_with_each() -> None:
    assert verbs(wished) == {"GetItem", "Scan"}


def test_a_pattern_that_refuses_everything_says_why() -> None:
    with pytest.raises(LookupError):
        paths(never, DESIGN)


def test_after_locks_have_moved_the_record_is_read_again_and_a_lock_that_stays_is_prolonged() -> (
    None
):
    assert later_verbs(move) == ["GetItem", "UpdateItem", "ConditionCheck"]
    assert later_verbs(replace) == ["UpdateItem", "ConditionCheck"]


def test_an_update_that_moves_no_lock_sends_nothing_more() -> None:
    assert later_verbs(recount) == []


def test_an_upsert_over_an_expired_record_puts_a_new_one() -> None:
    assert later_verbs(count) == ["PutItem"]


def test_a_rotation_of_keys_updates_what_it_finds() -> None:
    assert later_verbs(rotate) == ["UpdateItem"]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, []),
        (bool, [False, True]),
        (Wish, list(Wish)),
        (Literal["a", "b"], ["a", "b"]),
        (str | None, [None]),
        (Annotated[Wish | None, "said"], [*Wish, None]),
    ],
)
def test_the_alternatives_of_an_argument_are_its_few_values(
    annotation: Any, expected: list[Any]
) -> None:
    assert list(alternatives(annotation, required=True)) == expected
    assert list(alternatives(annotation, required=False)) == [LEFT_OUT, *expected]
