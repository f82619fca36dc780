"""Following the stream of a table."""

import asyncio
import random
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.access import followed
from tests.access.followed import Customer, Leases, Order, Shop

from sortkey import DB, AsyncDB, Change, ChangesLost, Entity, Refused, StreamHandler, Table, follow
from sortkey.access.endpoint import Endpoint
from sortkey.access.shard_reading import ShardReading, Start
from sortkey.access.targets import memory_target
from sortkey.access.transports.streams_route import streams_endpoint
from sortkey.clock import MovableClock, clock
from sortkey.testing import served
from sortkey.wire.errors import ValidationException
from sortkey.wire.messages import Request

START = 1_800_000_000.0
HOUR = 3600.0


class World:
    """A database whose clock stands still until it is moved."""

    def __init__(self) -> None:
        self.clock = MovableClock(lambda: START)
        # Also within a block that sets another clock for the worker.
        self.db = DB(memory_target(clock=self.clock), Shop)

    def order(self, *numbers: int, step: int = 0) -> None:
        for number in numbers:
            self.db(Order(order_id=number, step=step).put())

    def split(self, partition: int = 0) -> None:
        body = {"TableName": Shop.definition.name_in("dev"), "Partition": partition}
        self.db._transport.send(Request("SplitPartition", body))

    def tend(self) -> None:
        while self.db._transport.engine.tend():  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            pass

    def worker(self, start: Start = "oldest") -> ShardReading:
        described = self.db._transport.send(
            Request("DescribeTable", {"TableName": Shop.definition.name_in("dev")})
        )
        return ShardReading(
            described["Table"]["LatestStreamArn"],
            self.db._context,
            start=start,
            leases=Leases,
            consumer="Order",
            lease=timedelta(seconds=30),
            skip_lost=False,
        )

    def seen(self, **settings: Any) -> list[int]:
        """Return the orders whose changes are read until there are none left."""
        changes = follow(self.db, Order, wait=False, **settings)
        return [change.required_after().order_id for change in changes]


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    with clock(made.clock):
        yield made


class TestChanges:
    def test_they_are_typed_and_in_order(self, world: World) -> None:
        world.order(1)
        world.order(1, step=1)
        world.db(Order.delete(order_id=1))

        changes = list(follow(world.db, Order, wait=False))

        assert [change.kind for change in changes] == ["created", "changed", "removed"]
        assert changes[1].required_before() == Order(order_id=1)
        assert changes[1].required_after() == Order(order_id=1, step=1)

    def test_those_of_other_entities_are_left_out(self, world: World) -> None:
        world.order(1)
        world.db(Customer(name="ada").create())

        both = [change.entity for change in follow(world.db, Order, Customer, wait=False)]

        assert world.seen() == [1]
        assert both == [Order, Customer]

    def test_those_of_a_record_keep_their_order_when_partitions_split(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Each shard has several pages, between which other shards are read.
        monkeypatch.setattr("sortkey.access.shard_reading._PAGE", 3)
        for step in range(6):
            world.order(*range(10), step=step)
            world.split(step % 3)
        steps: dict[int, list[int]] = defaultdict(list)

        for change in follow(world.db, Order, wait=False):
            steps[change.required_after().order_id].append(change.required_after().step)

        assert steps == {number: [*range(6)] for number in range(10)}

    def test_they_can_be_awaited(self) -> None:
        async def read() -> list[str]:
            async with AsyncDB.memory(Shop) as db:
                await db(Order(order_id=1).create())
                return [change.kind async for change in follow(db, Order, wait=False)]

        assert asyncio.run(read()) == ["created"]


class TestStart:
    def test_at_the_oldest_or_at_a_time(self, world: World) -> None:
        world.order(1)
        world.clock.move(10)
        world.order(2)
        later = datetime.fromtimestamp(START + 5, UTC)

        assert world.seen() == [1, 2]
        assert world.seen(start=later) == [2]
        assert world.seen(start="latest", consumer="other") == [2]  # at this very moment
        world.clock.move(1)
        assert world.seen(start="latest") == []

    def test_at_the_latest_by_a_clock_that_is_ahead_of_the_service(self, world: World) -> None:
        world.order(1)
        with clock(lambda: START + 0.5):
            reading = world.worker(start="latest")
            idle = world.db._run(reading.next_page())
            world.order(2)
            page = world.db._run(reading.next_page())

        assert idle is not None
        assert idle.is_idle
        assert page is not None
        assert [each["dynamodb"]["Keys"]["PK"]["S"] for each in page.records] == ["ORDER#00000002"]

    def test_at_a_time_to_come_is_refused(self, world: World) -> None:
        with pytest.raises(ValidationException, match="must not be in the future"):
            world.seen(start=datetime.fromtimestamp(START + 60, UTC))

    def test_a_consumer_that_has_begun_goes_on_where_it_was(self, world: World) -> None:
        world.order(1)
        world.clock.move(1)
        assert world.seen(start="latest", leases=Leases) == []
        world.order(2)
        world.clock.move(1)

        assert world.seen(start="latest", leases=Leases) == [2]
        assert world.seen(start="latest", leases=Leases) == []

    def test_the_children_of_a_shard_are_read_from_their_start(self, world: World) -> None:
        assert world.seen(start="latest", leases=Leases) == []
        world.clock.move(1)
        world.split()
        world.order(*range(8))
        world.clock.move(10)

        assert sorted(world.seen(start="latest", leases=Leases)) == [*range(8)]


class TestLeases:
    def test_each_consumer_sees_everything_once(self, world: World) -> None:
        world.order(1, 2, 3)

        assert world.seen(leases=Leases) == [1, 2, 3]
        assert world.seen(leases=Leases) == []
        assert world.seen(leases=Leases, consumer="second") == [1, 2, 3]

    def test_a_change_counts_as_handled_when_the_next_is_asked_for(self, world: World) -> None:
        world.order(1, 2, 3)
        changes = follow(world.db, Order, wait=False, leases=Leases)
        next(changes)
        next(changes)
        del changes  # as at the end of a function

        assert world.seen(leases=Leases) == [2, 3]

    def test_the_shard_of_a_dead_worker_is_taken_over(self, world: World) -> None:
        world.order(1, 2)
        dead = follow(world.db, Order, leases=Leases)
        next(dead)

        assert world.seen(leases=Leases) == []
        world.clock.move(31)
        assert world.seen(leases=Leases) == [1, 2]

    def test_a_slow_worker_that_lost_its_shard_delivers_no_more_of_it(self, world: World) -> None:
        world.order(1, 2)
        slow = follow(world.db, Order, leases=Leases, wait=False)
        next(slow)
        world.clock.move(31)
        assert world.seen(leases=Leases) == [1, 2]

        assert list(slow) == []

    def test_a_worker_that_works_keeps_its_shard(self, world: World) -> None:
        world.order(*range(10))
        first = follow(world.db, Order, leases=Leases, wait=False)
        for _ in range(5):
            next(first)
            world.clock.move(15)
            assert world.seen(leases=Leases) == []
        assert len(list(first)) == 5

    def test_workers_share_the_shards(self, world: World) -> None:
        world.split()
        list(follow(world.db, Order, wait=False, leases=Leases))  # the parent of both is read
        one, two = world.worker(), world.worker()
        for worker in (one, one, two, two, one, two) + 10 * (one, two):
            world.db._run(worker.next_page())
            world.clock.move(6)

        assert len(one.held) == len(two.held) == 1
        assert one.held != two.held

    def test_leases_in_the_followed_table_do_not_feed_themselves(self, world: World) -> None:
        world.order(1)
        assert world.seen(leases=Leases) == [1]
        [stored] = world.db(Leases.scan())
        world.seen(leases=Leases)
        [again] = world.db(Leases.scan())

        assert again.read_to == stored.read_to


class TestLoss:
    def test_trimmed_changes_are_not_skipped_in_silence(self, world: World) -> None:
        world.order(1)
        assert world.seen(leases=Leases) == [1]
        world.order(2)
        world.clock.move(25 * HOUR)
        world.order(3)

        with pytest.raises(ChangesLost, match="skip_lost=True"):
            world.seen(leases=Leases)
        assert world.seen(leases=Leases, skip_lost=True) == [3]

    def test_an_iterator_that_expires_is_replaced(self, world: World) -> None:
        world.order(*range(150))
        changes = follow(world.db, Order, wait=False)
        seen = [next(changes)]
        world.clock.move(HOUR)
        seen += list(changes)

        assert len(seen) == 150


class TestRefusals:
    def test_a_table_without_a_stream(self) -> None:
        class Plain(Table):
            pass

        class Thing(Entity, table=Plain):
            name: str

            primary = Plain.primary.key("THING#{name}", "THING")

        with DB.memory(Plain) as db, pytest.raises(Refused, match="has no stream: give Plain one"):
            next(follow(db, Thing))

    def test_settings_that_make_no_sense(self, world: World) -> None:
        class Other(Table):
            pass

        class Thing(Entity, table=Other):
            name: str

            primary = Other.primary.key("THING#{name}", "THING")

        with pytest.raises(Refused, match="at least one entity"):
            follow(world.db)
        with pytest.raises(Refused, match="Order and Thing are stored in several tables"):
            follow(world.db, Order, Thing)
        with pytest.raises(Refused, match="no time zone"):
            follow(world.db, Order, start=datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point
        with pytest.raises(Refused, match='start is \'newest\': write "oldest", "latest" or'):
            follow(world.db, Order, start="newest")  # pyright: ignore[reportCallIssue, reportArgumentType]
        with pytest.raises(Refused, match="positive"):
            follow(world.db, Order, lease=timedelta(0))


class TestHandlers:
    def test_a_handler_runs_on_the_stream_of_a_database(self, world: World) -> None:
        handler = StreamHandler(Shop)
        seen: list[object] = []

        @handler.on(Order)
        def order_changed(change: Change[Order], db: DB) -> None:
            if change.required_after().step == 0:
                db(Order(order_id=change.required_after().order_id, step=1).put())
            seen.append(change.required_after().step)

        @handler.on(Customer)
        async def customer_changed(change: Change[Customer]) -> None:
            seen.append(change.required_after().name)

        world.order(7)
        world.db(Customer(name="ada").create())
        handler.run(world.db, wait=False)

        assert seen == [0, "ada", 1]

    def test_a_failure_is_raised_and_the_change_comes_again(self, world: World) -> None:
        handler = StreamHandler(Shop)
        broken = [True]
        seen: list[int] = []

        @handler.on(Order)
        def order_changed(change: Change[Order]) -> None:
            if broken[0] and change.required_after().order_id == 2:
                raise RuntimeError("no courier today")
            seen.append(change.required_after().order_id)

        world.order(1, 2, 3)
        with pytest.raises(RuntimeError, match="no courier"):
            handler.run(world.db, wait=False, leases=Leases)
        broken[0] = False
        handler.run(world.db, wait=False, leases=Leases)

        assert seen == [1, 2, 3]

    def test_a_handler_can_be_awaited(self) -> None:
        handler = StreamHandler(Shop)
        seen: list[int] = []

        @handler.on(Order)
        async def order_changed(change: Change[Order], db: AsyncDB) -> None:
            found = await db(Order.get(order_id=change.required_after().order_id).required())
            seen.append(found.order_id)

        async def main() -> None:
            async with AsyncDB.memory(Shop) as db:
                await db(Order(order_id=5).create())
                await handler.run(db, wait=False)

        asyncio.run(main())
        assert seen == [5]

    def test_in_lambda_a_function_gets_the_database_of_the_handler(
        self, world: World, caplog: pytest.LogCaptureFixture
    ) -> None:
        def handled(handler: StreamHandler) -> list[Any]:
            seen: list[Any] = []

            @handler.on(Order)
            def order_changed(change: Change[Order], db: DB) -> None:
                seen.append(db)

            keys = {"PK": {"S": "ORDER#00000007"}, "SK": {"S": "ORDER"}}
            image = keys | {"order_id": {"N": "7"}, "step": {"N": "0"}, "_type": {"S": "Order"}}
            change = {"Keys": keys, "NewImage": image, "SequenceNumber": "1"}
            handler({"Records": [{"eventName": "INSERT", "dynamodb": change}]})
            return seen

        assert handled(StreamHandler(Shop, db=world.db)) == [world.db]
        assert handled(StreamHandler(Shop)) == []
        assert "StreamHandler(..., db=db)" in caplog.text


def test_in_aws_streams_have_their_own_endpoint() -> None:
    def host(url: str) -> str | None:
        found = streams_endpoint(Endpoint.parse(url))
        return None if found is None else found.host

    assert host("https://dynamodb.eu-west-1.amazonaws.com") == (
        "streams.dynamodb.eu-west-1.amazonaws.com"
    )
    assert host("http://127.0.0.1:8000") is None


@pytest.mark.acceptance
def test_workers_that_are_killed_at_random_miss_nothing(tmp_path: Path) -> None:
    """Every change is delivered at least once, and never before an earlier one of its record."""
    log = tmp_path / "log"
    chance = random.Random(1)
    with served() as url, DB.endpoint(url, Shop) as db:
        db.create_tables()

        def start() -> subprocess.Popen[bytes]:
            program = [sys.executable, "-m", followed.__name__, url, str(log)]
            return subprocess.Popen(program, cwd=Path(__file__).parents[2])

        workers = [start() for _ in range(3)]
        for step in range(30):
            for number in range(10):
                db(Order(order_id=number, step=step).put())
            if step % 4 == 0:
                killed = chance.randrange(3)
                workers[killed].send_signal(signal.SIGKILL)
                workers[killed].wait()
                workers[killed] = start()
            if step % 10 == 5:
                body = {"TableName": Shop.definition.name_in("dev")}
                db._transport.send(Request("SplitPartition", body))
            time.sleep(0.2)
        deadline = time.monotonic() + 60
        wanted = {(number, step) for number in range(10) for step in range(30)}
        while {read[1:] for read in delivered(log)} < wanted and time.monotonic() < deadline:
            time.sleep(0.5)
        for worker in workers:
            worker.kill()
            worker.wait()

    reached: dict[int, int] = defaultdict(lambda: -1)
    for _, number, step in delivered(log):
        assert step <= reached[number] + 1, f"order {number} went from {reached[number]} to {step}"
        reached[number] = max(reached[number], step)
    assert {*reached.values()} == {29}


def delivered(log: Path) -> list[tuple[int, int, int]]:
    """Return the worker, the order and the step of each delivery."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [(int(w), int(n), int(s)) for w, n, s in map(str.split, lines)]
