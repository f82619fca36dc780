"""What sortkey stores follows its design; a changed key, type or expiry does not."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.access.executors import stored_items

from sortkey import (
    DB,
    TTL,
    CreatedAt,
    Entity,
    Keyring,
    LocalKey,
    Stored,
    Table,
    Version,
    auto,
    gsi,
    lsi,
    number,
    secret,
    unique,
)
from sortkey.access.filling import fill
from sortkey.check.model import Model
from sortkey.check.rules import RULES
from sortkey.check.samples.reading import samples_of
from sortkey.design.declaring.design import Design, design_of
from sortkey.design.declaring.loader import load_design
from sortkey.design.findings import Finding
from sortkey.testing import clock
from sortkey.wire.values import AttributeValue, Item

# Each example is stored and judged by every rule about samples.
FEW = settings(max_examples=30)
KEYS = Keyring(LocalKey("test", b"0" * 32))
NOW = datetime(2026, 3, 1, tzinfo=UTC)


class State(StrEnum):
    OPEN = "open"
    PAID = "paid"


class Line(BaseModel):
    product: str
    count: int
    labels: frozenset[str] = frozenset()


class Shop(Table, ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "placed")
    by_total = lsi(number("total"))


class Order(Entity, table=Shop):
    customer_id: Annotated[str, Stored("customerId")]
    number: int
    placed: datetime
    day: date
    total: Decimal
    state: State | None = None
    tags: frozenset[str] = frozenset()
    lines: tuple[Line, ...] = ()
    seal: bytes = b""
    email: Annotated[str, unique]
    token: Annotated[str, secret]
    created_at: CreatedAt = auto()
    expires: TTL | None = None
    version: Version = 0
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "ORDER#{placed:%Y-%m}#{number:06d}")
    by_state = Shop.gsi1.key("STATE#{state}", "{placed}#{number:06d}")
    by_day = Shop.gsi2.key("DAY#{day}", "{placed}", shards=3)
    by_total = Shop.by_total.key()


class Count(Entity, table=Shop):
    page: str
    visitor: str
    primary = Shop.primary.key("PAGE#{page}", "VISITOR#{visitor}", shards=4)


def _renamed(item: dict[str, Any]) -> dict[str, Any]:
    item["text"] = item.pop("body")
    return item


class Note(Entity, table=Shop, upcasts=(_renamed,)):
    note_id: str
    text: str
    primary = Shop.primary.key("NOTE#{note_id}", "NOTE")


class Readings(Table, partition="sensor", sort=number("at")):
    by_kind = gsi("kind", number("at"))


class Reading(Entity, table=Readings):
    sensor: str
    at: int
    kind: str | None = None
    value: float
    primary = Readings.primary.key()
    of_kind = Readings.by_kind.key()


def design() -> Design:
    module = ModuleType("stored")
    for name in ("Shop", "Order", "Count", "Note", "Readings", "Reading"):
        setattr(module, name, globals()[name])
    return design_of("stored", [module])


DESIGN = design()
WORDS = st.text("abcäßé 0123-_.", min_size=1, max_size=8)
TIMES = st.datetimes(datetime(2020, 1, 1), datetime(2025, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
LINES = st.builds(
    Line, product=WORDS, count=st.integers(0, 9), labels=st.frozensets(WORDS, max_size=2)
)
ORDERS = st.builds(
    Order,
    customer_id=WORDS,
    number=st.integers(0, 999_999),
    placed=TIMES,
    day=TIMES.map(datetime.date),
    total=st.decimals(0, 10**6, places=2),
    state=st.none() | st.sampled_from(State),
    tags=st.frozensets(WORDS, max_size=2),
    lines=st.lists(LINES, max_size=2).map(tuple),
    seal=st.binary(max_size=9),
    email=WORDS,
    token=WORDS,
    created_at=TIMES,
    expires=st.none() | TIMES.map(lambda at: at + timedelta(days=3_000)),
)
RECORDS = st.one_of(
    ORDERS,
    st.builds(Count, page=WORDS, visitor=WORDS),
    st.builds(Note, note_id=WORDS, text=WORDS),
    st.builds(
        Reading,
        sensor=WORDS,
        at=st.integers(0, 10**9),
        kind=st.none() | WORDS,
        value=st.integers(0, 10**6).map(lambda tenths: tenths / 10),
    ),
)


def stored(records: Sequence[Entity]) -> list[Item]:
    with clock(NOW.timestamp), DB.memory(Shop, Readings, secrets=KEYS) as db:
        for record in records:
            db(record.create())
        return [*stored_items(db, Shop), *stored_items(db, Readings)]


def findings(of: Design, items: Sequence[Mapping[str, Any]]) -> list[Finding]:
    model = Model(of, samples=samples_of(items))
    return [found for rule in RULES if rule.code.startswith("SK95") for found in rule.find(model)]


def plain(value: AttributeValue) -> Any:
    """A value as plain JSON has it: sets as lists, binaries as text."""
    ((kind, raw),) = value.items()
    match kind:
        case "N":
            return float(raw) if "." in raw else int(raw)
        case "NULL":
            return None
        case "NS":
            return [int(each) for each in raw]
        case "L":
            return [plain(each) for each in raw]
        case "M":
            return {name: plain(each) for name, each in raw.items()}
        case _:
            return raw


def of_kind(items: Sequence[Item], name: str) -> Item:
    """The one record of an entity; the lock of a unique field is left out."""
    [item] = [item for item in items if item.get("_type") == {"S": name}]
    return item


@FEW
@given(record=RECORDS)
def test_what_is_stored_gives_no_finding(record: Entity) -> None:
    items = stored([record])

    assert findings(DESIGN, items) == []
    assert (
        findings(DESIGN, [{n: v for n, v in item.items() if n != "_type"} for item in items]) == []
    )
    assert findings(DESIGN, [{n: plain(v) for n, v in item.items()} for item in items]) == []


@pytest.mark.parametrize(
    "system", ["agentcore", "commitcollect", "gymcoach", "oneonone", "shuttle"]
)
def test_what_a_system_stores_gives_no_finding(system: str) -> None:
    made = import_module(f"sortkey_systems.{system}.generator")
    loaded = load_design(import_module(f"sortkey_systems.{system}.design"))
    with DB.memory(*made.TABLES, secrets=KEYS) as db:
        for group in made.records(3):
            fill(db, group)
        items = [item for table in made.TABLES for item in stored_items(db, table)]

    assert items
    assert findings(loaded, items) == []
    assert findings(loaded, [{n: plain(v) for n, v in item.items()} for item in items]) == []


ORDER = Order(
    customer_id="c",
    number=1,
    placed=NOW,
    day=NOW.date(),
    total=Decimal(1),
    email="e",
    token="t",
)
KEY_ATTRIBUTES = ("PK", "SK", "GSI1PK", "GSI1SK")


@FEW
@given(order=ORDERS, data=st.data())
def test_a_changed_key_is_found_and_named(order: Order, data: st.DataObject) -> None:
    item = of_kind(stored([order]), "Order")
    name = data.draw(st.sampled_from([name for name in KEY_ATTRIBUTES if name in item]))
    text = item[name]["S"]
    at = data.draw(st.integers(0, len(text) - 1))
    changed = data.draw(st.sampled_from([text[:at], text[:at] + "~" + text[at + 1 :], text + "~"]))

    found = findings(DESIGN, [item | {name: {"S": changed}}])

    assert any(f"{name} " in finding.message or f'"{name}"' in finding.message for finding in found)


FIELDS = ("customerId", "number", "placed", "day", "total", "tags", "lines", "seal", "version")


@FEW
@given(order=ORDERS, name=st.sampled_from(FIELDS))
def test_a_changed_type_is_found_and_named(order: Order, name: str) -> None:
    item = of_kind(stored([order]), "Order")

    found = findings(DESIGN, [item | {name: {"BOOL": True}}])

    assert any(f'"{name}"' in finding.message and "BOOL" in finding.message for finding in found)


@FEW
@given(order=ORDERS, name=st.sampled_from(("customerId", "day", "total", "email")))
def test_a_missing_attribute_is_found_and_named(order: Order, name: str) -> None:
    item = of_kind(stored([order]), "Order")
    del item[name]

    field = {"customerId": "customer_id"}.get(name, name)
    assert any(
        f'"{name}"' in finding.message or f'"{field}"' in finding.message
        for finding in findings(DESIGN, [item])
    )


def _expiries(created: datetime) -> Iterator[AttributeValue]:
    yield {"S": "1893456000"}
    yield {"N": "1893456000000"}
    yield {"N": "3600"}
    yield {"N": str(int(created.timestamp()) - 1)}


@FEW
@given(order=ORDERS, kind=st.integers(0, 3))
def test_a_changed_expiry_is_found_and_named(order: Order, kind: int) -> None:
    item = of_kind(stored([order]), "Order")

    found = findings(DESIGN, [item | {"expires": list(_expiries(order.created_at))[kind]}])

    assert any(finding.message.startswith('"expires" is ') for finding in found)


def test_a_record_in_another_shard_is_found() -> None:
    item = of_kind(stored([Count(page="a", visitor="b")]), "Count")
    others = [f"PAGE#a#{shard}" for shard in (1, 2, 3, 4)] + ["PAGE#a"]
    others.remove(item["PK"]["S"])

    for other in others:
        [finding] = findings(DESIGN, [item | {"PK": {"S": other}}])
        assert f'is in another shard than its key selects: "{item["PK"]["S"]}"' in finding.message


def test_a_shard_of_an_index_may_be_any_that_is_read() -> None:
    item = of_kind(stored([ORDER]), "Order")

    for shard in (1, 2):
        assert findings(DESIGN, [item | {"GSI2PK": {"S": f"DAY#2026-03-01#{shard}"}}]) == []
    [finding] = findings(DESIGN, [item | {"GSI2PK": {"S": "DAY#2026-03-01#3"}}])
    assert "is in shard 3, but the last is 2" in finding.message


def test_an_earlier_shape_is_read_as_the_present_one() -> None:
    early = {"PK": "NOTE#1", "SK": "NOTE", "note_id": "1", "body": "x"}

    assert findings(DESIGN, [early]) == []
    [finding] = findings(DESIGN, [{name: value for name, value in early.items() if name != "body"}])
    assert "upcasting from shape 1 raised KeyError" in finding.message


def test_a_secret_is_neither_compared_nor_shown() -> None:
    item = of_kind(stored([ORDER]), "Order")

    assert findings(DESIGN, [item | {"token": {"S": "in clear"}}]) == []
    assert "in clear" not in str(
        findings(DESIGN, [item | {"token": {"S": "in clear"}, "number": {"S": "x"}}])
    )
    [finding] = findings(DESIGN, [{name: value for name, value in item.items() if name != "token"}])
    assert 'it lacks "token"' in finding.message
