"""Rotation: secrets of an older key are encrypted again, even with concurrent writers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest
from tests.access.forging import content_of, forged
from tests.access.secrets.design import (
    HUSH,
    NEW,
    OLD,
    Login,
    Member,
    Safe,
    User,
    WithKeys,
    change_attribute,
    encrypted,
    stored,
    user,
)

from sortkey import (
    DB,
    BadCursor,
    Entity,
    Keyring,
    NotFound,
    Refused,
    SecretUnreadable,
    SortkeyError,
    reencrypt,
)
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.testing import Outcome, explore

R = TypeVar("R")


def test_rotation_encrypts_secrets_of_an_older_key_again(db: DB) -> None:
    db(user("u1", spare="spare").create())
    db(user("u2").create())
    rotating = WithKeys(db, Keyring(NEW, OLD))
    rotating(user("u3").create())
    before = stored(db, "u3")

    done = rotating(reencrypt(User))

    assert (done.read, done.rewritten, done.cursor) == (3, 2, None)
    assert stored(db, "u3") == before
    assert {u.token for u in WithKeys(db, Keyring(NEW))(User.scan())} == {HUSH}
    assert rotating(reencrypt(User)).rewritten == 0


def test_rotation_goes_on_from_its_cursor(db: DB) -> None:
    for number_ in range(5):
        db(user(f"u{number_}").create())
        db(Login(user_id=f"u{number_}", at=1).create())
    rotating = WithKeys(db, Keyring(NEW, OLD))
    rewritten, cursor, requests = 0, None, 0
    while True:
        done = rotating(reencrypt(User, size=3, after=cursor))
        rewritten, cursor, requests = rewritten + done.rewritten, done.cursor, requests + 1
        if cursor is None:
            break

    assert (rewritten, requests) == (5, 4)
    assert len(WithKeys(db, Keyring(NEW))(User.scan())) == 5


def test_rotation_refuses_a_forged_cursor(db: DB) -> None:
    for number_ in range(3):
        db(user(f"u{number_}").create())
    rotating = WithKeys(db, Keyring(NEW, OLD))
    cursor = rotating(reencrypt(User, size=1)).cursor
    assert cursor
    _, query, position, _ = content_of(cursor)

    several: list[Any] = [None, [], {}, {"PK": {"S": "x"}}, {name: {"S": ""} for name in position}]
    for wrong in several:
        with pytest.raises(BadCursor, match="was modified"):
            rotating(reencrypt(User, size=1, after=forged(query, wrong)))


def test_rotation_leaves_everything_else_as_it_is(db: DB) -> None:
    member = db(Member(member_id="m", email="a@x", token=HUSH).create())
    rotating = WithKeys(db, Keyring(NEW, OLD))

    rotating(reencrypt(Member))

    assert rotating(Member.get(member_id="m")) == member


def test_rotation_reports_unreadable_secrets_and_continues(db: DB) -> None:
    db(user("u1").create())
    db(user("u2").create())
    change_attribute(db, "u1", "token", encrypted(stored(db, "u2")))

    done = WithKeys(db, Keyring(NEW, OLD))(reencrypt(User))

    assert done.rewritten == 1
    [error] = done.unreadable
    assert error.key["PK"] == "USER#u1"


def test_rotation_undoes_no_write_that_it_meets() -> None:
    """Writers with the older key and a deletion, at every step of the rotation."""
    db = DB.memory(Safe, secrets=Keyring(OLD))
    db(user("u1").create())
    db(user("u2").create())
    rotating = WithKeys(db, Keyring(NEW, OLD))

    def rotate() -> None:
        rotating(reencrypt(User))

    def write() -> None:
        db(User.update(user_id="u1").set(lambda u: u.token).to("written"))

    def remove() -> None:
        db(User.delete(user_id="u2"))

    def holds(outcomes: list[Outcome]) -> None:
        _, wrote, removed = outcomes
        found = {u.user_id: u.token for u in rotating(User.scan())}
        if wrote.succeeded:
            assert found["u1"] == "written"
        if removed.succeeded:
            assert "u2" not in found
        assert set(found.values()) <= {HUSH, "written"}

    explored = explore(
        rotate,
        write,
        remove,
        db=db,
        invariant=holds,
        errors=(NotFound, SecretUnreadable),
        lost_responses=False,
    )

    assert explored.schedules > 20


@pytest.mark.parametrize("entity", [Login])
def test_rotation_without_a_secret_field_is_refused(entity: type[Entity]) -> None:
    with pytest.raises(Refused, match="Login has no secret field"):
        reencrypt(entity)


def test_rotation_retries_a_record_that_an_older_key_wrote_meanwhile() -> None:
    db = DB.memory(Safe, secrets=Keyring(OLD))
    db(user().create())

    def write() -> None:
        db(User.update(user_id="u1").set(lambda u: u.token).to("meanwhile"))

    done = WithKeys(db, Keyring(NEW, OLD))(Interrupted(reencrypt(User), write))

    assert done.rewritten == 1
    assert WithKeys(db, Keyring(NEW))(User.get(user_id="u1").required()).token == "meanwhile"


@dataclass(frozen=True)
class Interrupted(Operation[R], Generic[R]):
    """An operation after whose first request another caller does something."""

    operation: Operation[R]
    other: Callable[[], None]

    def _plan(self) -> Plan:
        return self.operation._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R]:
        steps = self.operation._steps(context)
        answer = yield next(steps)
        self.other()
        while True:
            try:
                step = steps.send(answer)
                while True:
                    try:
                        answer = yield step
                        break
                    except SortkeyError as error:
                        step = steps.throw(error)
            except StopIteration as end:
                return end.value
