"""What is stored for each type, and what is refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, EmailStr, Field, RootModel, SecretStr, create_model
from pydantic.alias_generators import to_camel
from typing_extensions import TypeAliasType

from sortkey.design.codecs import (
    Absence,
    Epoch,
    EpochSeconds,
    Seconds,
    Stored,
    Unstorable,
    WholeSeconds,
    codec_for,
    record_codec,
)
from sortkey.wire.values import read_item


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


class Address(BaseModel):
    street: str
    zip_code: str | None = None


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    tricks: list[str] = []


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]
Choice = Literal["a", 1, True, None]  # noqa: PYI061 -- None is a choice like the others
Mode = Literal["all"] | Literal["none"]  # noqa: PYI030 -- two that are merged
Name = TypeAliasType("Name", str | None)
NOTHING: set[str] = set()
NO_TEXTS: list[str] = []
UserId = NewType("UserId", str)
MOMENT = datetime(2026, 11, 15, 11, 26, 54, tzinfo=UTC)
ID = UUID("7d444840-9dc0-11d1-b245-5ffdce74fad2")


def again(model: BaseModel) -> BaseModel:
    """The record, written as an item that the engine takes as it is, and read back."""
    codec = record_codec(type(model))
    item = codec.encode(model)
    assert read_item(item)[0] == item
    validator = type(model).__pydantic_validator__
    return validator.validate_python(codec.decode(item), by_alias=False, by_name=True)


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
        (Decimal, Decimal("1E-131"), "nearer to zero"),
        (Decimal, Decimal("NaN"), "is NaN"),
        (Decimal, Decimal("-Infinity"), "is -Infinity"),
        (Decimal, 0.5, "not a Decimal"),
        (float, float("nan"), "is nan"),
        (float, float("-inf"), "is -inf"),
        (float, -0.0, "negative zero"),
        (float, 1e200, "beyond"),
        (float, 5e-324, "nearer to zero"),
        (float, 2**53 + 1, "no float equals"),
        (bytes, "x", "not bytes"),
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
        (Address, Cat(), "not a Address"),
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
        (SecretStr, "encrypt or hash"),
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
        (Loop, "write it as a BaseModel"),
    ],
)
def test_a_type_without_a_stored_form_is_refused_with_advice(annotation: Any, advice: str) -> None:
    with pytest.raises(Unstorable, match=advice):
        codec_for(annotation)


@pytest.mark.parametrize(
    ("annotation", "stored", "reason"),
    [
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
        (Any, {"X": 1}, "no kind that DynamoDB has"),
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


def test_whole_seconds_are_what_the_model_itself_holds() -> None:
    class Session(BaseModel):
        ends: EpochSeconds
        seen: WholeSeconds | None = None

    session = Session(ends=MOMENT.replace(microsecond=7), seen=MOMENT.replace(microsecond=7))

    assert session.ends == MOMENT
    assert again(session) == session


def test_a_float_in_an_untyped_field_comes_back_as_the_number_with_its_digits() -> None:
    codec = codec_for(Any)

    assert codec.decode(codec.encode(0.1)) == Decimal("0.1")
    assert codec.decode(codec.encode(2.0)) == 2


def test_an_attribute_is_named_by_its_mark_then_by_the_rule_then_as_the_field() -> None:
    class Home(BaseModel):
        post_code: str

    class User(BaseModel):
        user_id: Annotated[str, Stored("id")]
        first_name: str
        nick: Annotated[str, Stored("alias")] | None
        old_home: Home

    user = User(user_id="1", first_name="A", nick="b", old_home=Home(post_code="z"))

    assert record_codec(User, to_camel).encode(user) == {
        "id": {"S": "1"},
        "firstName": {"S": "A"},
        "alias": {"S": "b"},
        "oldHome": {"M": {"postCode": {"S": "z"}}},
    }
    assert record_codec(User).fields["first_name"].stored == "first_name"


def test_two_fields_under_one_stored_name_are_refused() -> None:
    class User(BaseModel):
        name: str
        title: Annotated[str, Stored("name")]

    with pytest.raises(Unstorable, match=r'^title: is stored as "name", as is name'):
        record_codec(User)


def test_aliases_are_for_the_applications_json_and_not_for_storage() -> None:
    class Tame(BaseModel):
        kind: Literal["tame"] = Field("tame", alias="Kind")

    class Wild(BaseModel):
        kind: Literal["wild"] = Field("wild", alias="Kind")

    class User(BaseModel):
        name: str = Field(alias="Name")
        pet: Annotated[Tame | Wild, Field(discriminator="kind")] = Field(alias="Pet")

    user = User.model_validate({"Name": "a", "Pet": {"Kind": "wild"}})

    assert record_codec(User).encode(user) == {
        "name": {"S": "a"},
        "pet": {"M": {"kind": {"S": "wild"}}},
    }
    assert again(user) == user


def test_what_is_decoded_passes_strict_validation() -> None:
    class Strict(BaseModel):
        model_config = ConfigDict(strict=True)
        at: datetime = MOMENT
        day: date = date(2026, 1, 2)
        price: Decimal = Decimal("1.5")
        ratio: float = 2.0
        color: Color = Color.RED
        plain: Plain = Plain.TEXT
        tags: frozenset[str] = frozenset({"a"})
        pair: tuple[int, str] = (1, "a")
        ident: UUID = ID
        span: timedelta = timedelta(seconds=1)
        counts: dict[int, bytes] = {1: b"x"}
        pets: list[Pet] = [Cat(), Dog()]
        home: Address = Address(street="x")

    assert again(Strict()) == Strict()


@pytest.mark.parametrize(
    ("annotation", "default", "value", "stored"),
    [
        (str | None, None, None, None),
        (str | None, ..., None, None),
        (str | None, "x", None, {"NULL": True}),
        (str, None, None, None),
        (Any, ..., None, None),
        (Any, 1, None, {"NULL": True}),
        (Choice, ..., None, None),
        (set[str], ..., NOTHING, None),
        (set[str], NOTHING, NOTHING, None),
        (frozenset[int], Field(default_factory=frozenset), frozenset[int](), None),
        (set[str], Field(default_factory=set[str]), NOTHING, None),
        (set[str] | None, NOTHING, NOTHING, None),
        (set[str] | None, NOTHING, None, {"NULL": True}),
        (set[str] | None, None, None, None),
        (list[str], ..., NO_TEXTS, {"L": NO_TEXTS}),
    ],
)
def test_none_and_empty_sets_are_left_out_where_absence_means_them(
    annotation: Any, default: Any, value: Any, stored: dict[str, Any] | None
) -> None:
    model = create_model("M", x=(annotation, default))
    record = model.model_construct(x=value)
    item = record_codec(model).encode(record)

    assert item.get("x") == stored
    assert record_codec(model).fields["x"].encode(value) == stored
    assert again(record) == record


@pytest.mark.parametrize(
    ("annotation", "default"),
    [(set[str] | None, None), (set[str] | None, ...), (set[str], {"a"})],
)
def test_an_empty_set_is_refused_where_absence_means_something_else(
    annotation: Any, default: Any
) -> None:
    model = create_model("M", x=(annotation, default))

    with pytest.raises(Unstorable, match=r"^x: is an empty set"):
        record_codec(model).encode(model.model_validate({"x": set[str]()}))


def test_a_field_says_what_its_absence_means() -> None:
    class User(BaseModel):
        name: str
        nick: str | None
        tags: set[str]
        logins: int = 0

    codec = record_codec(User)

    assert {name: field.absent for name, field in codec.fields.items()} == {
        "name": Absence.MISSING,
        "nick": Absence.NONE,
        "tags": Absence.EMPTY,
        "logins": Absence.DEFAULT,
    }
    assert codec.decode({"PK": {"S": "x"}}) == {"nick": None, "tags": set()}
    assert codec.fields["nick"].optional
    assert codec.fields["name"].required


def test_a_default_that_was_never_validated_is_stored_by_its_value() -> None:
    class Account(BaseModel):
        balance: Decimal = 0  # pyright: ignore[reportAssignmentType] -- a usual shortcut
        ratio: float = 1

    assert again(Account()) == Account()


def test_a_refusal_names_the_path_from_the_record() -> None:
    class Line(BaseModel):
        tags: list[dict[str, float]]

    class Order(BaseModel):
        lines: list[Line]

    order = Order(lines=[Line(tags=[]), Line(tags=[{"a": float("nan")}])])

    with pytest.raises(Unstorable) as caught:
        record_codec(Order).encode(order)

    assert caught.value.path == ("lines", 1, "tags", 0, "a")
    assert str(caught.value).startswith("lines[1].tags[0].a: is nan")
    assert caught.value.message.startswith("is nan")


def test_a_refused_type_names_the_path_from_the_model() -> None:
    class Inner(BaseModel):
        secret: SecretStr

    class Outer(BaseModel):
        inner: Inner

    with pytest.raises(Unstorable, match=r"^inner\.secret: SecretStr"):
        record_codec(Outer)


def test_a_stored_value_of_the_wrong_kind_names_its_field() -> None:
    with pytest.raises(Unstorable, match=r"^zip_code: is stored as N"):
        record_codec(Address).decode({"street": {"S": "x"}, "zip_code": {"N": "1"}})


def test_a_subclass_in_a_field_of_its_base_is_refused() -> None:
    class Villa(Address):
        pool: bool = True

    with pytest.raises(Unstorable, match="is a Villa, of which only the Address would be stored"):
        codec_for(Address).encode(Villa(street="x"))


def test_an_extra_field_is_refused_by_name() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")
        name: str

    assert again(Open(name="a")) == Open(name="a")
    with pytest.raises(Unstorable, match=r"^nick: is an extra field"):
        record_codec(Open).encode(Open.model_validate({"name": "a", "nick": "b"}))


def test_a_field_that_was_never_set_is_refused_by_name() -> None:
    with pytest.raises(Unstorable, match=r"^street: is not set"):
        record_codec(Address).encode(Address.model_construct())


def test_an_enum_kept_as_its_value_is_stored_as_it() -> None:
    class Shirt(BaseModel):
        model_config = ConfigDict(use_enum_values=True)
        plain: Plain
        color: Color | None = None

    shirt = Shirt(plain=Plain.NUMBER, color=Color.RED)

    assert again(shirt) == shirt


def test_a_discriminated_union_is_chosen_by_instance_and_by_discriminator() -> None:
    class Owner(BaseModel):
        pet: Pet
        pets: list[Pet]
        maybe: Pet | None = None
        named: dict[str, Pet] = {}

    owner = Owner(pet=Dog(tricks=["sit"]), pets=[Cat(), Dog()], named={"a": Cat(lives=1)})

    assert again(owner) == owner


class Black(BaseModel):
    kind: Literal["cat"] = "cat"
    color: Literal[Color.RED] = Color.RED


class White(BaseModel):
    kind: Literal["cat"] = "cat"
    color: Annotated[Literal[Color.BLUE], Stored("tint")] = Color.BLUE


AnyCat = Annotated[Black | White, Field(discriminator="color")]


def test_discriminated_unions_nest() -> None:
    class Owner(BaseModel):
        pets: list[Annotated[AnyCat | Dog, Field(discriminator="kind")]]

    owner = Owner(pets=[Black(), White(), Dog()])

    assert again(owner) == owner


class Node(BaseModel):
    name: str
    children: "list[Node]" = []
    twin: "Node | None" = None


class Chicken(BaseModel):
    egg: "Egg | None" = None


CHICKEN = record_codec(Chicken)


class Egg(BaseModel):
    chicken: Chicken | None = None


def test_a_model_may_hold_itself() -> None:
    tree = Node(name="a", children=[Node(name="b", children=[Node(name="c")])], twin=Node(name="d"))

    assert again(tree) == tree


def test_a_model_may_hold_one_that_is_made_later() -> None:
    chicken = Chicken(egg=Egg(chicken=Chicken()))

    assert CHICKEN.encode(chicken) == {"egg": {"M": {"chicken": {"M": {}}}}}
    assert again(chicken) == chicken


def test_a_root_model_is_stored_as_its_root() -> None:
    class Tags(RootModel[list[str]]):
        pass

    class User(BaseModel):
        tags: Tags

    user = User(tags=Tags(["a"]))

    assert record_codec(User).encode(user) == {"tags": {"L": [{"S": "a"}]}}
    assert again(user) == user
    with pytest.raises(Unstorable, match="has no fields"):
        record_codec(Tags)


def test_encoded_values_share_nothing_with_each_other() -> None:
    codec = codec_for(Color)
    codec.encode(Color.RED)["S"] = "changed"

    assert codec.encode(Color.RED) == {"S": "red"}
