"""A unique value has a lock that is written with its owner."""

from typing import Any

import pytest
from tests.operations.conversation import HERE, NOW, changes, condition
from tests.operations.design import Badge, User

from sortkey.design.declaring.entity import kind_of
from sortkey.errors import NotUnique, VersionConflict
from sortkey.operations import lock
from sortkey.operations.action import Action

USER, BADGE = kind_of(User), kind_of(Badge)
[EMAIL], [CODE] = USER.uniques, BADGE.uniques
KEY = USER.key({"user_id": "u"})
NAMES = {"PK": {"S": "USER#u"}, "SK": {"S": "USER"}}
OWNED = f"{lock.OWNER} = {NAMES}"
LATER = {"N": "1800000000"}


def lock_key(text: str) -> dict[str, Any]:
    return {"PK": {"S": f"UNIQUE#User#email#{text}"}, "SK": {"S": "UNIQUE"}}


def stored(**attributes: Any) -> dict[str, Any]:
    return {name: {"S": v} if isinstance(v, str) else v for name, v in attributes.items()}


def body(action: Action) -> dict[str, Any]:
    return action.step.body(HERE.environment)


def moved(before: dict[str, Any], after: dict[str, Any]) -> list[Action]:
    return [*lock.move(USER, EMAIL, KEY, before, after=after, now=NOW)]


def test_a_lock_names_its_owner_and_expires_with_it() -> None:
    [taken] = lock.take(USER, EMAIL, KEY, stored(email="a@x", expires=LATER), NOW)

    assert taken.step.verb == "PutItem"
    assert taken.step.item == {
        **lock_key("a@x"),
        lock.OWNER: {"M": NAMES},
        "_type": {"S": lock.LOCK},
        "expires": LATER,
    }


def test_a_lock_is_taken_where_there_is_none_or_an_expired_one() -> None:
    [taken] = lock.take(USER, EMAIL, KEY, stored(email="a@x"), NOW)

    assert taken.step.item is not None
    assert "expires" not in taken.step.item
    assert condition(body(taken)) == "attribute_not_exists(PK) OR expires <= 1700000000"


def test_without_an_expiry_any_lock_counts() -> None:
    [taken] = lock.take(BADGE, CODE, BADGE.key({"badge_id": "b"}), {"code": {"N": "7"}}, NOW)

    assert condition(body(taken)) == "attribute_not_exists(PK)"
    assert taken.step.item is not None
    assert taken.step.item["PK"] == {"S": "UNIQUE#Badge#code#7"}


def test_an_empty_field_has_no_lock() -> None:
    assert not [*lock.take(USER, EMAIL, KEY, {}, NOW)]
    assert not [*lock.release(USER, EMAIL, KEY, {})]
    assert not moved({}, {})


def test_a_lock_that_is_taken_says_so_by_the_name_of_its_field() -> None:
    [taken] = lock.take(USER, EMAIL, KEY, stored(email="a@x"), NOW)
    failure = taken.failure(lock_key("a@x"))

    assert isinstance(failure, NotUnique)
    assert str(failure) == "another User already has this email"
    assert failure.field == "email"


def test_only_the_owner_releases_a_lock() -> None:
    [released] = lock.release(USER, EMAIL, KEY, stored(email="a@x"))

    assert released.step.verb == "DeleteItem"
    assert body(released)["Key"] == lock_key("a@x")
    assert condition(body(released)) == f"attribute_not_exists(PK) OR {OWNED}"


def test_a_lock_of_another_owner_means_that_the_owner_was_changed() -> None:
    [released] = lock.release(USER, EMAIL, KEY, stored(email="a@x"))
    failure = released.failure(lock_key("a@x"))

    assert isinstance(failure, VersionConflict)
    assert str(failure) == (
        "the User that owns UNIQUE#User#email#a@x / UNIQUE was changed after it was loaded: "
        "load it again"
    )


def test_a_lock_of_another_owner_is_checked_instead_of_released() -> None:
    [released] = lock.release(USER, EMAIL, KEY, stored(email="a@x"))
    left = released.otherwise

    assert left is not None
    assert left.step.verb == "ConditionCheck"
    assert body(left)["Key"] == lock_key("a@x")
    assert condition(body(left)) == (
        f"attribute_not_exists({lock.OWNER}) OR {lock.OWNER} <> {NAMES}"
    )


def test_another_value_releases_one_lock_and_takes_another() -> None:
    released, taken = moved(stored(email="a@x"), stored(email="b@x", expires=LATER))

    assert body(released)["Key"] == lock_key("a@x")
    assert taken.step.item is not None
    assert taken.step.item["PK"] == lock_key("b@x")["PK"]
    assert taken.step.item["expires"] == LATER


def test_a_first_value_takes_a_lock_and_a_last_one_releases_it() -> None:
    [taken] = moved({}, stored(email="a@x"))
    [released] = moved(stored(email="a@x"), {})

    assert (taken.step.verb, released.step.verb) == ("PutItem", "DeleteItem")


@pytest.mark.parametrize(
    ("after", "change"), [({}, "REMOVE expires"), ({"expires": LATER}, "SET expires = 1800000000")]
)
def test_another_expiry_moves_that_of_the_lock(after: dict[str, Any], change: str) -> None:
    [postponed] = moved(stored(email="a@x", expires={"N": "1"}), stored(email="a@x", **after))

    assert postponed.step.verb == "UpdateItem"
    assert body(postponed)["Key"] == lock_key("a@x")
    assert changes(body(postponed)) == change
    assert condition(body(postponed)) == OWNED


def test_an_expiry_that_cannot_be_moved_says_whether_another_record_has_the_value() -> None:
    [postponed] = moved(stored(email="a@x"), stored(email="a@x", expires=LATER))
    theirs = {**lock_key("a@x"), lock.OWNER: {"M": {"PK": {"S": "USER#v"}, "SK": {"S": "USER"}}}}

    taken = postponed.failure(theirs)

    assert isinstance(taken, NotUnique)
    assert taken.field == "email"
    assert isinstance(postponed.failure(None), VersionConflict)


def test_what_stays_as_it_is_leaves_the_lock_alone() -> None:
    same = stored(email="a@x", expires=LATER)

    assert not moved(same, same)


def test_a_lock_depends_on_its_field_and_the_expiry() -> None:
    assert lock.fields(USER, USER.uniques) == {"email", "expires"}
    assert lock.fields(BADGE, BADGE.uniques) == {"code"}
