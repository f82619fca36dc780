"""A stream's records become typed changes, and a failure is reported as Lambda expects."""

import asyncio
import logging
from base64 import b64encode
from datetime import UTC, datetime
from typing import Annotated, Any, assert_type

import pytest
from pydantic import Field
from tests.access.executors import stored_items

from sortkey import (
    DB,
    Entity,
    Keyring,
    LocalKey,
    Refused,
    Table,
    Unreadable,
    secret,
    unique,
)
from sortkey.access.stream_handler import StreamHandler
from sortkey.access.streams import Change, MissingImage, NotAStream, changes

TIME = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Shop(Table):
    pass


class Order(Entity, table=Shop):
    order_id: int
    status: str = "open"
    label: bytes = b""
    seals: set[bytes] = Field(default_factory=set[bytes])
    primary = Shop.primary.key("ORDER#{order_id:04d}", "ORDER")


class Customer(Entity, table=Shop):
    customer_id: str
    email: Annotated[str | None, unique] = None
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "CUSTOMER")


class Elsewhere(Table):
    pass


class Parcel(Entity, table=Elsewhere):
    parcel_id: str
    primary = Elsewhere.primary.key("PARCEL#{parcel_id}", "PARCEL")


Image = dict[str, dict[str, Any]]


def image(record: Entity) -> Image:
    return record.__kind__.encode(record)


def record(
    name: str,
    before: Entity | Image | None = None,
    after: Entity | Image | None = None,
    *,
    sequence: str = "1",
    view: str = "NEW_AND_OLD_IMAGES",
) -> dict[str, Any]:
    """A stream record as a Lambda function gets it."""
    old = image(before) if isinstance(before, Entity) else before
    new = image(after) if isinstance(after, Entity) else after
    happened: dict[str, Any] = {
        # DynamoDB does not keep the order of the key.
        "Keys": {key: (new or old or {})[key] for key in ("SK", "PK")},
        "SequenceNumber": sequence,
        "StreamViewType": view,
        "ApproximateCreationDateTime": TIME.timestamp(),
    }
    if old is not None and view in {"OLD_IMAGE", "NEW_AND_OLD_IMAGES"}:
        happened["OldImage"] = old
    if new is not None and view in {"NEW_IMAGE", "NEW_AND_OLD_IMAGES"}:
        happened["NewImage"] = new
    return {"eventName": name, "eventSource": "aws:dynamodb", "dynamodb": happened}


def event(*records: dict[str, Any]) -> dict[str, Any]:
    return {"Records": list(records)}


def only(raw: dict[str, Any]) -> Change[Entity]:
    [change] = changes(event(raw), Shop)
    return change


# Changes.


def test_a_change_has_the_record_before_and_after() -> None:
    before, after = Order(order_id=7), Order(order_id=7, status="paid")

    change = only(record("MODIFY", before, after, sequence="42"))

    assert list(change.keys) == ["PK", "SK"]
    assert change == Change(
        entity=Order,
        kind="changed",
        keys={"PK": "ORDER#0007", "SK": "ORDER"},
        before=before,
        after=after,
        expired=False,
        sequence="42",
        time=TIME,
        view="NEW_AND_OLD_IMAGES",
    )


def test_a_record_that_is_created_has_no_before_and_a_removed_one_no_after() -> None:
    order = Order(order_id=7)

    created, removed = only(record("INSERT", None, order)), only(record("REMOVE", order))

    assert (created.kind, created.before, created.after) == ("created", None, order)
    assert (removed.kind, removed.before, removed.after) == ("removed", order, None)
    with pytest.raises(MissingImage, match="Order ORDER#0007 / ORDER was created"):
        created.required_before()
    with pytest.raises(MissingImage, match="was removed, so it did not exist after"):
        removed.required_after()


@pytest.mark.parametrize(
    ("view", "has_before", "has_after"),
    [
        ("KEYS_ONLY", False, False),
        ("OLD_IMAGE", True, False),
        ("NEW_IMAGE", False, True),
        ("NEW_AND_OLD_IMAGES", True, True),
    ],
)
def test_every_view_type_has_the_entity_and_its_images(
    view: str, has_before: bool, has_after: bool
) -> None:
    before, after = Order(order_id=7), Order(order_id=7, status="paid")

    change = only(record("MODIFY", before, after, view=view))

    assert change.entity is Order
    assert change.before == (before if has_before else None)
    assert change.after == (after if has_after else None)


def test_a_missing_image_error_names_the_view_type_that_is_needed() -> None:
    change = only(record("MODIFY", Order(order_id=7), Order(order_id=7), view="KEYS_ONLY"))

    with pytest.raises(MissingImage, match="view type is KEYS_ONLY, and OLD_IMAGE or NEW_AND"):
        change.required_before()
    with pytest.raises(MissingImage, match="NEW_IMAGE or NEW_AND_OLD_IMAGES is needed"):
        change.required_after()


@pytest.mark.parametrize("spelling", [("principalId", "type"), ("PrincipalId", "Type")])
def test_a_record_that_expiry_removed_says_so(spelling: tuple[str, str]) -> None:
    removed = record("REMOVE", Order(order_id=7))
    values = ("dynamodb.amazonaws.com", "Service")

    assert only(removed | {"userIdentity": dict(zip(spelling, values, strict=True))}).expired
    assert not only(removed).expired


def test_a_record_is_the_same_whether_lambda_or_boto3_gives_it() -> None:
    order = Order(order_id=7, label=b"\x00\xff", seals={b"\x01"})
    from_lambda = record("INSERT", None, order)
    from_boto3 = record("INSERT", None, order)
    from_boto3["dynamodb"] |= {
        "ApproximateCreationDateTime": TIME,
        "NewImage": image(order) | {"label": {"B": b"\x00\xff"}, "seals": {"BS": [b"\x01"]}},
    }

    assert from_lambda["dynamodb"]["NewImage"]["label"] == {"B": b64encode(b"\x00\xff").decode()}
    assert only(from_lambda) == only(from_boto3)
    assert only(from_boto3).after == order


def test_bytes_inside_of_lists_and_maps_are_read_too() -> None:
    class Box(Entity, table=Shop):
        box_id: str
        parts: list[bytes]
        named: dict[str, bytes]
        primary = Shop.primary.key("BOX#{box_id}", "BOX")

    box = Box(box_id="b", parts=[b"\x00"], named={"a": b"\xff"})
    stored = image(box) | {"parts": {"L": [{"B": b"\x00"}]}, "named": {"M": {"a": {"B": b"\xff"}}}}

    assert only(record("INSERT", None, stored)).after == box


def test_locks_and_items_of_no_entity_are_left_out() -> None:
    [own, lock] = Customer(customer_id="c", email="a@x").create()._actions()
    assert own.step.item
    assert lock.step.item
    stranger: Image = {"PK": {"S": "X#1"}, "SK": {"S": "X"}, "_type": {"S": "Stranger"}}

    records = [record("INSERT", None, dict(item)) for item in (lock.step.item, own.step.item)]
    found = list(changes(event(*records, record("INSERT", None, stranger)), Shop))

    assert [change.entity for change in found] == [Customer]


def test_an_item_that_does_not_fit_its_entity_is_unreadable() -> None:
    broken = image(Order(order_id=7)) | {"status": {"N": "1"}}

    with pytest.raises(Unreadable, match="status"):
        only(record("INSERT", None, broken))


class Safe(Table):
    pass


class Card(Entity, table=Safe):
    card_id: str
    number: Annotated[str, secret]
    primary = Safe.primary.key("CARD#{card_id}", "CARD")


@pytest.fixture
def key() -> LocalKey:
    return LocalKey.new("2026")


@pytest.fixture
def sealed(key: LocalKey) -> dict[str, Any]:
    """An event about a card whose number is encrypted."""
    db = DB.memory(Safe, secrets=Keyring(key))
    db(Card(card_id="c", number="4111").create())
    [item] = stored_items(db, Safe)
    return event(record("INSERT", None, item))


def test_secrets_are_read_with_their_keys(sealed: dict[str, Any], key: LocalKey) -> None:
    numbers: list[str] = []
    handler = StreamHandler(Safe, secrets=Keyring(key))

    @handler.on(Card)
    def on_card(change: Change[Card]) -> None:
        numbers.append(change.required_after().number)

    assert handler(sealed) == {"batchItemFailures": []}
    assert numbers == ["4111"]
    [change] = changes(sealed, Safe, secrets=Keyring(key))
    assert change.after == Card(card_id="c", number="4111")


def test_without_their_keys_records_with_secrets_are_refused(sealed: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=r"Card\.number is secret"):
        list(changes(sealed, Safe))


@pytest.mark.parametrize(
    "wrong",
    [{"source": "aws.s3"}, {"Records": [{"eventSource": "aws:sqs", "body": "hello"}]}],
)
def test_an_event_of_another_source_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(NotAStream, match=r"Records|aws:sqs"):
        list(changes(wrong, Shop))


def test_the_stream_of_a_table_with_another_key_is_refused() -> None:
    class Users(Table, partition="userId"):
        pass

    with pytest.raises(NotAStream, match="has the key SK, PK, and Users has userId"):
        list(changes(event(record("INSERT", None, Order(order_id=1))), Users))


# A Lambda function.


@pytest.fixture
def handler() -> StreamHandler:
    return StreamHandler(Shop)


def test_each_change_goes_to_the_functions_of_its_entity_in_order(handler: StreamHandler) -> None:
    seen: list[str] = []

    @handler.on(Order)
    def on_order(change: Change[Order]) -> None:
        assert_type(change.required_after(), Order)
        seen.append(f"order {change.required_after().order_id}")

    @handler.on(Order)
    def also_on_order(change: Change[Order]) -> None:
        seen.append(f"also {change.sequence}")

    @handler.on(Customer)
    def on_customer(change: Change[Customer]) -> None:
        seen.append(f"customer {change.required_after().customer_id}")

    answer = handler(
        event(
            record("INSERT", None, Order(order_id=1), sequence="1"),
            record("INSERT", None, Customer(customer_id="c"), sequence="2"),
            record("INSERT", None, Order(order_id=2), sequence="3"),
        ),
        None,
    )

    assert answer == {"batchItemFailures": []}
    assert seen == ["order 1", "also 1", "customer c", "order 2", "also 3"]


def test_the_first_failure_is_reported_and_nothing_after_it_is_handled(
    handler: StreamHandler, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[int] = []

    @handler.on(Order)
    def on_order(change: Change[Order]) -> None:
        seen.append(change.required_after().order_id)
        if change.required_after().order_id == 2:
            raise ValueError("no such price")

    records = [record("INSERT", None, Order(order_id=n), sequence=f"s{n}") for n in (1, 2, 3)]

    with caplog.at_level(logging.ERROR):
        answer = handler(event(*records), None)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "s2"}]}
    assert seen == [1, 2]
    assert "stream record s2 of Shop failed" in caplog.text
    assert "no such price" in caplog.text


def test_an_item_that_cannot_be_read_is_a_failure_and_is_never_passed_over(
    handler: StreamHandler, caplog: pytest.LogCaptureFixture
) -> None:
    @handler.on(Order)
    def on_order(_change: Change[Order]) -> None:
        pytest.fail("it was handled")

    broken = image(Order(order_id=7)) | {"status": {"N": "1"}}

    answer = handler(event(record("INSERT", None, broken, sequence="s1")), None)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "s1"}]}
    assert "Unreadable" in caplog.text


def test_an_entity_without_a_function_is_passed_over_unread(handler: StreamHandler) -> None:
    broken = image(Order(order_id=7)) | {"status": {"N": "1"}}

    assert handler(event(record("INSERT", None, broken)), None) == {"batchItemFailures": []}


def test_everything_else_goes_to_the_function_for_it_but_locks_do_not(
    handler: StreamHandler,
) -> None:
    others: list[dict[str, Any]] = []

    @handler.on(Order)
    def on_order(_change: Change[Order]) -> None:
        pass

    @handler.otherwise
    def on_other(raw: dict[str, Any]) -> None:
        others.append(raw)

    [own, lock] = Customer(customer_id="c", email="a@x").create()._actions()
    stranger: Image = {"PK": {"S": "X#1"}, "SK": {"S": "X"}, "_type": {"S": "Stranger"}}
    assert own.step.item
    assert lock.step.item
    customer = record("INSERT", None, dict(own.step.item))
    strange = record("INSERT", None, stranger)

    handler(
        event(
            record("INSERT", None, Order(order_id=1)),
            customer,
            record("INSERT", None, dict(lock.step.item)),
            strange,
        )
    )

    assert others == [customer, strange]


def test_a_function_with_other_parameters_gets_the_change_alone(handler: StreamHandler) -> None:
    seen: list[object] = []

    @handler.on(Order)
    def with_a_default(change: Change[Order], times: int = 1) -> None:
        seen.extend([change.sequence] * times)

    @handler.on(Order)
    def with_any(*arguments: Change[Order], **_named: object) -> None:
        seen.extend(change.sequence for change in arguments)

    assert handler(event(record("INSERT", None, Order(order_id=1)))) == {"batchItemFailures": []}
    assert len(seen) == 2


def test_functions_that_are_awaited_run_in_order_on_one_loop(handler: StreamHandler) -> None:
    seen: list[tuple[int, asyncio.AbstractEventLoop]] = []

    @handler.on(Order)
    async def on_order(change: Change[Order]) -> None:
        await asyncio.sleep(0)
        if change.required_after().order_id == 3:
            raise ValueError("three")
        seen.append((change.required_after().order_id, asyncio.get_running_loop()))

    records = [record("INSERT", None, Order(order_id=n), sequence=f"s{n}") for n in (1, 2, 3)]

    assert handler(event(*records)) == {"batchItemFailures": [{"itemIdentifier": "s3"}]}
    assert [number for number, _ in seen] == [1, 2]
    assert seen[0][1] is seen[1][1]


def test_an_entity_of_another_table_is_refused(handler: StreamHandler) -> None:
    with pytest.raises(Refused, match="Parcel is stored in Elsewhere"):
        handler.on(Parcel)


def test_an_event_of_something_else_fails_as_a_whole(handler: StreamHandler) -> None:
    with pytest.raises(NotAStream):
        handler({"source": "aws.s3"}, None)
