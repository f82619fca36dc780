"""An index is added to a table with records, or an error says why not."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest
from tests.access.executors import HAS_LOCAL, Raw, dynamodb_local, put_item, stored_items
from tests.access.two_designs import (
    KEYS,
    LATER,
    App,
    Before,
    Few,
    Ground,
    Item,
    More,
    Note,
    OldItem,
    OldNote,
    OldUser,
    Shared,
    User,
    fill,
    found,
    is_complete,
    memory_ground,
)

from sortkey import (
    DB,
    TTL,
    AsyncDB,
    Entity,
    IndexNotAdded,
    Provisioned,
    Refused,
    Settings,
    Table,
    TableMismatch,
    Version,
    gsi,
)
from sortkey.access import indexes
from sortkey.access.backfill import Backfill
from sortkey.access.targets import endpoint_target, file_target
from sortkey.access.transports.embedded import AsyncEmbeddedTransport
from sortkey.wire.messages import Request


def test_the_records_that_are_stored_are_found_by_the_new_indexes(ground: Ground) -> None:
    fill(ground)
    with pytest.raises(TableMismatch, match="without the indexes gsi2 and teams that App declares"):
        ground.open(App)

    with ground.open(App, add_indexes=True) as db:
        assert found(db, "Oslo") == [1, 3, 5]
        assert found(db, "Rome") == [0, 2, 4, 6]
        assert len(db(User.query(User.by_team, team="none"))) == 7

    assert is_complete(ground)


def test_a_record_keeps_its_secret_its_lock_and_its_other_keys(ground: Ground) -> None:
    fill(ground, users=1)
    with ground.open(Before) as db:
        before = stored_items(db, Before)

    with ground.open(App, add_indexes=True) as db:
        after = stored_items(db, App)
        user = db(User.get(user_id=0).required())
        assert (user.token, user.rev) == ("hush", 2)
        assert db(User.query(User.by_email, email="0@x")) == [user]
        assert db(Note.query(Note.by_text, text="a note")) == [Note(note_id=1, text="a note")]

    gained = {"GSI2PK": {"S": "CITY#Rome"}, "GSI2SK": {"S": "0000"}, "team": {"S": "none"}}
    by_key = {item["PK"]["S"]: item for item in before}
    changed = by_key["USER#0000"] | gained | {"rev": {"N": "2"}}
    assert {item["PK"]["S"]: item for item in after} == by_key | {"USER#0000": changed}


def test_adding_them_again_changes_nothing(ground: Ground) -> None:
    fill(ground)
    with ground.open(App, add_indexes=True) as db:
        before = stored_items(db, App)

    with ground.open(App, add_indexes=True) as db:
        assert stored_items(db, App) == before


def test_a_new_database_has_nothing_to_add(ground: Ground) -> None:
    with ground.open(App, add_indexes=True) as db:
        db(User(user_id=1, city="Oslo").create())
        assert found(db, "Oslo") == [1]


def test_a_database_opened_in_memory_takes_the_setting() -> None:
    with DB.memory(App, add_indexes=True, secrets=KEYS) as db:
        assert found(db, "Oslo") == []


def test_a_database_that_is_named_by_the_environment_takes_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORTKEY_TARGET", str(tmp_path / "app.db"))
    fill(Ground(file_target(tmp_path / "app.db"), "dev"))

    with DB.connect(App, add_indexes=True, secrets=KEYS) as db:
        assert found(db, "Oslo") == [1, 3, 5]


def test_the_first_operation_of_an_awaited_database_waits_for_the_indexes(tmp_path: Path) -> None:
    fill(Ground(file_target(tmp_path / "app.db"), "dev"))

    async def read() -> list[User]:
        path = tmp_path / "app.db"
        async with AsyncDB.open(path, App, secrets=KEYS, add_indexes=True) as db:
            return await db(User.query(User.by_city, city="Oslo"))

    assert [user.user_id for user in asyncio.run(read())] == [1, 3, 5]


def test_a_back_fill_before_leaves_nothing_to_rewrite(ground: Ground) -> None:
    fill(ground)
    with ground.open(Before) as db:
        for _ in Backfill(db, [User]).run():
            pass
        before = stored_items(db, Before)

    with ground.open(App, add_indexes=True) as db:
        assert stored_items(db, App) == before
    assert is_complete(ground)


def test_an_expired_record_and_items_of_other_programs_are_left(ground: Ground) -> None:
    foreign = {"PK": {"S": "cache"}, "SK": {"S": "1"}, "team": {"S": "none"}}
    expired = {"expires": {"N": "1000"}}
    with ground.open(Before) as db:
        db(OldUser(user_id=1, city="Oslo", expires=LATER).create())
        item = stored_items(db, Before)[0] | {"PK": {"S": "USER#0002"}, "user_id": {"N": "2"}}
        put_item(db, Before, item | expired)
        put_item(db, Before, foreign)

    with ground.open(App, add_indexes=True) as db:
        items = {stored["PK"]["S"]: stored for stored in stored_items(db, App)}
        assert found(db, "Oslo") == [1]
        assert [user.user_id for user in db(User.query(User.by_team, team="none"))] == [1]

    assert items["cache"] == foreign
    assert items["USER#0002"] == item | expired


def test_a_table_that_is_missing_is_made_beside_one_that_lacks_an_index(ground: Ground) -> None:
    class Other(Table, name="{environment}-Other"):
        pass

    fill(ground)
    with ground.open(Other, App, add_indexes=True) as db:
        assert db(Raw("DescribeTable", Other))["Table"]["TableStatus"] == "ACTIVE"
    assert is_complete(ground)


class Paid(Table, name="{environment}-App", ttl="expires", settings=Settings()):
    gsi2 = gsi("GSI2PK", "GSI2SK")


class PaidBefore(
    Table,
    name="{environment}-App",
    ttl="expires",
    settings=Settings(billing=Provisioned(5, 3)),
):
    pass


class PaidAfter(
    Table,
    name="{environment}-App",
    ttl="expires",
    settings=Settings(billing=Provisioned(7, 7)),
):
    gsi2 = gsi("GSI2PK", "GSI2SK")


@pytest.mark.parametrize(("declared", "units"), [(Paid, (5, 3)), (PaidAfter, (7, 7))])
def test_an_index_is_paid_for_as_its_table_is(
    ground: Ground, declared: type[Table], units: tuple[int, int]
) -> None:
    ground.open(PaidBefore).close()

    with ground.open(declared, add_indexes=True) as db:
        [index] = db(Raw("DescribeTable", declared))["Table"]["GlobalSecondaryIndexes"]

    throughput = index["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == units


def test_an_index_of_a_table_on_demand_needs_no_throughput(ground: Ground) -> None:
    ground.open(Before).close()

    ground.open(PaidAfter, add_indexes=True).close()


# Indexes that cannot be added yet.


def without_city(db: DB, number: int) -> None:
    [item] = [i for i in stored_items(db, Before) if i["PK"] == {"S": f"USER#{number:04d}"}]
    del item["city"]
    put_item(db, Before, item)


def test_an_index_that_would_lack_a_record_is_not_added(ground: Ground) -> None:
    fill(ground)
    with ground.open(Before) as db:
        for number in (2, 3, 4, 5):
            without_city(db, number)

    with pytest.raises(IndexNotAdded) as refused:
        ground.open(App, add_indexes=True)
    with pytest.raises(TableMismatch, match="without the indexes gsi2 and teams"):
        ground.open(App)

    message = str(refused.value)
    assert message.startswith(
        f"the indexes gsi2 and teams were not added to {ground.environment}-App, because 4 records "
        "would be missing: User USER#000"
    )
    assert "it cannot be read: city: Field required" in message
    assert "; and 1 more. Correct or delete the records that cannot be rewritten" in message
    assert {failure.key for failure in refused.value.failures} == {
        f"USER#{number:04d} / USER" for number in (2, 3, 4, 5)
    }


def test_when_the_records_are_corrected_it_is_added(ground: Ground) -> None:
    fill(ground)
    with ground.open(Before) as db:
        without_city(db, 3)
    with pytest.raises(IndexNotAdded):
        ground.open(App, add_indexes=True)

    with ground.open(Before) as db:
        found = [i for i in stored_items(db, Before) if i["PK"] == {"S": "USER#0003"}]
        put_item(db, Before, found[0] | {"city": {"S": "Oslo"}})
    ground.open(App, add_indexes=True).close()

    assert is_complete(ground)


@pytest.mark.parametrize(
    ("team", "message"),
    [("", "team is empty, which DynamoDB does not allow"), ("x" * 3000, "3,000 bytes long")],
)
def test_a_field_that_no_key_can_hold_is_reported(ground: Ground, team: str, message: str) -> None:
    """DynamoDB leaves such a record out of a new index, and rejects writes to it afterwards."""
    fill(ground, users=1)
    with ground.open(Before) as db:
        [item] = [i for i in stored_items(db, Before) if i["PK"] == {"S": "USER#0000"}]
        put_item(db, Before, item | {"team": {"S": team}})

    with pytest.raises(IndexNotAdded, match=message):
        ground.open(App, add_indexes=True)


def test_items_of_an_entity_that_is_not_imported_are_not_forgotten(ground: Ground) -> None:
    class Forgetful(Table, name="{environment}-App", ttl="expires"):
        gsi1 = gsi("GSI1PK", "GSI1SK")
        gsi2 = gsi("GSI2PK", "GSI2SK")

    fill(ground)
    with pytest.raises(IndexNotAdded) as refused:
        ground.open(Forgetful, add_indexes=True)

    assert "and this program has no entity of Forgetful with that name" in str(refused.value)
    assert "import its module before the database is opened" in str(refused.value)
    with pytest.raises(TableMismatch):
        ground.open(Forgetful)


def test_without_the_keys_of_secrets_nothing_is_begun(ground: Ground) -> None:
    fill(ground)
    with ground.open(Before) as db:
        before = stored_items(db, Before)

    with pytest.raises(Refused, match=r"User\.token is secret"):
        ground.open(App, add_indexes=True, secrets=None)

    with ground.open(Before) as db:
        assert stored_items(db, Before) == before


@pytest.mark.acceptance
@pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed: run make local-env")
def test_a_database_that_is_not_ours_gets_the_index_too(tmp_path: Path) -> None:
    # A separate server: with many tables with a TTL, it leaves a new index in CREATING forever.
    with dynamodb_local(tmp_path) as url:
        ground = Ground(endpoint_target(url), "dev")
        with ground.open(Few) as db:
            db(OldItem(item_id="i").create())
        with ground.open(More, add_indexes=True) as db:
            assert db(Item.query(Item.all_items)) == [Item(item_id="i")]


def test_a_key_that_is_new_in_an_index_that_exists_needs_only_a_back_fill(ground: Ground) -> None:
    class Next(Table, name="{environment}-App", ttl="expires"):
        gsi1 = gsi("GSI1PK", "GSI1SK")

    class NextUser(Entity, table=Next, name="User"):
        user_id: int
        city: str
        expires: TTL | None = None
        rev: Version = 0

        primary = Next.primary.key("USER#{user_id:04d}", "USER")
        by_city = Next.gsi1.key("CITY#{city}", "{user_id:04d}")

    with ground.open(Before) as db:
        db(OldUser(user_id=1, city="Oslo").create())
        db(OldNote(note_id=1, text="a note").create())

    with ground.open(Next) as db:
        query = NextUser.query(NextUser.by_city, city="Oslo")
        assert db(query) == []
        for _ in Backfill(db, [NextUser]).run():
            pass
        assert [user.user_id for user in db(query)] == [1]


# Logs and observers.


def test_the_log_says_what_is_added_and_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(indexes, "PAGE", 3)
    monkeypatch.setattr(indexes, "_LOGGED_EACH", 8)
    ground = memory_ground()
    fill(ground, users=5)

    with caplog.at_level(logging.INFO, "sortkey"):
        ground.open(App, add_indexes=True).close()

    assert [record.getMessage() for record in caplog.records] == [
        "adding the indexes gsi2 and teams to dev-App: rewriting the records of User",
        "dev-App: 9 items read, 3 rewritten",
        "dev-App: creating the index gsi2",
        "dev-App: creating the index teams",
        "dev-App has the indexes gsi2 and teams: 5 records rewritten",
    ]


def test_no_more_than_a_page_is_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "PAGE", 3)
    ground = memory_ground()
    fill(ground)
    limits: list[int] = []
    send = Shared.send

    def seen(transport: Shared, request: Request) -> dict[str, Any]:
        if request.operation == "Scan":
            limits.append(request.body["Limit"])
        return send(transport, request)

    with monkeypatch.context() as patched:
        patched.setattr(Shared, "send", seen)
        ground.open(App, add_indexes=True).close()

    assert set(limits) == {3}
    assert is_complete(ground)


def test_other_tasks_of_the_loop_run_between_two_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "PAGE", 1)
    ground = memory_ground()
    fill(ground)

    turns = 0
    turn_of_page: list[int] = []
    send = AsyncEmbeddedTransport.send

    async def seen(transport: AsyncEmbeddedTransport, request: Request) -> dict[str, Any]:
        if request.operation == "Scan":
            turn_of_page.append(turns)
        return await send(transport, request)

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def opened() -> None:
        async with AsyncDB(ground.target, App, secrets=KEYS, add_indexes=True) as db:
            task = asyncio.create_task(others())
            await db.ready()
            task.cancel()

    with monkeypatch.context() as patched:
        patched.setattr(AsyncEmbeddedTransport, "send", seen)
        asyncio.run(opened())

    assert len({*turn_of_page}) == len(turn_of_page) > 7
