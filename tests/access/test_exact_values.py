"""A value is read exactly as it was stored, or refused with the name of its field."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from tests.access.executors import stored_items

from sortkey import DB, Entity, Refused, SortkeyError, Stored, Table, gsi


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Circle(BaseModel):
    shape: Literal["circle"] = "circle"
    radius: Decimal


class Square(BaseModel):
    shape: Literal["square"] = "square"
    side: Annotated[int, Stored("sideLength")]
    label: str | None = None


class Inner(BaseModel):
    text: str | None
    numbers: list[Decimal | None]
    tags: frozenset[str] = frozenset()
    deeper: "Inner | None" = None


class Store(Table, name="{environment}-Store"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Parcel(Entity, table=Store):
    parcel_id: str
    price: Decimal = Decimal(0)
    ratio: float = 0.0
    count: int = 0
    flag: bool | None = None
    text: str = ""
    note: str | None = "none given"
    blob: bytes = b""
    when: datetime | None = None
    day: date | None = None
    span: timedelta | None = None
    uid: UUID | None = None
    colour: Colour = Colour.RED
    labels: set[str] = Field(default_factory=set[str])
    required_labels: set[str]
    numbers: set[Decimal] = Field(default_factory=set[Decimal])
    blobs: frozenset[bytes] = frozenset()
    lines: list[str | None] = Field(default_factory=list[str | None])
    pair: tuple[int, str] = (0, "")
    attributes: dict[str, str | None] = Field(default_factory=dict[str, str | None])
    anything: Any = None
    inner: Inner | None = None
    figure: Annotated[Circle | Square, Field(discriminator="shape")] | None = None
    figures: list[Annotated[Circle | Square, Field(discriminator="shape")]] = Field(
        default_factory=list[Circle | Square]
    )

    primary = Store.primary.key("PARCEL#{parcel_id}", "PARCEL")
    by_day = Store.gsi1.key("COLOUR#{colour}", "{day}#{price:020.4f}")


def parcel(**fields: Any) -> Parcel:
    return Parcel.model_validate({"parcel_id": "p", "required_labels": set()} | fields)


@pytest.fixture
def store(opened: Callable[..., DB]) -> DB:
    return opened(Store)


EXACT: dict[str, dict[str, Any]] = {
    "a decimal of 25 digits": {"price": Decimal("1234567890.123456789012345")},
    "a decimal of 38 digits": {"price": Decimal("-1.2345678901234567890123456789012345678")},
    "the largest number": {"price": Decimal("9.9999999999999999999999999999999999999E+125")},
    "the smallest number": {"price": Decimal("1E-130")},
    "a whole number of 38 digits": {"count": 10**38 - 1},
    "a float that is no short decimal": {"ratio": 0.1 + 0.2},
    "a float with an exponent": {"ratio": -1.7976931348623157e-100},
    "an empty text": {"text": "", "note": ""},
    "none instead of a default": {"note": None},
    "an empty binary": {"blob": b""},
    "a binary of 300 KB": {"blob": bytes(range(256)) * 1200},
    "empty sets": {"labels": set(), "required_labels": set(), "numbers": set()},
    "a set with an empty text": {"labels": {""}, "blobs": frozenset({b""})},
    "none in a list and in a map": {"lines": [None, "", None], "attributes": {"a": None, "b": ""}},
    "none deep inside": {
        "inner": Inner(text=None, numbers=[None], deeper=Inner(text=None, numbers=[]))
    },
    "characters beyond the first plane": {"text": "\U0001f600\U0010ffff", "lines": ["\U0001d11e"]},
    "a null character and a line's end": {"text": "\x00\r\n\u2028\ufeff"},
    "reserved words": {"attributes": {"name": "x", "a.b": "y", "#n": "z", "size[0]": "w"}},
    "a time with microseconds": {"when": datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC)},
    "a time of another zone": {
        "when": datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=-5, minutes=-30)))
    },
    "the first and the last day": {"day": date.min, "when": datetime.max.replace(tzinfo=UTC)},
    "an enum, a tuple and a span": {
        "colour": Colour.BLUE,
        "pair": (-1, "x"),
        "span": timedelta(days=-1, microseconds=1),
    },
    "a UUID": {"uid": UUID(int=2**128 - 1)},
    "true, false and none": {"flag": False},
    "one of several models": {"figure": Square(side=3), "figures": [Circle(radius=Decimal("0.1"))]},
    "anything": {"anything": {"deep": [{"n": None, "f": False}, [], {}, "", b"\x00"]}},
}


@pytest.mark.parametrize("fields", EXACT.values(), ids=EXACT.keys())
def test_it_comes_back_exactly(store: DB, fields: dict[str, Any]) -> None:
    given_record = parcel(**fields)
    store(given_record.put())
    back = store(Parcel.get(parcel_id="p").required())

    assert back == given_record
    for name in fields:
        assert type(getattr(back, name)) is type(getattr(given_record, name))
    assert store(Parcel.scan()) == [given_record]


@pytest.mark.parametrize("name", ["price", "text", "blob", "lines", "inner", "labels", "figure"])
def test_an_update_writes_a_field_as_a_put_does(store: DB, name: str) -> None:
    fields = {key: value for some in EXACT.values() for key, value in some.items()}
    if name == "blob":
        fields[name] = b"\x00\xff"
    elif name == "labels":
        fields[name] = {"", "x"}
    whole = store(parcel(parcel_id="whole", **{name: fields[name]}).put())
    part = store(parcel(parcel_id="part").put())
    store(part.update().set(lambda p: getattr(p, name)).to(getattr(whole, name)))

    stored = {item["parcel_id"]["S"]: item for item in stored_items(store, Store)}
    assert stored["part"][name] == stored["whole"][name]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a naive time": ({"when": datetime(2024, 1, 1)}, "when"),  # noqa: DTZ001 - the point
    "half a surrogate pair": ({"text": "\ud83d"}, "text"),
    "half a pair inside a list": ({"lines": ["a", "\ude00"]}, "lines"),
    "half a pair as a map's key": ({"attributes": {"\ud83d": "x"}}, "attributes"),
    "a number of 39 digits": ({"price": Decimal(10**38 + 1)}, "price"),
    "a number too large": ({"price": Decimal("1E+126")}, "price"),
    "a number too small": ({"price": Decimal("1E-131")}, "price"),
    "a whole number too large": ({"count": 10**38 + 1}, "count"),
    "no number": ({"ratio": float("nan")}, "ratio"),
    "no finite number": ({"ratio": float("inf")}, "ratio"),
    "a float out of range": ({"ratio": 1e300}, "ratio"),
    "no decimal number": ({"price": Decimal("NaN")}, "price"),
    "something without a stored form": ({"anything": {"deep": [object()]}}, "anything"),
}


@pytest.mark.parametrize(("fields", "name"), REFUSED.values(), ids=REFUSED.keys())
def test_it_is_refused_by_its_field(fields: dict[str, Any], name: str) -> None:
    [(field, value)] = fields.items()
    record = parcel().model_copy(update={field: value})
    with DB.memory(Store) as store:
        with pytest.raises(Refused, match=rf"Parcel\.{name}"):
            store(record.put())
        with pytest.raises(Refused, match=rf"Parcel\.{name}"):
            store(parcel().update().set(lambda p: getattr(p, field)).to(value))
        assert stored_items(store, Store) == []


def test_what_is_too_large_is_refused_with_its_key_and_largest_field(
    opened: Callable[..., DB],
) -> None:
    store = opened(Store)
    large = parcel().model_copy(update={"blob": bytes(401 * 1024)})
    message = r"^Parcel PARCEL#p / PARCEL: .*size; the largest attribute is blob: 410,\d{3} bytes"
    with pytest.raises(SortkeyError, match=message):
        store(large.put())
    with pytest.raises(SortkeyError, match=message):
        store.transact(Parcel.delete(parcel_id="2"), large.put())
    assert stored_items(store, Store) == []
    small = store(parcel().put())
    with pytest.raises(SortkeyError, match=message):
        store(small.update().set(lambda p: p.blob).to(large.blob))


def test_a_value_of_the_wrong_type_is_refused_by_its_field() -> None:
    with pytest.raises(Refused, match=r"Parcel\.count cannot be 'many'"):
        parcel().update().set(lambda p: p.count).to("many")._actions()  # pyright: ignore[reportArgumentType]


def _decimals() -> st.SearchStrategy[Decimal]:
    digits = st.integers(-(10**38) + 1, 10**38 - 1)
    return st.builds(Decimal.scaleb, digits.map(Decimal), st.integers(-80, 80))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = TEXTS.filter(bool)
MOMENTS = st.datetimes(timezones=st.just(UTC))
FIGURES = st.one_of(
    st.builds(Circle, radius=_decimals()),
    st.builds(Square, side=st.integers(-(10**30), 10**30), label=st.none() | TEXTS),
)
INNER = st.recursive(
    st.none(),
    lambda deeper: st.builds(
        Inner,
        text=st.none() | TEXTS,
        numbers=st.lists(st.none() | _decimals(), max_size=3),
        tags=st.frozensets(TEXTS, max_size=3),
        deeper=deeper,
    ),
    max_leaves=3,
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | TEXTS | st.binary(max_size=8),
    lambda some: st.lists(some, max_size=3) | st.dictionaries(NAMES, some, max_size=3),
    max_leaves=5,
)
PARCELS = st.builds(
    Parcel,
    parcel_id=st.text("abcxyz0123456789-_\u00e9\U0001f600", min_size=1, max_size=10),
    price=st.decimals(0, 10**9, places=4),
    ratio=st.floats(-1e100, 1e100, allow_nan=False).map(lambda f: 0.0 if abs(f) < 1e-100 else f),
    count=st.integers(-(10**38) + 1, 10**38 - 1),
    flag=st.none() | st.booleans(),
    text=TEXTS,
    note=st.none() | TEXTS,
    blob=st.binary(max_size=50),
    when=st.none() | MOMENTS,
    day=st.none() | st.dates(),
    span=st.none() | st.timedeltas(timedelta(days=-(10**5)), timedelta(days=10**5)),
    uid=st.none() | st.uuids(),
    colour=st.sampled_from(Colour),
    labels=st.sets(TEXTS, max_size=4),
    required_labels=st.sets(TEXTS, max_size=4),
    numbers=st.sets(_decimals(), max_size=4),
    blobs=st.frozensets(st.binary(max_size=5), max_size=4),
    lines=st.lists(st.none() | TEXTS, max_size=4),
    pair=st.tuples(st.integers(-9, 9), TEXTS),
    attributes=st.dictionaries(NAMES, st.none() | TEXTS, max_size=4),
    anything=ANYTHING,
    inner=INNER,
    figure=st.none() | FIGURES,
    figures=st.lists(FIGURES, max_size=3),
)


def test_any_record_comes_back_as_it_was(store: DB, place: str) -> None:
    examples = {"memory": 150, "asynchronous": 30}.get(place, 15)

    @settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(PARCELS, PARCELS)
    def comes_back(one: Parcel, other: Parcel) -> None:
        store(one.put())
        assert store(Parcel.get(parcel_id=one.parcel_id)) == one
        if one.day is not None:
            found = store(Parcel.query(Parcel.by_day, colour=one.colour, day=one.day))
            assert one in found

        # An update stores exactly the attributes that a put would.
        changed = one.update().set(lambda p: p.day).to(other.day)
        for name in ("price", "colour", "text", "note", "inner", "labels", "anything", "flag"):
            changed = changed.set(lambda p, n=name: getattr(p, n)).to(getattr(other, name))
        after = store(changed)
        updated = [i for i in stored_items(store, Store) if i["parcel_id"]["S"] == one.parcel_id]
        store(after.put())
        put = [i for i in stored_items(store, Store) if i["parcel_id"]["S"] == one.parcel_id]
        assert updated == put
        assert after.inner == other.inner
        store(Parcel.delete(parcel_id=one.parcel_id))

    comes_back()
