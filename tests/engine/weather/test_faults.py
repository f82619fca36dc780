"""Faults happen to the requests that they are for, before or after the effect."""

from contextlib import suppress
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.promptness import TakesLong, prompt_calls
from sortkey.engine.weather import ConnectionReset, Fault, LateReply, Scenario, ScenarioError
from sortkey.engine.weather.faults import FaultKind
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    InternalServerError,
    ResourceNotFoundException,
    ServiceError,
)

TABLE = {
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
WRITING = ("PutItem", "BatchWriteItem", "TransactWriteItems")


class Service:
    """An engine with two tables and these faults."""

    def __init__(self, *faults: Fault, seed: int = 0) -> None:
        weather = Scenario(name="test", throttling=False, faults=faults, seed=seed)
        self.engine = Engine.memory(clock=lambda: 1e9, weather=weather)
        for name in ("Orders", "Other"):
            self.engine.answer("CreateTable", TABLE | {"TableName": name})

    def answer(self, operation: str, **request: Any) -> dict[str, Any]:
        return self.engine.answer(operation, {"TableName": "Orders", **request})

    def put(self, pk: str = "a", sk: str = "1", table: str = "Orders", **more: Any) -> None:
        self.answer("PutItem", TableName=table, Item=key(pk, sk), **more)

    @property
    def stored(self) -> list[str]:
        return [item["sk"]["S"] for item in self.answer("Scan", ConsistentRead=True)["Items"]]

    @property
    def events(self) -> list[tuple[str, str, str]]:
        assert self.engine.weather is not None
        return [
            (event.operation, event.what, event.resource) for event in self.engine.weather.timeline
        ]


def key(pk: str, sk: str) -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def always(kind: FaultKind, *operations: str, **more: Any) -> Fault:
    return Fault(kind=kind, share=1, operations=operations, **more)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that requests waited, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr("sortkey.engine.weather.faults.time.sleep", waited.append)
    return waited


# -- before and after the effect ------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "error", "is_stored"),
    [
        ("error-before", InternalServerError, False),
        ("error-after", InternalServerError, True),
        ("lost-request", ConnectionReset, False),
        ("lost-response", ConnectionReset, True),
    ],
)
def test_a_fault_is_before_or_after_the_effect(
    kind: FaultKind, error: type[Exception], is_stored: bool
) -> None:
    service = Service(always(kind, *WRITING))

    with pytest.raises(error):
        service.put("a", "1")
    with pytest.raises(error):
        service.engine.answer(
            "TransactWriteItems",
            {"TransactItems": [{"Put": {"TableName": "Orders", "Item": key("a", "2")}}]},
        )
    requests = [{"PutRequest": {"Item": key("a", "3")}}]
    with pytest.raises(error):
        service.engine.answer("BatchWriteItem", {"RequestItems": {"Orders": requests}})

    assert service.stored == (["1", "2", "3"] if is_stored else [])
    assert service.events == [
        ("PutItem", kind, "Orders"),
        ("TransactWriteItems", kind, "Orders"),
        ("BatchWriteItem", kind, "Orders"),
    ]


def test_a_rejection_can_be_lost_and_is_otherwise_the_response() -> None:
    rejected = {"ConditionExpression": "attribute_exists(pk)"}

    with pytest.raises(ConnectionReset):
        Service(always("lost-response", "PutItem")).put(**rejected)
    with pytest.raises(ConditionalCheckFailedException):
        Service(always("error-after", "PutItem")).put(**rejected)


def test_a_delayed_response_is_that_of_the_request(pauses: list[float]) -> None:
    service = Service(always("latency", "PutItem", seconds=0.25))

    service.put("a", "1")
    with pytest.raises(ConditionalCheckFailedException):
        service.put("a", "1", ConditionExpression="attribute_not_exists(pk)")

    assert pauses == [0.25, 0.25]
    assert service.stored == ["1"]


def test_delays_add_up(pauses: list[float]) -> None:
    Service(always("latency", seconds=0.25), always("latency", seconds=1.0)).put()

    assert pauses == [1.25] * 3


def test_an_event_loop_gets_the_reply_and_waits_itself(pauses: list[float]) -> None:
    service = Service(always("latency", "PutItem", seconds=0.25))

    with pytest.raises(LateReply) as late:
        service.engine.reply_at_once("PutItem", {"TableName": "Orders", "Item": key("a", "1")})

    assert (late.value.seconds, late.value.outcome, pauses) == (0.25, b"{}", [])
    assert service.stored == ["1"]


# -- short pages ----------------------------------------------------------------------------


def filled(*faults: Fault) -> Service:
    service = Service(*faults)
    for number in range(5):
        service.put("a", str(number))
    return service


@pytest.mark.parametrize("operation", ["Query", "Scan"])
def test_a_short_page_has_one_item_and_says_where_to_go_on(operation: str) -> None:
    service = filled(always("short-page"))
    condition = {
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "a"}},
    }
    request: dict[str, Any] = {"Limit": 4} | (condition if operation == "Query" else {})

    found: list[str] = []
    while True:
        page = service.answer(operation, **request)
        found += [item["sk"]["S"] for item in page["Items"]]
        assert page["Count"] <= 1
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    assert found == ["0", "1", "2", "3", "4"]


def test_a_short_batch_is_processed_up_to_its_first_item() -> None:
    service = Service(always("short-page"))
    puts = [{"PutRequest": {"Item": key("a", str(number))}} for number in range(3)]
    more = [{"PutRequest": {"Item": key("b", "9")}}]
    wanted = {"Orders": puts, "Other": more}

    left = service.engine.answer("BatchWriteItem", {"RequestItems": wanted})["UnprocessedItems"]

    assert left == {"Orders": puts[1:], "Other": more}
    service.engine.answer("BatchWriteItem", {"RequestItems": {"Orders": puts[1:2]}})
    keys = {"Orders": {"Keys": [key("a", str(number)) for number in range(3)]}}
    answer = service.engine.answer("BatchGetItem", {"RequestItems": keys})
    assert answer["Responses"] == {"Orders": [key("a", "0")]}
    assert answer["UnprocessedKeys"] == {"Orders": {"Keys": keys["Orders"]["Keys"][1:]}}


def test_other_requests_have_no_pages() -> None:
    service = filled(always("short-page"))

    assert service.answer("GetItem", Key=key("a", "1")) == {"Item": key("a", "1")}
    assert service.events == []


# -- which requests -------------------------------------------------------------------------


def test_a_fault_is_for_its_operations_and_tables_only() -> None:
    service = Service(always("error-before", "PutItem", "BatchGetItem", tables=("Orders",)))

    service.put(table="Other")
    service.answer("DeleteItem", Key=key("a", "1"))
    arn = service.answer("DescribeTable")["Table"]["TableArn"]
    for table in ("Orders", arn):
        with pytest.raises(InternalServerError):
            service.put(table=table)
    keys = {"Keys": [key("a", "1")]}
    with pytest.raises(InternalServerError):
        service.engine.answer("BatchGetItem", {"RequestItems": {"Other": keys, "Orders": keys}})


def test_a_request_without_a_table_is_shown_without_one(caplog: pytest.LogCaptureFixture) -> None:
    service = Service(always("error-before", "ListTables"))
    with caplog.at_level("INFO"), pytest.raises(InternalServerError):
        service.engine.answer("ListTables", {})

    assert service.engine.weather is not None
    [event] = service.engine.weather.timeline
    assert event.shown() == "request 3, ListTables: error-before"
    assert caplog.messages == ["ListTables: error-before"]


def test_a_share_of_the_requests_fails() -> None:
    service = Service(Fault(kind="error-before", share=0.2, operations=("PutItem",)))
    failed = 0
    for _ in range(2_000):
        try:
            service.put()
        except InternalServerError:
            failed += 1

    assert 350 < failed < 450


def test_administration_never_fails() -> None:
    service = Service(always("error-before", tables=("Third",)))

    with pytest.raises(ResourceNotFoundException):
        service.answer("SplitPartition", TableName="Third")
    assert service.engine.answer("DescribeWeather", {})["Events"] == []


@pytest.mark.parametrize(
    ("kind", "operation", "message"),
    [
        ("error-before", "MoveClock", "error-before cannot happen to MoveClock$"),
        ("short-page", "PutItem", "cannot happen to PutItem; it can to .*Query and Scan$"),
    ],
)
def test_a_fault_that_cannot_happen_is_refused(
    kind: FaultKind, operation: str, message: str
) -> None:
    with pytest.raises(ScenarioError, match=message):
        Service(always(kind, operation))


def test_a_misspelt_operation_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"operation PutItme, .* did you mean PutItem\?"):
        Service(always("error-before", "PutItme"))


def test_a_malformed_request_is_rejected_as_always() -> None:
    service = Service(Fault(kind="error-before", share=0.0), always("short-page"))

    bodies: list[Any] = [{}, {"TableName": 7}, {"RequestItems": [], "TransactItems": {"a": 1}}]
    for body in bodies:
        for operation in ("PutItem", "Scan", "BatchGetItem", "TransactWriteItems"):
            with pytest.raises(ServiceError):
                service.engine.answer(operation, body)


# -- counted --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["error-before", "error-after"])
def test_an_error_is_a_system_error_of_its_operation(kind: FaultKind) -> None:
    service = Service(always(kind, "PutItem"))
    with suppress(InternalServerError):
        service.put()

    metrics = service.engine.answer("DescribeMeters", {})["Metrics"]

    [errors] = [each for each in metrics if each["MetricName"] == "SystemErrors"]
    assert errors["Dimensions"] == {"TableName": "Orders", "Operation": "PutItem"}
    assert errors["Total"]["Sum"] == 1


@pytest.mark.parametrize("kind", ["lost-request", "lost-response", "latency"])
def test_what_the_network_does_is_no_error_of_the_service(
    pauses: list[float], kind: FaultKind
) -> None:
    more = {"seconds": 0.1} if kind == "latency" else {}
    service = Service(always(kind, "PutItem", **more))
    with suppress(ConnectionReset):
        service.put()

    metrics = service.engine.answer("DescribeMeters", {})["Metrics"]

    assert "SystemErrors" not in {each["MetricName"] for each in metrics}


# -- reproducible ---------------------------------------------------------------------------

MIXED = (
    Fault(kind="error-before", share=0.1, operations=("PutItem", "Scan")),
    Fault(kind="lost-response", share=0.1, operations=("PutItem",)),
    Fault(kind="short-page", share=0.5),
)


def timeline(seed: int, *faults: Fault) -> list[Any]:
    service = Service(*faults, seed=seed)
    for number in range(200):
        with suppress(InternalServerError, ConnectionReset):
            service.put("a", str(number))
        with suppress(InternalServerError):
            service.answer("Scan")
    assert service.engine.weather is not None
    return list(service.engine.weather.timeline)


def test_one_seed_has_one_timeline() -> None:
    first = timeline(1, *MIXED)

    assert first == timeline(1, *MIXED)
    assert first != timeline(2, *MIXED)
    assert {event.what for event in first} == {fault.kind for fault in MIXED}


def test_a_fault_does_not_depend_on_the_others() -> None:
    def errors(*faults: Fault) -> list[int]:
        return [event.request for event in timeline(1, *faults) if event.what == "error-before"]

    assert errors(*MIXED) == errors(MIXED[0]) != []


def test_a_request_that_an_event_loop_repeats_has_one_fate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sortkey.engine.promptness.MOST_STEPS", 1_000)

    def lost(*, is_repeated: bool) -> list[bool]:
        service = Service(Fault(kind="lost-response", share=0.5, operations=("PutItem",)))
        text = {"S": "x" * 300_000}
        service.answer("UpdateItem", Key=key("a", "1"), **setting(text))
        request = {
            "TableName": "Orders",
            "Item": key("a", "1") | {"text": text},
            "ConditionExpression": "#t = :t",
            "ExpressionAttributeNames": {"#t": "text"},
            "ExpressionAttributeValues": {":t": text},
        }
        found: list[bool] = []
        for _ in range(30):
            if is_repeated:
                with prompt_calls(), pytest.raises(TakesLong):
                    service.engine.reply("PutItem", request)
            try:
                service.engine.reply("PutItem", request)
            except ConnectionReset:
                found.append(True)
            else:
                found.append(False)
        assert len(service.events) == sum(found)
        return found

    assert lost(is_repeated=True) == lost(is_repeated=False)
    assert set(lost(is_repeated=True)) == {True, False}


def setting(text: dict[str, str]) -> dict[str, Any]:
    return {
        "UpdateExpression": "SET #t = :t",
        "ExpressionAttributeNames": {"#t": "text"},
        "ExpressionAttributeValues": {":t": text},
    }
