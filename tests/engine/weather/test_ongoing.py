"""Transactions that take time conflict with each other, and with writes of their items."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.promptness import IsLocked, prompt_calls
from sortkey.engine.weather import Fault, LateReply, Scenario
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    TransactionCanceledException,
    TransactionConflictException,
    TransactionInProgressException,
)

SECONDS = 5.0
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab"


class Service:
    """An engine whose transactions take five seconds of a time that stands still."""

    def __init__(self, now: list[float], *faults: Fault) -> None:
        weather = Scenario(
            name="test", throttling=False, transaction_seconds=SECONDS, faults=faults
        )
        self.engine = Engine.memory(clock=lambda: now[0], weather=weather)
        self.engine.answer(
            "CreateTable",
            {
                "TableName": "Tab",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def answer(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.answer(operation, {"TableName": "Tab", **request})

    def begin(self, *names: str, **more: Any) -> None:
        """Begin a transaction, as a server does: its response comes later."""
        with prompt_calls(), pytest.raises(LateReply) as late:
            self.write_together(*names, **more)
        assert late.value.outcome == b"{}"
        assert late.value.seconds == SECONDS
        self.late = late.value

    def write_together(self, *names: str, **more: Any) -> None:
        puts = [{"Put": {"TableName": "Tab", "Item": key(name)}} for name in names]
        self.engine.answer("TransactWriteItems", {"TransactItems": puts, **more})

    def metric(self, name: str) -> float:
        metrics = self.engine.answer("DescribeMeters", {})["Metrics"]
        return sum(each["Total"]["Sum"] for each in metrics if each["MetricName"] == name)

    @property
    def events(self) -> list[tuple[str, str, str]]:
        assert self.engine.weather is not None
        return [
            (event.operation, event.what, event.resource) for event in self.engine.weather.timeline
        ]


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the engine, which also passes while a thread waits."""
    time = [100.0]

    def sleep(seconds: float) -> None:
        time[0] += seconds

    monkeypatch.setattr("sortkey.engine.weather.faults.time.sleep", sleep)
    return time


@pytest.fixture
def service(now: list[float]) -> Service:
    return Service(now)


def key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}}


Send = Callable[[Service], Any]
WRITES: dict[str, Send] = {
    "put": lambda service: service.answer("PutItem", Item=key("a")),
    "update": lambda service: service.answer("UpdateItem", Key=key("a")),
    "delete": lambda service: service.answer("DeleteItem", Key=key("a")),
    "a failed condition": lambda service: service.answer(
        "PutItem", Item=key("a"), ConditionExpression="attribute_not_exists(pk)"
    ),
    "a statement": lambda service: service.engine.answer(
        "ExecuteStatement", {"Statement": "DELETE FROM Tab WHERE pk = 'a'"}
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_write_of_an_item_in_a_transaction_conflicts_with_it(
    service: Service, now: list[float], name: str
) -> None:
    service.begin("a", "b")

    with pytest.raises(TransactionConflictException, match="Transaction is ongoing for the item"):
        WRITES[name](service)
    assert service.answer("GetItem", Key=key("a")) == {"Item": key("a")}
    assert service.events[-1][1:] == ("TransactionConflict", ARN)

    now[0] += SECONDS
    if name == "a failed condition":
        with pytest.raises(ConditionalCheckFailedException):
            WRITES[name](service)
    else:
        WRITES[name](service)


def test_other_items_and_reads_do_not_conflict(service: Service) -> None:
    service.begin("a")

    service.answer("PutItem", Item=key("b"))
    assert service.answer("GetItem", Key=key("a"), ConsistentRead=True) == {"Item": key("a")}
    assert service.answer("Scan")["Count"] == 2


def test_a_transaction_of_the_same_item_is_cancelled_with_its_reason(service: Service) -> None:
    service.begin("a")
    conflict = {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}

    with pytest.raises(TransactionCanceledException) as written:
        service.write_together("b", "a")
    gets = [{"Get": {"TableName": "Tab", "Key": key(name)}} for name in "ab"]
    with pytest.raises(TransactionCanceledException) as read:
        service.engine.answer("TransactGetItems", {"TransactItems": gets})

    assert service.metric("TransactionConflict") == 2
    assert written.value.reasons == [{"Code": "None"}, conflict]
    assert read.value.reasons == [conflict, {"Code": "None"}]
    assert service.answer("GetItem", Key=key("b")) == {}
    service.write_together("b")


def test_an_item_whose_condition_a_transaction_checks_is_part_of_it(service: Service) -> None:
    check = {"TableName": "Tab", "Key": key("c"), "ConditionExpression": "attribute_not_exists(pk)"}
    put = {"TableName": "Tab", "Item": key("a")}
    with prompt_calls(), pytest.raises(LateReply):
        service.engine.answer(
            "TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}, {"Put": put}]}
        )

    with pytest.raises(TransactionConflictException):
        service.answer("PutItem", Item=key("c"))


def test_a_batch_leaves_out_what_conflicts(service: Service) -> None:
    service.begin("a")
    puts = [{"PutRequest": {"Item": key(name)}} for name in "ab"]

    left = service.engine.answer("BatchWriteItem", {"RequestItems": {"Tab": puts}})
    statements = [{"Statement": f"DELETE FROM Tab WHERE pk = '{name}'"} for name in "ab"]
    first, second = service.engine.answer("BatchExecuteStatement", {"Statements": statements})[
        "Responses"
    ]

    assert service.metric("TransactionConflict") == 2
    assert left["UnprocessedItems"] == {"Tab": puts[:1]}
    assert first["Error"]["Code"] == "TransactionConflict"
    assert "Error" not in second


def test_a_token_is_in_progress_until_its_transaction_ends(
    service: Service, now: list[float]
) -> None:
    service.begin("a", ClientRequestToken="t")

    with pytest.raises(TransactionInProgressException):
        service.write_together("a", ClientRequestToken="t")
    now[0] += SECONDS
    service.write_together("a", ClientRequestToken="t")

    assert ("TransactWriteItems", "TransactionInProgress", "Tab") in service.events


def test_a_client_that_waits_has_no_conflict_with_itself(
    service: Service, now: list[float]
) -> None:
    for _ in range(3):
        service.write_together("a", "b")
        service.answer("PutItem", Item=key("a"))

    assert service.events == []
    assert now[0] >= 100 + 3 * SECONDS


def test_a_transaction_ends_when_its_response_is_sent(service: Service) -> None:
    """The engine's clock may stand still, or be moved, while the response is awaited."""
    service.begin("a", ClientRequestToken="t")

    service.late.end()

    service.answer("PutItem", Item=key("a"))
    service.write_together("a", ClientRequestToken="t")


def test_a_late_response_does_not_end_the_next_transaction(
    service: Service, now: list[float]
) -> None:
    service.begin("a")
    first = service.late
    now[0] += SECONDS
    service.begin("a")

    first.end()

    with pytest.raises(TransactionConflictException):
        service.answer("PutItem", Item=key("a"))


@pytest.mark.parametrize("seconds", [-0.5, SECONDS])
def test_a_clock_that_is_moved_ends_transactions(
    service: Service, now: list[float], seconds: float
) -> None:
    service.begin("a")

    now[0] += seconds

    service.answer("PutItem", Item=key("a"))


def test_a_transaction_that_fails_holds_nothing_and_takes_no_time(
    service: Service, now: list[float]
) -> None:
    service.answer("PutItem", Item=key("a"))
    check = {"TableName": "Tab", "Key": key("a"), "ConditionExpression": "attribute_not_exists(pk)"}
    put = {"TableName": "Tab", "Item": key("b")}
    with pytest.raises(TransactionCanceledException):
        service.engine.answer(
            "TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}, {"Put": put}]}
        )

    service.answer("PutItem", Item=key("b"))
    assert now == [100]


def test_a_transaction_that_is_repeated_does_not_conflict_with_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: Any) -> None:
        raise IsLocked

    with monkeypatch.context() as patched:
        patched.setattr("sortkey.engine.transacting.make_all", locked)
        with pytest.raises(IsLocked):
            service.write_together("a")

    service.write_together("a")


def test_a_lost_transaction_goes_on(now: list[float]) -> None:
    service = Service(now, Fault(kind="error-after", share=1, operations=("TransactWriteItems",)))
    with prompt_calls(), pytest.raises(LateReply) as late:
        service.write_together("a")

    assert isinstance(late.value.outcome, InternalServerError)
    with pytest.raises(TransactionConflictException):
        service.answer("PutItem", Item=key("a"))


def test_transactions_take_no_time_in_other_weather(now: list[float]) -> None:
    with Engine.memory(weather=Scenario(name="calm")) as engine:
        service = Service(now)
        service.engine = engine
        engine.answer(
            "CreateTable",
            {
                "TableName": "Tab",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        with prompt_calls():
            service.write_together("a")
            service.write_together("a")

    assert now == [100]
