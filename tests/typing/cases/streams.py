"""A change is of one entity, and a Lambda function's database is the one that it waits for."""

from typing import Any, assert_type

from design import App, Order, User
from sortkey import DB, AsyncDB, Change, Entity, StreamHandler, changes, lambda_handler

handler = StreamHandler(App)


@handler.on(Order)
def order_changed(change: Change[Order]) -> None:
    assert_type(change.before, Order | None)
    assert_type(change.required_after(), Order)
    assert_type(change.expired, bool)

    change.after.status  # error
    user: User = change.required_after()  # error


@handler.on(User)
async def user_changed(change: Change[User]) -> None:
    assert_type(change.required_before(), User)


@handler.on(Order)  # error
def mistaken(change: Change[User]) -> None: ...


@handler.otherwise
def anything_else(record: dict[str, Any]) -> None: ...


def each(event: dict[str, Any]) -> None:
    for change in changes(event, App):
        assert_type(change, Change[Entity])
        if isinstance(change.after, Order):
            assert_type(change.after, Order)
    changes(event, Order)  # error


@lambda_handler(App)
def blocking(event: dict[str, str], context: object, db: DB) -> int:
    return db(User.get(org_id="acme", user_id=event["user"]).required()).logins


@lambda_handler(App, environment="prod")
async def waiting(event: dict[str, str], context: object, db: AsyncDB) -> int:
    return (await db(User.get(org_id="acme", user_id=event["user"]).required())).logins


assert_type(blocking({"user": "u1"}, None), int)
assert_type(waiting({"user": "u1"}, None), int)
blocking({"user": 1}, None)  # error
waiting("u1", None)  # error


@lambda_handler(App)  # error
def without(event: dict[str, str], context: object) -> None: ...
