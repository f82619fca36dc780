"""Secrets never appear in records, requests, plans, errors, logs or stories."""

import json
import logging
import traceback
from collections.abc import Callable
from decimal import Decimal
from types import ModuleType
from typing import Annotated, Any

import pytest
from pydantic import ValidationError
from tests.access.executors import Raw, stored_items
from tests.access.secrets.design import HUSH, OLD, Card, Safe, User, encrypted, user

from sortkey import (
    DB,
    Call,
    ConditionFailed,
    Entity,
    Keyring,
    Op,
    Refused,
    SortkeyError,
    Table,
    TransactionFailed,
    Unreadable,
    pattern,
    secret,
)
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.value import plan_of
from sortkey.testing import ExplorationFailed, explore
from sortkey.wire.errors import ServiceError


def test_a_record_and_its_operations_show_no_secret() -> None:
    made = user(card=Card(digits="4111", limit=Decimal(1)), spare=HUSH, tags={HUSH})
    operations: list[Op[Any]] = [
        made.create(),
        made.replace(before=made),
        made.update().set(lambda u: u.token).to(HUSH),
        User.upsert(user_id="u1").set(lambda u: u.token).to(HUSH),
        made.delete(),
        made.check(),
    ]

    for shown in (
        made,
        *operations,
        *(o._plan() for o in operations),
        *(o.params() for o in operations),
    ):
        text = repr(shown) + str(shown)
        assert HUSH not in text
        assert "4111" not in text
    assert repr(made).startswith("User(user_id='u1', name='ann', token=(secret), spare=(secret)")
    assert made.create().params()["Item"]["token"] == {"B": "(secret)"}
    assert "(secret)" in json.dumps(operations[2].params())


def test_a_request_that_is_only_shown_is_never_stored_as_it_is(db: DB) -> None:
    """If one were sent by hand, DynamoDB would reject it instead of exposing the secret."""
    body = user().put().params()

    with pytest.raises(ServiceError):
        db(Raw("PutItem", Safe, {"Item": body["Item"]}))
    assert stored_items(db, Safe) == []


def test_the_request_of_a_database_shows_it_encrypted(db: DB) -> None:
    body = user().put()._first_body(db._context)

    assert body["Item"]["token"].keys() == {"B"}
    assert HUSH.encode() not in encrypted(body["Item"])


def test_pydantic_does_not_show_what_it_refuses() -> None:
    with pytest.raises(ValidationError) as raised:
        User(user_id="u1", token=[HUSH])  # pyright: ignore[reportArgumentType]

    assert "token" in str(raised.value)
    assert HUSH not in str(raised.value)


def test_a_base_for_entities_shows_no_secret_either() -> None:
    class Base(Entity):
        token: Annotated[str, secret]

    with pytest.raises(ValidationError) as raised:
        Base(token=[HUSH])  # pyright: ignore[reportArgumentType]

    assert HUSH not in str(raised.value)
    assert str(Base(token=HUSH)) == "token=(secret)"


def test_an_update_does_not_show_the_value_that_it_refuses() -> None:
    update = User.update(user_id="u1").set(lambda u: u.token).to([HUSH])  # pyright: ignore[reportArgumentType]

    with pytest.raises(Refused, match=r"User.token cannot have this value") as raised:
        update.params()

    assert HUSH not in _logged(raised.value)


def test_an_unreadable_record_does_not_show_it(db: DB) -> None:
    db(user().model_copy(update={"token": "key"}).create())  # too short for its validator

    with pytest.raises(Unreadable) as raised:
        db(User.get(user_id="u1"))

    assert raised.value.faults == {
        "token": "does not match its type (it is secret, so it is not shown)"
    }
    assert "too short: key" not in _logged(raised.value)


def test_a_failed_condition_holds_only_what_is_stored(db: DB) -> None:
    db(user(name="ann").create())

    with pytest.raises(ConditionFailed) as raised:
        db(user(token="other").put().where(lambda u: u.name == "bob"))
    with pytest.raises(TransactionFailed) as failed:
        db.transact(user(token="other").create())

    assert raised.value.stored is not None
    assert raised.value.stored["token"].keys() == {"B"}
    assert HUSH not in _logged(raised.value) + _logged(failed.value)


def test_a_record_that_is_too_large_is_reported_by_its_field_alone(db: DB) -> None:
    large = user(token=HUSH * 60_000)

    with pytest.raises(SortkeyError, match=r"largest attribute is \w+: \d{3},\d{3} bytes") as put:
        db(large.put())
    with pytest.raises(SortkeyError, match="largest attribute is") as transacted:
        db.transact(large.put())

    assert HUSH not in _logged(put.value) + _logged(transacted.value)


def _logged(error: BaseException) -> str:
    """Return everything that a log would contain of an error."""
    return "".join(traceback.format_exception(error)) + repr(vars(error))


def test_logs_and_observers_do_not_get_it(
    opened: Callable[..., DB], caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[Call] = []
    db = opened(Safe, secrets=Keyring(OLD), observers=[calls.append])

    with caplog.at_level(logging.DEBUG):
        db(user().create())
        db(User.get(user_id="u1"))

    assert len(calls) == 2
    assert HUSH not in repr(calls) + caplog.text


@pattern("AP1: store a token")
def store(user_id: str, token: str) -> Op[User]:
    return User.update(user_id=user_id).set(lambda u: u.token).to(token)


@pattern("AP2: a new user")
def sign_up(user_id: str, token: str) -> Op[User]:
    return User(user_id=user_id, token=token, spare=HUSH).create()


def test_a_plan_names_the_argument_and_no_constant() -> None:
    module = ModuleType("safe")
    vars(module).update(Safe=Safe, store=store, sign_up=sign_up)

    plan = plan_of(design_of("safe", [module]))

    [stored, signed_up] = [pattern["steps"][0] for pattern in plan["patterns"]]
    assert stored["update"] == "SET token = $token"
    assert signed_up["item"]["token"] == {"value": "$token"}
    assert signed_up["item"]["spare"] == {"value": "(secret)"}
    assert HUSH not in json.dumps(plan)


def test_the_story_of_a_race_does_not_show_it() -> None:
    db = DB.memory(Safe, secrets=Keyring(OLD))
    db(user().create())

    def change() -> User:
        return db(User.update(user_id="u1").set(lambda u: u.token).to(f"{HUSH}!"))

    with pytest.raises(ExplorationFailed) as failed:
        explore(change, change, db=db, invariant=lambda: False)

    assert "UpdateItem" in str(failed.value)
    assert HUSH not in str(failed.value)


def test_an_upcast_that_fails_does_not_show_it(db: DB) -> None:
    def raises(item: dict[str, Any]) -> dict[str, Any]:
        raise ValueError(f"not a number: {item['token']}")

    def returns(item: dict[str, Any]) -> Any:
        return item["token"]

    db(user().create())
    for upcast in (raises, returns):
        reshaped = _reshaped(upcast)

        with pytest.raises(Unreadable, match="upcasting from shape 1 r") as raised:
            db(reshaped.get(user_id="u1"))

        assert HUSH not in _logged(raised.value)


def _reshaped(upcast: Callable[[dict[str, Any]], Any]) -> type[Entity]:
    """The entity in its next shape."""

    class Safe(Table, name="{environment}-Safe"):
        pass

    class User(Entity, table=Safe, upcasts=(upcast,)):
        user_id: str
        token: Annotated[str, secret]

        primary = Safe.primary.key("USER#{user_id}", "USER")

    return User
