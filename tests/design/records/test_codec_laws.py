"""Any model of any types round-trips exactly, or the refusal names the field."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, create_model
from pydantic.alias_generators import to_camel

from sortkey.design.records.codecs import (
    EpochSeconds,
    RecordCodec,
    Unstorable,
    WholeSeconds,
    codec_for,
    record_codec,
)
from sortkey.wire.values import read_item

Values: TypeAlias = st.SearchStrategy[Any]
Typed: TypeAlias = tuple[Any, Values]


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    LOW = 1
    HIGH = Decimal("2.5")


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    nick_name: str | None = "Tom"
    toys: set[str]


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    friends: "list[Pet]" = []


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
Dog.model_rebuild()

# Surrogates and numbers that DynamoDB cannot hold are drawn too: they must be refused.
texts = st.text(max_size=6) | st.text(st.characters(categories=["Cs", "So"]), max_size=2)
zones = st.sampled_from([UTC, timezone(timedelta(hours=-11)), timezone(timedelta(minutes=345))])
moments = st.datetimes(timezones=zones)
cats = st.builds(Cat, nick_name=st.none() | texts, toys=st.sets(texts, max_size=2))
dogs = st.builds(Dog, friends=st.lists(cats | st.builds(Dog), max_size=2))
wholes = st.integers() | st.integers(-(10**40), 10**40)
exacts = st.decimals(allow_nan=False, allow_infinity=False)

hashable: list[Typed] = [
    (str, texts),
    (int, wholes),
    (Decimal, exacts),
    (float, st.floats()),
    (bytes, st.binary(max_size=6)),
    (Color, st.sampled_from(Color)),
    (UUID, st.uuids()),
    (date, st.dates()),
    (datetime, moments),
    (timedelta, st.timedeltas()),
]
scalars: list[Typed] = [
    *hashable,
    (bool, st.booleans()),
    (Level, st.sampled_from(Level)),
    (Literal["a", 7, True], st.sampled_from(["a", 7, True])),
    (EpochSeconds, moments),
    (WholeSeconds, moments),
    (Pet, cats | dogs),
    (Cat, cats),
]
untyped = st.recursive(
    st.none() | st.booleans() | texts | wholes | exacts | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(texts, inner, max_size=3)
        | st.sets(texts, max_size=3)
    ),
    max_leaves=6,
)


def optional(typed: Typed) -> Typed:
    return typed[0] | None, st.none() | typed[1]


def listed(typed: Typed) -> Typed:
    return list[typed[0]], st.lists(typed[1], max_size=3)


def paired(typed: Typed) -> Typed:
    return tuple[typed[0], int], st.tuples(typed[1], wholes)


def repeated(typed: Typed) -> Typed:
    return tuple[typed[0], ...], st.lists(typed[1], max_size=3).map(tuple)


def keyed(key: Typed) -> Callable[[Typed], Typed]:
    def under(typed: Typed) -> Typed:
        return dict[key[0], typed[0]], st.dictionaries(key[1], typed[1], max_size=3)

    return under


def collected(typed: Typed) -> Typed:
    return set[typed[0]], st.sets(typed[1], max_size=3)


def frozen(typed: Typed) -> Typed:
    return frozenset[typed[0]], st.frozensets(typed[1], max_size=3)


def wrapped(wrap: Callable[[Typed], Typed], typed: Typed) -> Typed:
    return wrap(typed)


def deeper(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    keys = st.sampled_from(hashable).map(keyed)
    wrappers = st.sampled_from([optional, listed, paired, repeated]) | keys
    return st.builds(wrapped, wrappers, inner)


sets = st.builds(wrapped, st.sampled_from([collected, frozen]), st.sampled_from(hashable))
anything: Typed = (Any, untyped)
types = st.recursive(
    st.sampled_from([*scalars, anything]) | sets,
    deeper,
    max_leaves=4,
)


@st.composite
def records(draw: st.DrawFn) -> BaseModel:
    drawn = draw(st.lists(types, min_size=1, max_size=5))
    fields: dict[str, Any] = {}
    for place, (annotation, values) in enumerate(drawn):
        default = draw(st.just(...) | values | st.none())
        fields[f"field_{place}"] = (annotation, default)
    model = create_model("Drawn", **fields)
    return model(**{f"field_{place}": draw(values) for place, (_, values) in enumerate(drawn)})


def read_back(codec: RecordCodec, record: BaseModel) -> BaseModel:
    item = codec.encode(record)
    assert read_item(item)[0] == item
    validator = type(record).__pydantic_validator__
    return validator.validate_python(codec.decode(item), by_alias=False, by_name=True)


@settings(max_examples=300, deadline=None)
@given(records())
def test_a_record_comes_back_equal_or_its_field_is_named(record: BaseModel) -> None:
    codec = record_codec(type(record), to_camel)
    refused: Unstorable | None = None
    try:
        assert read_back(codec, record) == record
    except Unstorable as error:
        refused = error
    assert refused is None or refused.path[0] in type(record).model_fields


@given(st.floats())
def test_a_float_comes_back_as_the_same_float_or_is_refused(number: float) -> None:
    codec = codec_for(float)
    try:
        stored = codec.encode(number)
    except Unstorable:
        return
    assert codec.decode(stored).hex() == number.hex()


@given(moments, moments)
def test_stored_times_sort_as_time_passes(one: datetime, other: datetime) -> None:
    codec = codec_for(datetime)
    try:
        first, second = codec.encode(one)["S"], codec.encode(other)["S"]
    except Unstorable:
        return
    assert (first < second) == (one < other)
