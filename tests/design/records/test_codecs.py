"""What is stored for each type, and what is refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from pydantic import BaseModel, Discriminator, EmailStr, Field, RootModel, SecretStr, Tag
from typing_extensions import TypeAliasType

from sortkey.design.records.codecs import (
    Epoch,
    EpochSeconds,
    Seconds,
    Unstorable,
    WholeSeconds,
    codec_for,
)


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Plain(Enum):
    TEXT = "t"
    NUMBER = 1
    FRACTION = Decimal("1.5")


class Access(IntFlag):
    READ = 1
    WRITE = 2


class Strict(Flag):
    READ = 1


class Odd(Enum):
    LIST = ("a",)


class Names(RootModel[list[str]]):
    pass


class Address(BaseModel):
    street: str
    zip_code: str | None = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str] = []


class Lion(BaseModel):
    kind: Literal["cat"] = "cat"


Twins = Annotated[Cat | Lion, Field(discriminator="kind")]
ByFunction = Annotated[
    Annotated[Cat, Tag("cat")] | Annotated[Dog, Tag("dog")],
    Discriminator(str),
]
Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
Choice = Literal["a", 1, True, None]  # noqa: PYI061 -- None is a choice like the others
Mode = Literal["all"] | Literal["none"]  # noqa: PYI030 -- two that are merged
Name = TypeAliasType("Name", str | None)
NOTHING: set[str] = set()
NO_TEXTS: list[str] = []
UserId = NewType("UserId", str)
MOMENT = datetime(2026, 11, 15, 11, 26, 54, tzinfo=UTC)
ID = UUID("7d444840-9dc0-11d1-b245-5ffdce74fad2")


@pytest.mark.parametrize(
    ("annotation", "value", "stored"),
    [
        (str, "", {"S": ""}),
        (str, "\N{PILE OF POO}é", {"S": "\N{PILE OF POO}é"}),
        (UserId, "u1", {"S": "u1"}),
        (Name, "u1", {"S": "u1"}),
        (EmailStr, "a@example.com", {"S": "a@example.com"}),
        (Annotated[str, Field(min_length=1)], "x", {"S": "x"}),
        (int, -(10**37), {"N": "-" + "1" + "0" * 37}),
        (int, 10**125, {"N": "1" + "0" * 125}),
        (bool, False, {"BOOL": False}),
        (
            Decimal,
            Decimal("1234567890.123456789012345"),
            {"N": "1234567890.123456789012345"},
        ),
        (Decimal, Decimal("1.10"), {"N": "1.1"}),
        (Decimal, Decimal("1E+3"), {"N": "1000"}),
        (float, 0.1, {"N": "0.1"}),
        (float, 3.0, {"N": "3"}),
        (float, -1e22, {"N": "-1" + "0" * 22}),
        (float, 5e-120, {"N": "0." + "0" * 119 + "5"}),
        (bytes, b"", {"B": ""}),
        (bytes, b"\x00\xff", {"B": "AP8="}),
        (None, None, {"NULL": True}),
        (UUID, ID, {"S": str(ID)}),
        (datetime, MOMENT, {"S": "2026-11-15T11:26:54.000000Z"}),
        (datetime, datetime(7, 1, 2, 3, 4, 5, 6, UTC), {"S": "0007-01-02T03:04:05.000006Z"}),
        (Annotated[datetime, Seconds()], MOMENT, {"S": "2026-11-15T11:26:54Z"}),
        (Annotated[datetime, Epoch()], MOMENT, {"N": "1794742014"}),
        (Annotated[datetime | None, Epoch()], MOMENT, {"N": "1794742014"}),
        (EpochSeconds | None, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), {"N": "-1"}),
        (WholeSeconds, MOMENT, {"S": "2026-11-15T11:26:54Z"}),
        (date, date(2026, 11, 15), {"S": "2026-11-15"}),
        (timedelta, timedelta(days=-1, microseconds=1), {"N": "-86399.999999"}),
        (Color, Color.RED, {"S": "red"}),
        (Size, Size.LARGE, {"N": "2"}),
        (Plain, Plain.FRACTION, {"N": "1.5"}),
        (Access, Access.READ | Access.WRITE, {"N": "3"}),
        (Choice, 1, {"N": "1"}),
        (Choice, True, {"BOOL": True}),
        (Choice, None, {"NULL": True}),
        (list[int | None], [1, None], {"L": [{"N": "1"}, {"NULL": True}]}),
        (tuple[int, str], (1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
        (tuple[int, ...], (), {"L": []}),
        (set[str], {"b", "a"}, {"SS": ["a", "b"]}),
        (frozenset[int], frozenset({2}), {"NS": ["2"]}),
        (set[float], {0.5}, {"NS": ["0.5"]}),
        (set[bytes], {b"x"}, {"BS": ["eA=="]}),
        (set[Size], {Size.SMALL}, {"NS": ["1"]}),
        (set[UUID], {ID}, {"SS": [str(ID)]}),
        (set[date], {date(2026, 1, 2)}, {"SS": ["2026-01-02"]}),
        (dict[str, int], {"a": 1}, {"M": {"a": {"N": "1"}}}),
        (dict[int, str], {-7: "a"}, {"M": {"-7": {"S": "a"}}}),
        (dict[UUID, bool], {ID: True}, {"M": {str(ID): {"BOOL": True}}}),
        (dict[Color, int], {Color.BLUE: 1}, {"M": {"blue": {"N": "1"}}}),
        (dict[date, int], {date(2026, 1, 2): 1}, {"M": {"2026-01-02": {"N": "1"}}}),
        (str | int, 1, {"N": "1"}),
        (bool | int | bytes, True, {"BOOL": True}),
        (Mode | int, "none", {"S": "none"}),
        (str | list[str] | None, ["a"], {"L": [{"S": "a"}]}),
        (
            Any,
            {"a": [1, Decimal("1.5"), None, True, b"x", {"s"}]},
            {
                "M": {
                    "a": {
                        "L": [
                            {"N": "1"},
                            {"N": "1.5"},
                            {"NULL": True},
                            {"BOOL": True},
                            {"B": "eA=="},
                            {"SS": ["s"]},
                        ]
                    }
                }
            },
        ),
        (object, {1, Decimal("0.5")}, {"NS": ["0.5", "1"]}),
        (set, {b"x"}, {"BS": ["eA=="]}),
        (dict, {"a": 1}, {"M": {"a": {"N": "1"}}}),
    ],
)
def test_each_type_has_one_stored_form_and_comes_back(
    annotation: Any, value: Any, stored: dict[str, Any]
) -> None:
    codec = codec_for(annotation)

    assert codec.encode(value) == stored
    assert codec.decode(stored) == value
    assert type(codec.decode(stored)) is type(value)
    assert set(stored) <= codec.kinds


@pytest.mark.parametrize(
    ("annotation", "value", "reason"),
    [
        (str, "a\ud800", "half a surrogate pair at position 1"),
        (str, 1, "of type int, not a str"),
        (int, True, "of type bool, not an int"),
        (int, int("1" * 39), "more than 38 significant digits"),
        (int, 10**126, "beyond"),
        (bool, 1, "not a bool"),
        (Decimal, Decimal("1." + "1" * 38), "more than 38 significant digits"),
        (Decimal, Decimal("1E-131"), "closer to zero"),
        (Decimal, Decimal("NaN"), "is NaN"),
        (Decimal, Decimal("-Infinity"), "is -Infinity"),
        (Decimal, 0.5, "not a Decimal"),
        (float, float("nan"), "is nan"),
        (float, float("-inf"), "is -inf"),
        (float, -0.0, "negative zero"),
        (float, 1e200, "beyond"),
        (float, 5e-324, "closer to zero"),
        (float, 2**53 + 1, "no float equals"),
        (float, 10**400, "no float equals"),
        (float, "1", "not a float"),
        (bytes, "x", "not bytes"),
        (None, 0, "not None"),
        (timedelta, 1, "not a timedelta"),
        (Access, "read", "not a combination of Access"),
        (tuple[int, str], [1, "a"], "not a tuple"),
        (set[str], ["a"], "not a set"),
        (dict[str, int], [1], "not a dict"),
        (Names, ["a"], "not Names"),
        (UUID, str(ID), "not a UUID"),
        (datetime, MOMENT.replace(tzinfo=None), "has no time zone; use datetime.now"),
        (datetime, datetime.min.replace(tzinfo=timezone(timedelta(hours=1))), "outside the years"),
        (datetime, date(2026, 1, 2), "not a datetime"),
        (EpochSeconds, MOMENT.replace(microsecond=1), "has microseconds"),
        (WholeSeconds, MOMENT.replace(microsecond=1), "has microseconds"),
        (date, MOMENT, "not a date"),
        (Color, "green", "not a member of Color"),
        (Literal["a", 1], True, "not one of 'a', 1"),
        (list[int], (1,), "not a list"),
        (tuple[int, str], (1,), "has 1 elements, not 2"),
        (set[str], NOTHING, "empty set"),
        (list[set[str]], [NOTHING], r"^\[0\]: is an empty set"),
        (list[list[int]], [[1], [2, "x"]], r"^\[1\]\[1\]: "),
        (dict[str, int], {"": 1}, "empty key"),
        (dict[str, int], {"k" * 65536: 1}, "longer than 65535 bytes"),
        (dict[str, list[int]], {"a": [None]}, r"^a\[0\]: is None, not an int"),
        (str | int, 1.5, "of type float, not int or str"),
        (Any, (1,), "of type tuple"),
        (Any, {"a": [MOMENT]}, r"^a\[0\]: is of type datetime"),
        (Any, {1: 2}, "only str keys"),
        (Any, {"a", 1}, "not all text"),
        (Any, float("inf"), "is inf"),
        (Address, Cat(), "not Address"),
        (Pet, Address(street="x"), "not Cat or Dog"),
    ],
)
def test_a_value_without_an_exact_form_is_refused(annotation: Any, value: Any, reason: str) -> None:
    with pytest.raises(Unstorable, match=reason):
        codec_for(annotation).encode(value)


def test_a_list_that_holds_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)

    with pytest.raises(Unstorable, match="nested deeper"):
        codec_for(Any).encode(endless)


@dataclass
class Point:
    x: int


class Loop(RootModel["list[Loop]"]):
    pass


@pytest.mark.parametrize(
    ("annotation", "advice"),
    [
        (SecretStr, r"use Annotated\[str, secret\]"),
        (Sequence[str], "use list or tuple"),
        (time, "use str, or a datetime"),
        (complex, "two float fields"),
        (Point, "use a Pydantic model"),
        (Cat | Dog, "discriminator"),
        (Address | dict[str, str], "discriminator"),
        (int | float, "both stored as N"),
        (str | UUID, "both stored as S"),
        (set[str] | set[int], "declare one"),
        (set[str | int], "use a list"),
        (set[tuple[int, int]], "use a list"),
        (set[bool], "use a list"),
        (frozenset, "say what it holds"),
        (dict[tuple[int, int], int], "use str keys"),
        (Annotated[str, Epoch()], "mark a datetime"),
        (Annotated[str | None, Seconds()], "mark a datetime"),
        (Odd, "is not a single value; use text or numbers"),
        (ByFunction, "whose discriminator is a function"),
        (Twins, "two models of the union have 'cat'"),
        (Loop, "write it as a BaseModel"),
    ],
)
def test_a_type_without_a_stored_form_is_refused_with_advice(annotation: Any, advice: str) -> None:
    with pytest.raises(Unstorable, match=advice):
        codec_for(annotation)


@pytest.mark.parametrize(
    ("annotation", "stored", "reason"),
    [
        (float, {"S": "1"}, "not as N"),
        (float, {"N": "x"}, "not a number"),
        (Decimal, {"S": "1"}, "not as N"),
        (Decimal, {"N": "x"}, "not a number"),
        (bytes, {"S": "x"}, "not as B"),
        (None, {"S": "x"}, "not as NULL"),
        (timedelta, {"N": "1E+20"}, "a duration that a timedelta can hold"),
        (Strict, {"N": "8"}, "a combination of Strict"),
        (Address, {"S": "x"}, "not as M"),
        (Pet, {"S": "x"}, "not as M"),
        (str, {"N": "1"}, r"is stored as N \(a number\), not as S \(text\)"),
        (int, {"N": "1.5"}, "not a whole number"),
        (int, {"S": "1"}, "not as N"),
        (bool, {"S": "true"}, "not as BOOL"),
        (bytes, {"B": "x"}, "not base 64"),
        (UUID, {"S": "x"}, "not a UUID"),
        (datetime, {"S": "soon"}, "not a time"),
        (datetime, {"S": "2026-11-15T11:26:54"}, "without a time zone"),
        (datetime, {"S": "2026-11-15T11:26:54.1234567Z"}, "finer than"),
        (EpochSeconds, {"N": "9" * 15}, "years 1 to 9999"),
        (date, {"S": "2026-13-01"}, "not a date"),
        (timedelta, {"N": "0.0000001"}, "microseconds"),
        (Color, {"S": "green"}, "one of the values of Color"),
        (Color, {"N": "1"}, "not as S"),
        (list[int], {"L": [{"N": "1"}, {"S": "x"}]}, r"^\[1\]: "),
        (list[int], {"S": "x"}, "^is stored as S"),
        (tuple[int], {"L": []}, "has 0 elements"),
        (set[str], {"NS": ["1"]}, "not as SS"),
        (dict[int, int], {"M": {"x": {"N": "1"}}}, "^x: "),
        (str | int, {"BOOL": True}, r"not as N \(a number\) or S \(text\)"),
        (Pet, {"M": {"kind": {"S": "cow"}}}, "has no kind that is one of 'cat', 'dog'"),
        (Pet, {"M": {}}, "has no kind"),
        (Any, {"X": 1}, "not a DynamoDB type"),
    ],
)
def test_a_stored_value_that_does_not_fit_is_refused(
    annotation: Any, stored: dict[str, Any], reason: str
) -> None:
    with pytest.raises(Unstorable, match=reason):
        codec_for(annotation).decode(stored)


def test_a_time_is_read_as_utc_however_it_was_written() -> None:
    read = codec_for(datetime).decode({"S": "2026-11-15T13:26:54+02:00"})

    assert read == MOMENT
    assert read.tzinfo is UTC


def test_a_time_from_another_zone_is_stored_in_utc() -> None:
    moment = MOMENT.astimezone(timezone(timedelta(hours=5, minutes=30)))

    assert codec_for(datetime).encode(moment) == {"S": "2026-11-15T11:26:54.000000Z"}


def test_a_float_in_an_untyped_field_comes_back_as_the_number_with_its_digits() -> None:
    codec = codec_for(Any)

    assert codec.decode(codec.encode(0.1)) == Decimal("0.1")
    assert codec.decode(codec.encode(2.0)) == 2


def test_a_subclass_of_text_or_of_numbers_is_stored_as_its_plain_value() -> None:
    class Word(str):
        __slots__ = ()

    class Amount(int):
        pass

    assert codec_for(str).encode(Word("a")) == {"S": "a"}
    assert codec_for(int).encode(Amount(7)) == {"N": "7"}
    assert codec_for(int).decode({"N": "1E+2"}) == 100
    assert codec_for(bytearray).decode({"B": "AP8="}) == bytearray(b"\x00\xff")


def test_encoded_values_share_nothing_with_each_other() -> None:
    codec = codec_for(Color)
    codec.encode(Color.RED)["S"] = "changed"

    assert codec.encode(Color.RED) == {"S": "red"}
