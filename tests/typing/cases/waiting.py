"""`AsyncDB` is typed as `DB` is, behind an ``await``."""

from collections.abc import AsyncIterator
from typing import assert_type

from design import App, Order, Summary, User
from sortkey import DB, AsyncDB, Page, Retries
from sortkey.access.observing import Call


async def awaited(db: AsyncDB, user: User) -> None:
    get = User.get(org_id="acme", user_id="u1")
    order = Order.get(org_id="acme", order_id=1)
    assert_type(await db(get), User | None)
    assert_type(await db(get.required()), User)
    assert_type(await db(User.query(org_id="acme")), list[User])
    assert_type(await db(User.query(User.by_email, email="a@x").one()), User | None)
    assert_type(await db(Order.query(org_id="acme").page(10)), Page[Order])
    assert_type(await db(Order.query(org_id="acme").select(Summary)), list[Summary])
    assert_type(await db(user.create()), User)
    assert_type(await db(user.update().add(lambda u: u.logins).by(1)), User)
    assert_type(await db(user.delete()), User | None)
    assert_type(await db.snapshot(get, order), tuple[User | None, Order | None])
    assert_type(await db.get_many([get]), list[User | None])
    assert_type(await db.all(get, order.required()), tuple[User | None, Order])
    assert_type(await db.all(*[get]), tuple[User | None, ...])
    assert_type(db.each(User.query(org_id="acme")), AsyncIterator[User])
    async for each in db.each(User.scan()):
        assert_type(each, User)
    await db.transact(user.create(), token="t")

    db(get)  # error
    db(get).email  # error
    db.transact(user.create())  # error
    wrong: Order | None = await db(get)  # error
    await db(User.query(org_id="acme").where(lambda u: u.emial == "x"))  # error
    list(db.each(User.scan()))  # error


async def not_awaited(db: DB, user: User) -> None:
    await db(User.get(org_id="acme", user_id="u1"))  # error
    await db(user.create())  # error
    await db.transact(user.create())  # error


async def budgets(db: DB, waiting: AsyncDB) -> None:
    with db.budget(reads=1) as calls:
        assert_type(calls, list[Call])
    with waiting.budget(requests=1) as calls:
        assert_type(calls, list[Call])
    async with waiting.budget(writes=1.5) as calls:
        assert_type(calls, list[Call])

    db.budget(units=1)  # error
    waiting.budget(requests="1")  # error


async def opening() -> None:
    async with AsyncDB.memory(App) as waiting:
        assert_type(waiting, AsyncDB)
    with DB.memory(App) as blocking:
        assert_type(blocking, DB)
    with DB.open(
        "app.db", App, environment="test", cursor_secret="s", retries=Retries()
    ) as blocking:
        assert_type(blocking, DB)
    assert_type(DB.endpoint("http://127.0.0.1:8000", App), DB)
    assert_type(DB.aws(App, region="eu-west-1"), DB)
    assert_type(DB.connect(App), DB)

    with AsyncDB.memory(App) as wrong:  # error
        pass
    async with DB.memory(App) as wrong:  # error
        pass
    DB.memory(App, enviroment="test")  # error
    DB.memory(App, retries=3)  # error
    DB.memory(User)  # error
    DB.memory("app")  # error
    DB.endpoint(App)  # error
