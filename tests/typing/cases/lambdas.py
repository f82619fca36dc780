"""What `lambda_handler` returns is called as Lambda calls it, and has the function inside."""

from typing import TypedDict, assert_type

from design import App, User
from sortkey import DB, AsyncDB, lambda_handler


class Event(TypedDict):
    user: str


class About: ...


@lambda_handler(App)
def blocking(event: Event, context: About | None, db: DB) -> User | None:
    return db(User.get(org_id="acme", user_id=event["user"]))


@lambda_handler(App, target="memory", environment="test")
async def waiting(event: Event, context: About | None, db: AsyncDB) -> User | None:
    return await db(User.get(org_id="acme", user_id=event["user"]))


def called() -> None:
    assert_type(blocking({"user": "u1"}, About()), User | None)
    assert_type(waiting({"user": "u1"}, None), User | None)

    blocking({"usr": "u1"}, None)  # error
    blocking({"user": "u1"})  # error
    blocking({"user": "u1"}, None, DB.memory(App))  # error
    waiting({"user": 1}, None)  # error
    waiting({"user": "u1"}, "context")  # error
    name: str = waiting({"user": "u1"}, None)  # error


async def tested(db: DB, async_db: AsyncDB) -> None:
    assert_type(blocking.__wrapped__({"user": "u1"}, None, db), User | None)
    assert_type(await waiting.__wrapped__({"user": "u1"}, About(), async_db), User | None)

    blocking.__wrapped__({"user": "u1"}, None, async_db)  # error
    blocking.__wrapped__({"user": 1}, None, db)  # error
    blocking.__wrapped__({"user": "u1"}, None)  # error
    await waiting.__wrapped__({"user": "u1"}, None, db)  # error
    await blocking.__wrapped__({"user": "u1"}, None, db)  # error
    (await waiting.__wrapped__({"user": "u1"}, None, async_db)).emial  # error


def without_a_database(event: Event, context: None) -> None: ...


lambda_handler(App)(without_a_database)  # error
lambda_handler(App, enviroment="test")  # error
