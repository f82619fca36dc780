"""Clients that do nothing wrong, and notice everything.

Each has a partition of its own, remembers in memory what it must contain, and compares every
response with that. They run in a process of their own, so that nothing which the attacker does
makes them late.
"""

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from random import Random
from typing import Any, TypeAlias

import orjson

from benchmarks.attack.exchange import BadReplyError, Link, Reply
from sortkey.access.credentials import Credentials
from sortkey.access.transports.signing import Signer
from sortkey.wire.services import target_of

Item: TypeAlias = dict[str, Any]
Stored: TypeAlias = dict[str, Item]

TABLE = "Polite"
CLIENTS = 6
_SORT_KEYS = 20
_COLOURS = ("red", "green", "blue")
# A client that gets no response for so long gives up, and reports it.
_PATIENCE_SECONDS = 20.0
_MOST_NOTICES = 5
_REGION = "us-east-1"
_LOST = (OSError, asyncio.IncompleteReadError)

CREATE_TABLE: dict[str, Any] = {
    "TableName": TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("pk", "S"), ("sk", "S"), ("colour", "S"), ("rank", "N"))
    ],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-colour",
            "KeySchema": [
                {"AttributeName": "colour", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by-rank",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}


@dataclass(frozen=True, slots=True)
class Manners:
    """What polite clients must put up with while an attack lasts, and how they sign."""

    read_seconds: float = 2.0
    write_seconds: float = 2.0
    is_cut_off: bool = False
    fails_writes: bool = False
    pause_seconds: float = 0.02
    keys: tuple[str, str] | None = None


@dataclass(slots=True)
class Experience:
    """What polite clients have seen."""

    requests: int = 0
    longest_wait: float = 0.0
    notices: list[str] = field(default_factory=list[str])
    # Waits above the bound: the operation, the seconds, the bound.
    waits: list[tuple[str, float, float]] = field(default_factory=list[tuple[str, float, float]])

    def notice(self, text: str) -> None:
        """Report something that a client should not have to see."""
        if len(self.notices) < _MOST_NOTICES:
            self.notices.append(text)

    def judge_waits(self, slowness: float) -> None:
        """Report the waits that are too long even on a machine that is so many times slower."""
        for operation, seconds, bound in self.waits:
            if seconds > bound * slowness:
                self.notice(f"{operation} took {seconds:.1f} s")


@dataclass(frozen=True, slots=True)
class Step:
    """A request, the response that it must get, and the items that it leaves."""

    operation: str
    body: dict[str, Any]
    expected: dict[str, Any] = field(default_factory=dict[str, Any])
    error: str = ""
    effects: dict[str, Item | None] = field(default_factory=dict[str, Item | None])
    is_atomic: bool = True

    @property
    def is_write(self) -> bool:
        """Whether the request may change items."""
        return "Write" in self.operation or self.operation in {
            "PutItem",
            "UpdateItem",
            "DeleteItem",
        }


class PoliteModel:
    """What one client's partition must contain, and requests with their right responses."""

    def __init__(self, name: str, random: Random) -> None:
        self.name = name
        self.stored: Stored = {}
        self._random = random
        self._count = 0
        self._makers: tuple[Callable[[], Step], ...] = (
            *(self._put, self._put, self._update, self._update, self._delete, self._get),
            *(self._query, self._query_index, self._query_ranks),
            *(self._batch_write, self._batch_get, self._transact_write, self._transact_get),
        )

    def next_step(self) -> Step:
        """Return a request by chance."""
        return self._random.choice(self._makers)()

    def apply(self, step: Step) -> None:
        """Remember what a request has changed."""
        for sort_key, item in step.effects.items():
            if item is None:
                self.stored.pop(sort_key, None)
            else:
                self.stored[sort_key] = item

    def everything(self) -> Iterable[Step]:
        """Return reads of all that is stored, in the table and in both indexes."""
        yield self._range_query("", "~", forward=True)
        yield self._query_ranks()
        yield from map(self._colour_query, _COLOURS)

    def key(self, sort_key: str) -> Item:
        """Return the key of an item."""
        return {"pk": {"S": self.name}, "sk": {"S": sort_key}}

    def _sort_key(self) -> str:
        return f"{self._random.randrange(_SORT_KEYS):03d}"

    def _colour(self, colour: str) -> str:
        return f"{self.name}-{colour}"

    def _item(self, sort_key: str) -> Item:
        self._count += 1
        item = self.key(sort_key) | {
            "version": {"N": str(self._count)},
            "text": {"S": "é" * self._random.choice((0, 3, 40, 700))},
            "tags": {"L": [{"S": "a"}, {"M": {"b": {"BOOL": True}, "c": {"NULL": True}}}]},
        }
        if self._random.random() < 0.8:
            item["colour"] = {"S": self._colour(self._random.choice(_COLOURS))}
            item["rank"] = {"N": str(self._count)}
        return item

    def _put(self) -> Step:
        sort_key = self._sort_key()
        item, old = self._item(sort_key), self.stored.get(sort_key)
        body: dict[str, Any] = {"TableName": TABLE, "Item": item, "ReturnValues": "ALL_OLD"}
        condition = self._random.choice(("", "attribute_not_exists(pk)", "attribute_exists(pk)"))
        if condition:
            body["ConditionExpression"] = condition
            if (old is None) == (condition == "attribute_exists(pk)"):
                return Step("PutItem", body, error="ConditionalCheckFailedException")
        return Step("PutItem", body, {"Attributes": old} if old else {}, effects={sort_key: item})

    def _update(self) -> Step:
        sort_key = self._sort_key()
        old = self.stored.get(sort_key)
        self._count += 1
        known = old["version"] if old and self._random.random() < 0.8 else {"N": "-1"}
        new = {**(old or self.key(sort_key)), "version": {"N": str(self._count)}}
        new.pop("text", None)
        if "rank" in new:
            new["rank"] = {"N": str(self._count)}
        body: dict[str, Any] = {
            "TableName": TABLE,
            "Key": self.key(sort_key),
            "ConditionExpression": "version = :known",
            "UpdateExpression": "SET version = :new" + ", #r = :new" * ("rank" in new),
            "ExpressionAttributeValues": {":known": known, ":new": {"N": str(self._count)}},
            "ReturnValues": "ALL_NEW",
        }
        body["UpdateExpression"] += " REMOVE #t"
        body["ExpressionAttributeNames"] = {"#t": "text"} | (
            {"#r": "rank"} if "rank" in new else {}
        )
        if old is None or known != old["version"]:
            return Step("UpdateItem", body, error="ConditionalCheckFailedException")
        return Step("UpdateItem", body, {"Attributes": new}, effects={sort_key: new})

    def _delete(self) -> Step:
        sort_key = self._sort_key()
        old = self.stored.get(sort_key)
        body = {"TableName": TABLE, "Key": self.key(sort_key), "ReturnValues": "ALL_OLD"}
        expected = {"Attributes": old} if old else {}
        return Step("DeleteItem", body, expected, effects={sort_key: None})

    def get(self, sort_key: str) -> Step:
        """Return a read of one item."""
        old = self.stored.get(sort_key)
        body = {"TableName": TABLE, "Key": self.key(sort_key), "ConsistentRead": True}
        return Step("GetItem", body, {"Item": old} if old else {})

    def _get(self) -> Step:
        return self.get(self._sort_key())

    def _query(self) -> Step:
        low, high = sorted((self._sort_key(), self._sort_key()))
        return self._range_query(low, high, forward=self._random.random() < 0.5)

    def _range_query(self, low: str, high: str, *, forward: bool) -> Step:
        found = [self.stored[at] for at in sorted(self.stored) if low <= at <= high]
        values = {":pk": {"S": self.name}, ":low": {"S": low or " "}, ":high": {"S": high}}
        body = {
            "TableName": TABLE,
            "KeyConditionExpression": "pk = :pk AND sk BETWEEN :low AND :high",
            "ExpressionAttributeValues": values,
            "ScanIndexForward": forward,
        }
        return Step("Query", body, {"Items": found if forward else found[::-1]})

    def _query_index(self) -> Step:
        return self._colour_query(self._random.choice(_COLOURS))

    def _colour_query(self, colour: str) -> Step:
        wanted = {"S": self._colour(colour)}
        body = {
            "TableName": TABLE,
            "IndexName": "by-colour",
            "KeyConditionExpression": "colour = :colour",
            "ExpressionAttributeValues": {":colour": wanted},
        }
        return Step("Query", body, {"Items": self._ranked(lambda item: item["colour"] == wanted)})

    def _query_ranks(self) -> Step:
        body = {
            "TableName": TABLE,
            "IndexName": "by-rank",
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": self.name}},
        }
        return Step("Query", body, {"Items": self._ranked(lambda _: True)})

    def _ranked(self, wanted: Callable[[Item], bool]) -> list[Item]:
        found = [item for item in self.stored.values() if "rank" in item and wanted(item)]
        return sorted(found, key=lambda item: int(item["rank"]["N"]))

    def _several(self) -> list[str]:
        return self._random.sample([f"{at:03d}" for at in range(_SORT_KEYS)], 4)

    def _batch_write(self) -> Step:
        removed, *put = self._several()
        items = {sort_key: self._item(sort_key) for sort_key in put}
        writes: list[Any] = [{"PutRequest": {"Item": item}} for item in items.values()]
        writes.append({"DeleteRequest": {"Key": self.key(removed)}})
        return Step(
            "BatchWriteItem",
            {"RequestItems": {TABLE: writes}},
            {"UnprocessedItems": {}},
            effects={removed: None, **items},
            is_atomic=False,
        )

    def _batch_get(self) -> Step:
        keys = sorted(self._several())
        found = [self.stored[at] for at in keys if at in self.stored]
        body = {"RequestItems": {TABLE: {"Keys": list(map(self.key, keys))}}}
        return Step("BatchGetItem", body, {"Responses": {TABLE: found}, "UnprocessedKeys": {}})

    def _transact_write(self) -> Step:
        checked, removed, *put = self._several()
        items = {sort_key: self._item(sort_key) for sort_key in put}
        exists = self._random.random() < 0.5
        condition = f"attribute_{'' if exists else 'not_'}exists(pk)"
        check = {"TableName": TABLE, "Key": self.key(checked), "ConditionExpression": condition}
        actions: list[Any] = [
            {"Put": {"TableName": TABLE, "Item": item}} for item in items.values()
        ]
        actions.append({"Delete": {"TableName": TABLE, "Key": self.key(removed)}})
        actions.append({"ConditionCheck": check})
        body = {"TransactItems": actions}
        if exists != (checked in self.stored):
            return Step("TransactWriteItems", body, error="TransactionCanceledException")
        return Step("TransactWriteItems", body, effects={removed: None, **items})

    def _transact_get(self) -> Step:
        keys = self._several()
        found = [{"Item": self.stored[at]} if at in self.stored else {} for at in keys]
        gets = [{"Get": {"TableName": TABLE, "Key": self.key(at)}} for at in keys]
        return Step("TransactGetItems", {"TransactItems": gets}, {"Responses": found})


def _sort_key_of(item: Item) -> str:
    return item["sk"]["S"]


def _shown(text: bytes) -> str:
    return text[:600].decode(errors="replace")


class PoliteClient:
    """One client: it sends a request, waits for the response, compares, and pauses."""

    def __init__(
        self, number: int, port: int, seed: str, manners: Manners, seen: Experience
    ) -> None:
        self._random = Random(f"{seed} {number}")
        self._model = PoliteModel(f"polite-{number}", self._random)
        # Some keep their connection, others come as new clients again and again.
        self._requests_of_a_link = 10 if number % 2 else 1_000_000
        self._port = port
        self._manners = manners
        self._seen = seen
        self._link: Link | None = None
        self._used = 0
        self._signer = Signer("127.0.0.1", _REGION)

    async def run(self, stop: asyncio.Event) -> None:
        """Send requests until the end, then read everything once more."""
        while not stop.is_set():
            await self._take(self._model.next_step())
            await asyncio.sleep(self._random.random() * self._manners.pause_seconds)
        for step in self._model.everything():
            await self._take(step)
        self._hang_up()

    async def create_table(self) -> None:
        """Create the table of all clients."""
        await self._ask(Step("CreateTable", CREATE_TABLE))
        self._hang_up()

    async def _take(self, step: Step) -> None:
        """Send a request, and check its response and how long it took."""
        began = time.monotonic()
        try:
            reply = await self._ask(step)
        except _LOST as error:
            if not self._manners.is_cut_off:
                self._seen.notice(f"{step.operation} got no response: {error!r}")
            await self._settle(step)
            return
        except (TimeoutError, BadReplyError) as error:
            self._seen.notice(f"{step.operation} got no response: {error or 'it waits in vain'}")
            await self._settle(step)
            return
        self._seen.requests += 1
        wait = time.monotonic() - began
        self._seen.longest_wait = max(self._seen.longest_wait, wait)
        manners = self._manners
        bound = manners.write_seconds if step.is_write else manners.read_seconds
        if wait > bound:
            self._seen.waits.append((step.operation, wait, bound))
        if reply.status >= 500 and step.is_write and manners.fails_writes:
            await self._settle(step)
            return
        await self._compare(step, reply)

    async def _compare(self, step: Step, reply: Reply) -> None:
        found: Any = reply.value() if reply.status == 200 else {}
        if step.operation == "BatchGetItem" and not step.error and found:
            found["Responses"][TABLE].sort(key=_sort_key_of)  # a batch has no order
        right = step.expected | {
            name: found[name] for name in ("Count", "ScannedCount") if name in found
        }
        if reply.error != step.error or (not step.error and found != right):
            self._seen.notice(
                f"{step.operation} got a wrong response\n"
                f"request:  {_shown(orjson.dumps(step.body))}\n"
                f"response: {reply.status} {_shown(reply.body)}\n"
                f"expected: {step.error or _shown(orjson.dumps(step.expected))}"
            )
            await self._settle(step)
        elif not step.error:
            self._model.apply(step)

    async def _settle(self, step: Step) -> None:
        """Find out whether a write without a response was stored: all of it, or nothing."""
        self._hang_up()
        if not step.effects:
            return
        found = {at: await self._stored(at) for at in step.effects}
        before = {at: self._model.stored.get(at) for at in step.effects}
        if step.is_atomic:
            is_right = found in (before, step.effects)
        else:
            is_right = all(found[at] in (before[at], step.effects[at]) for at in found)
        if not is_right:
            self._seen.notice(f"half of {step.operation} was stored: {found} of {step.effects}")
        self._model.apply(Step("", {}, effects=found))

    async def _stored(self, sort_key: str) -> Item | None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                reply = await self._ask(self._model.get(sort_key))
                if reply.status < 500:
                    return reply.value().get("Item")
            except (*_LOST, TimeoutError, BadReplyError):
                self._hang_up()
            await asyncio.sleep(0.1)
        self._seen.notice(f"the server did not come back within {_PATIENCE_SECONDS:.0f} s")
        return self._model.stored.get(sort_key)

    async def _ask(self, step: Step) -> Reply:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            if self._used >= self._requests_of_a_link:
                self._hang_up()
            if self._link is None:
                self._link = await Link.open(self._port)
            self._used += 1
            body = orjson.dumps(step.body)
            return await self._link.ask(step.operation, body, self._signature(step, body))

    def _signature(self, step: Step, body: bytes) -> bytes:
        if self._manners.keys is None:
            return b""
        target = target_of(step.operation).encode()
        return self._signer.sign(target, body, Credentials(*self._manners.keys), time.time())

    def _hang_up(self) -> None:
        if self._link is not None:
            self._link.close()
        self._link, self._used = None, 0


class Company:
    """Polite clients in a process of their own."""

    def __init__(self, port: int, seed: str, manners: Manners) -> None:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_keep, args=(theirs, port, seed, manners), daemon=True
        )
        self._process.start()
        theirs.close()
        self._pipe.recv()  # the table is there

    def leave(self) -> Experience:
        """Let the clients check everything once more, and return what they have seen."""
        try:
            self._pipe.send("leave")
            return self._pipe.recv()
        except (EOFError, OSError):
            return Experience(notices=["the polite clients failed; see the traceback above"])
        finally:
            self.end()

    def end(self) -> None:
        """End the clients, whatever they do."""
        self._process.kill()
        self._process.join()


def _keep(pipe: Connection, port: int, seed: str, manners: Manners) -> None:
    with suppress(KeyboardInterrupt):
        asyncio.run(keep_company(pipe, port, seed, manners))


async def keep_company(pipe: Connection, port: int, seed: str, manners: Manners) -> None:
    """Run polite clients until the pipe has a message, then send what they have seen."""
    seen = Experience()
    creator = PoliteClient(0, port, seed, manners, seen)
    await creator.create_table()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_reader(pipe.fileno(), stop.set)
    pipe.send("ready")
    async with asyncio.TaskGroup() as group:
        for number in range(CLIENTS):
            group.create_task(PoliteClient(number, port, seed, manners, seen).run(stop))
    pipe.send(seen)
