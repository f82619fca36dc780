"""A value is unique within its scope, and a record is read by it without an index."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from tests.access.executors import stored_items

from sortkey import (
    DB,
    TTL,
    Call,
    DesignError,
    Entity,
    NotFound,
    NotUnique,
    Refused,
    Table,
    ValueRefused,
    Version,
    observe,
    unique,
)
from sortkey.testing import Outcome, clock, explore

EMAIL = "ann@x.com"


class App(Table, ttl="until"):
    """One table."""


class User(Entity, table=App):
    org_id: str
    user_id: str
    email: Annotated[str | None, unique(within="org_id")] = None
    until: TTL | None = None
    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")


class Desk(Entity, table=App):
    """A scope of two fields that may change, under a version."""

    desk_id: str
    site: str
    floor: int
    label: Annotated[str, unique(within=("site", "floor"))]
    rev: Version = 0
    primary = App.primary.key("DESK#{desk_id}", "DESK")


class Badge(Entity, table=App):
    badge_id: str
    code: Annotated[int, unique]
    note: str = ""
    primary = App.primary.key("BADGE#{badge_id}", "BADGE")


@pytest.fixture
def db() -> DB:
    return DB.memory(App)


def user(user_id: str, org_id: str = "acme", email: str | None = EMAIL, **more: Any) -> User:
    return User(org_id=org_id, user_id=user_id, email=email, **more)


def desk(desk_id: str, site: str = "Oslo", floor: int = 1, label: str = "A") -> Desk:
    return Desk(desk_id=desk_id, site=site, floor=floor, label=label)


class TestScope:
    def test_two_scopes_may_have_one_value(self, db: DB) -> None:
        db(user("ann").create())
        db(user("ann", "other").create())

        assert db(User.get_by(org_id="other", email=EMAIL)) == user("ann", "other")

    def test_one_scope_has_a_value_once(self, db: DB) -> None:
        db(user("ann").create())

        with pytest.raises(
            NotUnique, match=r"another User already has this email within its org_id"
        ):
            db(user("bob").create())

    def test_several_records_of_a_scope_may_have_no_value(self, db: DB) -> None:
        db(user("ann", email=None).create())
        db(user("bob", email=None).create())

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (("a#b", 1, "c"), ("a", 1, "b#c")),
            (("a%23b", 1, "c"), ("a#b", 1, "c")),
            (("a", 1, "1#x"), ("a", 11, "x")),
        ],
    )
    def test_scopes_and_values_that_look_alike_are_not_mixed_up(
        self, db: DB, one: tuple[str, int, str], other: tuple[str, int, str]
    ) -> None:
        db(desk("1", *one).create())
        db(desk("2", *other).create())

        site, floor, label = other
        found = db(Desk.get_by(site=site, floor=floor, label=label))
        assert found is not None
        assert found.desk_id == "2"

    def test_a_change_of_the_scope_moves_the_lock(self, db: DB) -> None:
        first = db(desk("1").create())
        db(first.update().set(floor=2))

        db(desk("2").create())  # its old place is free
        with pytest.raises(NotUnique):
            db(desk("3", floor=2).create())

    def test_a_change_of_the_scope_to_where_the_value_is_taken_is_refused(self, db: DB) -> None:
        first = db(desk("1").create())
        db(desk("2", floor=2).create())

        with pytest.raises(NotUnique):
            db(first.update().set(floor=2))

    def test_a_change_of_the_scope_needs_the_loaded_record(self, db: DB) -> None:
        db(desk("1").create())
        change = Desk.update(desk_id="1").set(floor=2).where(lambda d: d.floor == 1)

        with pytest.raises(Refused, match="belongs to a unique lock"):
            db(change)

    def test_a_replacement_and_a_delete_take_their_locks_along(self, db: DB) -> None:
        first = db(desk("1").create())
        moved = db(first.model_copy(update={"site": "Bergen"}).replace(before=first))
        assert db(Desk.get_by(site="Oslo", floor=1, label="A")) is None

        db(moved.delete())
        assert stored_items(db, App) == []

    def test_in_every_order_one_of_two_callers_gets_the_value(self, db: DB) -> None:
        def one_has_it(outcomes: list[Outcome]) -> None:
            found = [u for u in db(User.query(org_id="acme")) if u.email == EMAIL]
            assert len(found) <= 1
            assert len(found) == sum(outcome.succeeded for outcome in outcomes) or any(
                outcome.error is not None for outcome in outcomes
            )

        explore(
            lambda: db(user("ann").create()),
            lambda: db(user("bob").create()),
            db=db,
            invariant=one_has_it,
        )


class TestDeclared:
    def test_a_scope_that_is_not_a_field_is_refused(self) -> None:
        with pytest.raises(DesignError, match=r'SK141.*"email" is unique within "org", which is'):

            class Person(Entity, table=App):  # pyright: ignore[reportUnusedClass]
                org_id: str
                email: Annotated[str, unique(within="org")]
                primary = App.primary.key("U#{org_id}#{email}", "X")

    def test_a_scope_that_may_be_empty_is_refused(self) -> None:
        with pytest.raises(DesignError, match='within "org_id", which may be empty'):

            class Person(Entity, table=App):  # pyright: ignore[reportUnusedClass]
                user_id: str
                org_id: str | None = None
                email: Annotated[str, unique(within="org_id")]
                primary = App.primary.key("V#{user_id}", "X")


class TestGetBy:
    def test_a_record_is_found_by_its_value(self, db: DB) -> None:
        db(Badge(badge_id="b", code=7).create())

        assert db(Badge.get_by(code=7)) == Badge(badge_id="b", code=7)
        assert db(Badge.get_by(code=8)) is None

    def test_it_takes_two_reads_of_half_a_unit(self, db: DB) -> None:
        db(Badge(badge_id="b", code=7).create())
        calls: list[Call] = []
        with observe(calls.append):
            db(Badge.get_by(code=7))
            db(Badge.get_by(code=7).consistently())

        assert [(len(call.exchanges), call.read_units) for call in calls] == [(2, 1.0), (2, 2.0)]

    def test_required_raises_where_there_is_none(self, db: DB) -> None:
        with pytest.raises(NotFound, match="no Badge has this code") as missing:
            db(Badge.get_by(code=7).required())

        assert (missing.value.entity, missing.value.key) == ("Badge", {"code": 7})

    def test_a_record_that_has_expired_is_not_found(self, db: DB) -> None:
        ends = datetime(2031, 1, 1, tzinfo=UTC)
        with clock(lambda: ends.timestamp() - 1):
            db(user("ann", until=ends).create())
            assert db(User.get_by(org_id="acme", email=EMAIL)) is not None
        with clock(ends.timestamp):
            assert db(User.get_by(org_id="acme", email=EMAIL)) is None

    def test_a_value_is_compared_as_its_field_holds_it(self, db: DB) -> None:
        db(Badge(badge_id="b", code=7).create())

        assert db(Badge.get_by(code="7")) == Badge(badge_id="b", code=7)
        with pytest.raises(ValueRefused, match=r"Badge\.code cannot be 'x'"):
            Badge.get_by(code="x")

    @pytest.mark.parametrize(
        ("get", "reason"),
        [
            (
                lambda: User.get_by(email=EMAIL),
                "takes a unique field with its scope: org_id, email",
            ),
            (lambda: User.get_by(user_id="ann"), "takes a unique field with its scope"),
            (lambda: User.get_by(org_id="o", emial="x"), 'got org_id, emial; did you mean "email"'),
            (lambda: User.get_by(org_id="acme", email=None), "unique only if it has a value"),
            (lambda: Plain.get_by(name="x"), "Plain has no unique field"),
        ],
        ids=["no scope", "another field", "a misspelt one", "no value", "nothing unique"],
    )
    def test_what_is_not_unique_is_refused(self, get: Callable[[], object], reason: str) -> None:
        with pytest.raises(Refused, match=reason):
            get()

    def test_a_value_that_passes_to_another_record_is_never_found_with_the_wrong_one(
        self, db: DB
    ) -> None:
        first = db(desk("1").create())
        second = db(desk("2", label="B").create())

        def swap() -> None:
            moved = db(first.update().set(label="C"))
            db(second.update().set(label="A"))
            db(moved.update().set(label="B"))

        def it_fits(outcomes: list[Outcome]) -> None:
            found = outcomes[1].result
            assert found is None or found.label == "A"

        explore(
            swap,
            lambda: db(Desk.get_by(site="Oslo", floor=1, label="A")),
            db=db,
            invariant=it_fits,
            crashes=False,
            lost_responses=False,
            stale_reads=True,
        )

    def test_a_lock_that_is_seen_before_its_record_is_read_again_consistently(self) -> None:
        steps = Badge.get_by(code=7)._steps()
        lock = {"_owner": {"M": {"PK": {"S": "BADGE#b"}, "SK": {"S": "BADGE"}}}}
        first = next(steps)
        steps.send({"Item": lock})
        again = steps.send({})  # the record is not there yet

        assert "ConsistentRead" not in first.body  # type: ignore[union-attr]
        assert again.body["ConsistentRead"] is True  # type: ignore[union-attr]


class Plain(Entity, table=App):
    name: str
    primary = App.primary.key("PLAIN#{name}", "PLAIN")
