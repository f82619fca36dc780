"""Reads that miss the latest writes, by chance: those of indexes and eventually consistent ones."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sortkey.engine import Engine
from sortkey.engine.lag import ItemPlace, ItemWrite
from sortkey.engine.promptness import TakesLong, prompt_calls
from sortkey.engine.storage import Storage
from sortkey.engine.weather import ConnectionReset, Fault, Scenario
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    ServiceError,
    TransactionCanceledException,
)

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab"
TABLE: Mapping[str, Any] = {
    "TableName": "Tab",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "room", "rank")
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_room",
            "KeySchema": [{"AttributeName": "room", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "by_rank",
            "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "rank", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
PLAIN = {
    "TableName": "Plain",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


class Service:
    """An engine whose reads lag, with a clock that moves only when a test moves it."""

    def __init__(
        self,
        *faults: Fault,
        index: float = 10.0,
        stale: float = 10.0,
        seed: int = 0,
        open_engine: Callable[..., Engine] = Engine.memory,
        **how: Any,
    ) -> None:
        self.now = 1e9
        weather = Scenario(
            name="test",
            throttling=False,
            index_lag_seconds=index,
            stale_seconds=stale,
            faults=faults,
            seed=seed,
        )
        self.engine = open_engine(clock=lambda: self.now, weather=weather, **how)
        self.engine.answer("CreateTable", dict(TABLE))
        self.engine.answer("CreateTable", dict(PLAIN))

    def answer(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.answer(operation, {"TableName": "Tab", **request})

    def put(self, sk: str, **attributes: str) -> None:
        self.answer("PutItem", Item=item(sk, **attributes))

    def get(self, sk: str, **more: Any) -> str | None:
        """Return the attribute v of an item."""
        return shown(self.answer("GetItem", Key=item(sk), **more).get("Item"))

    def ask(self, condition: str, index: str | None = None, **more: Any) -> list[str]:
        """Return the sort keys that a query finds."""
        name, value = condition.split("=")
        request: dict[str, Any] = {} if index is None else {"IndexName": index}
        found = self.answer(
            "Query",
            KeyConditionExpression=f"{name} = :value",
            ExpressionAttributeValues={":value": {"S": value}},
            **request,
            **more,
        )
        return [each["sk"]["S"] for each in found["Items"]]

    @property
    def events(self) -> list[tuple[str, str, str]]:
        assert self.engine.weather is not None
        return [
            (event.operation, event.what, event.resource) for event in self.engine.weather.timeline
        ]

    @property
    def recorded(self) -> int:
        assert self.engine.weather is not None
        assert self.engine.weather.lag is not None
        return len(self.engine.weather.lag.versions)


def item(sk: str, **attributes: str) -> dict[str, Any]:
    return {name: {"S": value} for name, value in {"pk": "a", "sk": sk, **attributes}.items()}


def shown(found: Mapping[str, Any] | None) -> str | None:
    return None if found is None else found["v"]["S"]


def often(read: Callable[[], Any], times: int = 60) -> set[Any]:
    """Return the different results of a read that is repeated."""
    results = (read() for _ in range(times))
    return {tuple(cast("list[Any]", each)) if isinstance(each, list) else each for each in results}


@pytest.fixture
def service() -> Service:
    return Service()


# -- what a read may see ----------------------------------------------------------------------


def test_an_eventual_read_sees_any_state_within_the_lag_and_a_consistent_one_the_present(
    service: Service,
) -> None:
    for value in "123":
        service.put("x", v=value)

    assert often(lambda: service.get("x")) == {None, "1", "2", "3"}
    assert often(lambda: service.get("x", ConsistentRead=True)) == {"3"}


def test_nothing_is_older_than_the_lag(service: Service) -> None:
    service.put("x", v="1")
    service.now += 6
    service.put("x", v="2")
    service.now += 6
    assert often(lambda: service.get("x")) == {"1", "2"}

    service.now += 4
    assert often(lambda: service.get("x")) == {"2"}
    assert service.recorded == 0


def test_a_clock_that_is_set_back_shows_nothing_older_either(service: Service) -> None:
    service.put("x", v="1")
    service.now -= 1000
    assert often(lambda: service.get("x")) == {"1"}
    service.now += 995
    service.put("x", v="2")
    service.now -= 4
    service.put("x", v="3")
    service.now += 10

    # The state 2 was replaced ten seconds ago; the others before that.
    assert often(lambda: service.get("x")) == {"3"}


def test_reads_go_back_in_time_and_items_lag_independently(service: Service) -> None:
    puts = [{"Put": {"TableName": "Tab", "Item": item(sk, v="1")}} for sk in "xy"]
    service.engine.answer("TransactWriteItems", {"TransactItems": puts})

    def both() -> list[str | None]:
        return [service.get("x"), service.get("y")]

    seen = [service.get("x") for _ in range(60)]
    assert ("1", None) in pairwise(seen)
    assert often(both) == {(None, None), ("1", None), (None, "1"), ("1", "1")}
    assert often(lambda: service.ask("pk=a")) == {(), ("x",), ("y",), ("x", "y")}


def test_an_index_and_its_table_lag_independently(service: Service) -> None:
    service.put("x", v="1", room="r")

    def both() -> list[object]:
        return [service.get("x"), len(service.ask("room=r", "by_room"))]

    assert often(both) == {(None, 0), (None, 1), ("1", 0), ("1", 1)}


@pytest.mark.parametrize(
    ("lag", "stale"), [({"index": 0}, "stale-read"), ({"stale": 0}, "index-lag")]
)
def test_only_what_has_a_lag_lags(lag: dict[str, Any], stale: str) -> None:
    service = Service(**lag)
    service.put("x", v="1", room="r", rank="1")

    reads: dict[str, Callable[[], Any]] = {
        "stale-read": lambda: service.get("x"),
        "index-lag": lambda: service.ask("room=r", "by_room"),
    }
    assert {name for name, read in reads.items() if len(often(read)) > 1} == {stale}
    assert {what for _, what, _ in service.events} == {stale}


def test_an_item_that_moves_in_an_index_is_at_its_old_place_or_at_its_new_one(
    service: Service,
) -> None:
    service.put("x", room="r1")
    service.now += 100
    service.put("x", room="r2")

    def rooms() -> list[str]:
        scanned = service.answer("Scan", IndexName="by_room")["Items"]
        return [each["room"]["S"] for each in scanned]

    assert often(rooms) == {("r1",), ("r2",)}
    assert often(lambda: service.ask("room=r1", "by_room")) == {(), ("x",)}
    assert often(lambda: service.ask("room=r2", "by_room")) == {(), ("x",)}


def test_a_local_index_lags_as_its_table_does_and_shows_one_state_of_an_item(
    service: Service,
) -> None:
    service.put("y", rank="2")
    service.now += 100
    service.put("x", rank="1")
    service.put("x", rank="3")

    def ranks() -> list[str]:
        found = service.answer(
            "Query",
            IndexName="by_rank",
            Select="ALL_ATTRIBUTES",
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": "a"}},
        )["Items"]
        return [each["rank"]["S"] for each in found]

    # The order is that of the index, and the ranks are those in the table.
    assert often(ranks) == {("2",), ("1", "2"), ("2", "3")}
    assert often(lambda: service.ask("pk=a", "by_rank", ConsistentRead=True)) == {("y", "x")}


def test_pages_keep_their_order_and_their_limit(service: Service) -> None:
    for sk in "abcdef":
        service.put(sk, v="1")
    service.now += 100
    for sk in "bd":
        service.answer("DeleteItem", Key=item(sk))
    service.put("c1", v="1")

    for forward in (True, False):
        ask = partial(service.ask, "pk=a", Limit=3, ScanIndexForward=forward)
        pages = often(ask, 100)
        assert {len(page) for page in pages} == {3}
        assert all(list(page) == sorted(page, reverse=not forward) for page in pages)
        lasts = {page[-1] for page in pages}
        assert lasts == ({"c", "c1", "d", "e"} if forward else {"c", "c1", "d"})


# -- what never lags --------------------------------------------------------------------------


def test_writes_conditions_and_transactions_see_the_present(service: Service) -> None:
    service.put("x", v="1")
    get = {"Get": {"TableName": "Tab", "Key": item("x")}}
    check = {"ConditionExpression": "attribute_exists(v)"}
    for _ in range(30):
        service.answer("UpdateItem", Key=item("x"), **check)
        read = service.engine.answer("TransactGetItems", {"TransactItems": [get]})
        assert shown(read["Responses"][0]["Item"]) == "1"
        with pytest.raises(ConditionalCheckFailedException):
            service.answer(
                "PutItem", Item=item("x"), ConditionExpression="attribute_not_exists(pk)"
            )
    assert service.events == []


def test_each_table_of_a_batch_lags_unless_it_is_read_consistently(service: Service) -> None:
    service.put("x", v="1")
    service.engine.answer("PutItem", {"TableName": "Plain", "Item": {"pk": {"S": "p"}}})

    def found() -> list[int]:
        wanted = {
            "Tab": {"Keys": [item("x")]},
            "Plain": {"Keys": [{"pk": {"S": "p"}}], "ConsistentRead": True},
        }
        answer = service.engine.answer("BatchGetItem", {"RequestItems": wanted})
        return [len(answer["Responses"][name]) for name in wanted]

    assert often(found) == {(0, 1), (1, 1)}


def test_selects_lag_and_the_statements_that_write_do_not(service: Service) -> None:
    service.put("x", v="1", room="r")
    plain = "SELECT * FROM Tab WHERE pk = 'a' AND sk = 'x'"

    def select(text: str, **more: Any) -> int:
        return len(service.engine.answer("ExecuteStatement", {"Statement": text, **more})["Items"])

    def batch(**more: Any) -> int:
        answer = service.engine.answer(
            "BatchExecuteStatement", {"Statements": [{"Statement": plain, **more}]}
        )
        return len([each for each in answer["Responses"] if "Item" in each])

    assert often(lambda: select(plain)) == {0, 1}
    assert often(lambda: select("SELECT * FROM Tab.by_room WHERE room = 'r'")) == {0, 1}
    assert often(batch) == {0, 1}
    assert often(lambda: select(plain, ConsistentRead=True)) == {1}
    assert often(lambda: batch(ConsistentRead=True)) == {1}
    update = "UPDATE Tab SET n = 1 WHERE pk = 'a' AND sk = 'x'"
    for _ in range(30):
        service.engine.answer("ExecuteStatement", {"Statement": update})
        answer = service.engine.answer(
            "BatchExecuteStatement", {"Statements": [{"Statement": update}]}
        )
        assert "Error" not in answer["Responses"][0]


def test_counts_streams_and_exports_do_not_lag(service: Service) -> None:
    service.answer(
        "UpdateTable", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    )
    service.put("x", v="1")

    described = service.answer("DescribeTable")["Table"]
    shard = service.engine.answer("DescribeStream", {"StreamArn": described["LatestStreamArn"]})
    iterator = service.engine.answer(
        "GetShardIterator",
        {
            "StreamArn": described["LatestStreamArn"],
            "ShardId": shard["StreamDescription"]["Shards"][0]["ShardId"],
            "ShardIteratorType": "TRIM_HORIZON",
        },
    )
    for _ in range(20):
        assert service.answer("DescribeTable")["Table"]["ItemCount"] == 1
        records = service.engine.answer("GetRecords", iterator)["Records"]
        assert len(records) == 1


# -- what was never committed -----------------------------------------------------------------


def test_a_rejected_write_is_never_seen(service: Service) -> None:
    put = {"Put": {"TableName": "Tab", "Item": item("x", v="1")}}
    check = {
        "ConditionCheck": {
            "TableName": "Tab",
            "Key": item("y"),
            "ConditionExpression": "attribute_exists(pk)",
        }
    }
    with pytest.raises(TransactionCanceledException):
        service.engine.answer("TransactWriteItems", {"TransactItems": [put, check]})
    with pytest.raises(ConditionalCheckFailedException):
        service.answer("PutItem", Item=item("x"), ConditionExpression="attribute_exists(pk)")

    assert service.recorded == 0


def test_a_group_that_is_rolled_back_is_never_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(open_engine=Engine.open, path=tmp_path / "app.db", grouped=True)
    service.put("x", v="0")
    service.engine.flush()

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    service.put("x", v="1")
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "add_total", fail)
        with pytest.raises(OSError, match="full"):
            service.put("y", v="1")
    with pytest.raises(InternalServerError):
        service.engine.flush()
    service.put("x", v="2")
    service.engine.flush()

    assert often(lambda: service.get("x")) == {None, "0", "2"}
    assert often(lambda: service.get("y")) == {None}
    service.engine.close()


def test_an_open_group_is_not_seen_from_another_connection(tmp_path: Path) -> None:
    service = Service(open_engine=Engine.open, path=tmp_path / "app.db", grouped=True)
    service.engine.flush()
    beside = service.engine.beside()
    request = {"TableName": "Tab", "Key": item("x")}
    for value in "12":
        service.put("x", v=value)

    assert often(lambda: shown(beside.answer("GetItem", request).get("Item"))) == {None}
    assert often(lambda: service.get("x")) == {None, "1", "2"}
    service.engine.flush()
    assert often(lambda: shown(beside.answer("GetItem", request).get("Item"))) == {None, "1", "2"}
    beside.close()
    service.engine.close()


def test_a_lost_response_leaves_a_write_that_reads_can_miss() -> None:
    service = Service(Fault(kind="lost-response", share=1, operations=("PutItem",)))
    with pytest.raises(ConnectionReset):
        service.put("x", v="1")

    assert often(lambda: service.get("x")) == {None, "1"}


def test_a_write_that_changes_nothing_is_not_missed(service: Service) -> None:
    service.engine.answer("PutItem", {"TableName": "Plain", "Item": {"pk": {"S": "p"}}})
    service.engine.answer("PutItem", {"TableName": "Plain", "Item": {"pk": {"S": "p"}}})

    assert service.recorded == 1


def test_an_expired_item_is_seen_for_a_while() -> None:
    service = Service()
    service.engine.answer(
        "UpdateTimeToLive",
        {
            "TableName": "Plain",
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ends"},
        },
    )
    ends = {"N": str(int(service.now))}
    service.engine.answer(
        "PutItem", {"TableName": "Plain", "Item": {"pk": {"S": "p"}, "ends": ends}}
    )
    service.now += 100
    while service.engine.tend():
        pass

    def found() -> bool:
        return "Item" in service.engine.answer(
            "GetItem", {"TableName": "Plain", "Key": {"pk": {"S": "p"}}}
        )

    assert often(found) == {True, False}


def test_what_a_bulk_put_writes_can_be_missed(tmp_path: Path) -> None:
    for bucket in ("source", "reports"):
        (tmp_path / bucket).mkdir()
    (tmp_path / "source" / "records").write_text('{"Item": {"pk": {"S": "p"}}}\n')
    service = Service(buckets=tmp_path)
    service.engine.answer(
        "StartBulkPutItems",
        {
            "TableName": "Plain",
            "InputS3Configuration": {"S3Bucket": "source", "InputFormat": "DYNAMODB_JSON"},
            "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR"]},
        },
    )
    while service.engine.tend():
        pass

    def count() -> int:
        return service.engine.answer("Scan", {"TableName": "Plain"})["Count"]

    assert often(count) == {0, 1}


def test_an_image_that_is_loaded_forgets_what_was_written(service: Service) -> None:
    image = service.engine.image()
    service.put("x", v="1")
    service.engine.load(image)

    assert service.recorded == 0


# -- cost, events and chance ------------------------------------------------------------------


def test_weather_without_lag_records_nothing() -> None:
    service = Service(index=0, stale=0)
    assert service.engine.weather is not None
    assert service.engine.weather.lag is None


def test_a_read_looks_only_at_the_partition_that_it_reads(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.put("x", v="1", room="r")
    assert service.engine.weather is not None
    assert service.engine.weather.lag is not None
    versions = service.engine.weather.lag.versions
    looked: list[ItemPlace] = []
    of = versions.of

    def watched(place: ItemPlace, reader: object) -> list[ItemWrite]:
        looked.append(place)
        return of(place, reader)

    monkeypatch.setattr(versions, "of", watched)

    assert service.ask("pk=other") == []
    assert service.ask("room=other", "by_room") == []
    service.engine.answer("Scan", {"TableName": "Plain"})
    assert looked == []
    service.ask("room=r", "by_room")
    assert looked != []


def test_events_name_what_was_behind_once_for_each_request(service: Service) -> None:
    for sk in "wxyz":
        service.put(sk, room="r")
    differing = sum(service.ask("room=r", "by_room") != list("wxyz") for _ in range(30))
    assert 20 < differing < 30
    assert service.events == [("Query", "index-lag", f"{ARN}/index/by_room")] * differing

    gone = sum(service.answer("GetItem", Key=item("x")) == {} for _ in range(30))
    assert service.events[differing:] == [("GetItem", "stale-read", ARN)] * gone


def test_a_difference_beyond_the_page_is_no_event(service: Service) -> None:
    service.put("x", v="1")
    service.now += 100
    service.put("y", v="1")
    for _ in range(30):
        assert service.ask("pk=a", Limit=1) == ["x"]

    assert service.events == []


def test_units_are_charged_for_what_was_read(service: Service) -> None:
    service.put("x", v="1" * 5000)

    def units() -> list[float]:
        answer = service.answer("GetItem", Key=item("x"), ReturnConsumedCapacity="TOTAL")
        return ["Item" in answer, answer["ConsumedCapacity"]["CapacityUnits"]]

    assert often(units) == {(False, 0.5), (True, 1.0)}


def _results(seed: int) -> tuple[list[object], list[object]]:
    service = Service(seed=seed)
    results: list[object] = []
    for number in range(40):
        service.put("xyz"[number % 3], v=str(number), room="r")
        service.now += 1
        results += [service.get("x"), service.ask("room=r", "by_room")]
    return results, list(service.events)


def test_the_same_seed_has_the_same_weather() -> None:
    assert _results(7) == _results(7)
    assert _results(7) != _results(8)


def test_a_read_that_is_repeated_sees_the_same() -> None:
    scan = {"TableName": "Tab", "FilterExpression": "attribute_exists(w)"}

    def timeline(*, is_repeated: bool) -> list[Any]:
        service = Service()
        for sk in "abcde":
            service.put(sk, v="x" * 300_000)
        if is_repeated:
            for _ in range(3):
                with prompt_calls(), pytest.raises(TakesLong):
                    service.engine.reply("Scan", scan)
        scanned = [service.engine.answer("Scan", scan)["ScannedCount"] for _ in range(5)]
        return [*scanned, *(service.get("a") is None for _ in range(9))]

    assert timeline(is_repeated=True) == timeline(is_repeated=False)


# -- the model ----------------------------------------------------------------------------------

_NAMES = ("x", "y", "z")
_step = st.tuples(
    st.sampled_from(("put", "delete", "transact", "cancelled", "wait", "read")),
    st.sampled_from(_NAMES),
    st.sampled_from(("r1", "r2", None)),
)


@settings(max_examples=150, deadline=None)
@given(
    steps=st.lists(_step, max_size=25),
    seed=st.integers(0, 100),
    limit=st.sampled_from((None, 1, 2)),
)
def test_each_response_shows_a_choice_of_states_within_the_lag(
    steps: list[tuple[str, str, str | None]], seed: int, limit: int | None
) -> None:
    service = Service(seed=seed, index=3.0, stale=2.0)
    # Of each item, its states: when each ended, and what it was; the present has not ended.
    states: dict[str, list[tuple[float, str | None]]] = {
        name: [(float("inf"), None)] for name in _NAMES
    }

    def write(name: str, value: str | None) -> None:
        *past, (_, last) = states[name]
        if value != last:
            states[name] = [*past, (service.now, last), (float("inf"), value)]

    for number, (kind, name, room) in enumerate(steps):
        value = f"{room or '-'} {number % 2}"
        stored = item(name, v=value, **({} if room is None else {"room": room}))
        if kind == "put":
            service.answer("PutItem", Item=stored)
            write(name, value)
        elif kind == "delete":
            service.answer("DeleteItem", Key=item(name))
            write(name, None)
        elif kind == "wait":
            service.now += 1
        elif kind in {"transact", "cancelled"}:
            puts: list[Any] = [{"Put": {"TableName": "Tab", "Item": stored}}]
            if kind == "cancelled":
                check = {"ConditionExpression": "attribute_exists(pk)"}
                puts += [{"ConditionCheck": {"TableName": "Tab", "Key": item("none"), **check}}]
            try:
                service.engine.answer("TransactWriteItems", {"TransactItems": puts})
                write(name, value)
            except ServiceError:
                assert kind == "cancelled"
        else:
            _check_reads(service, states, name, limit)
    for name in _NAMES:
        _check_reads(service, states, name, limit)


def _check_reads(
    service: Service,
    states: dict[str, list[tuple[float, str | None]]],
    name: str,
    limit: int | None,
) -> None:
    def within(seconds: float, which: str) -> list[str | None]:
        ends = [end for end, _ in states[which]]
        expired = [n for n, end in enumerate(ends) if service.now - end >= seconds]
        first = expired[-1] + 1 if expired else 0
        return [state for _, state in states[which][first:]]

    def pages(seconds: float, room: str) -> set[tuple[str, ...]]:
        choices = product(*(within(seconds, each) for each in _NAMES))
        everything = (
            [n for n, value in zip(_NAMES, chosen, strict=True) if value and value.startswith(room)]
            for chosen in choices
        )
        return {tuple(page[:limit]) for page in everything}

    more: dict[str, Any] = {} if limit is None else {"Limit": limit}
    for _ in range(2):
        assert service.get(name) in within(2.0, name)
        assert service.get(name, ConsistentRead=True) == states[name][-1][1]
        assert tuple(service.ask("pk=a", **more)) in pages(2.0, "")
        in_room = pages(3.0, "r1")
        assert tuple(service.ask("room=r1", "by_room", **more)) in in_room
        present = [n for n in _NAMES if states[n][-1][1] is not None]
        assert service.ask("pk=a", ConsistentRead=True) == present
