"""Models under their stored names, what absence means, and where a refusal points."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, SecretStr, create_model
from pydantic.alias_generators import to_camel

from sortkey.design.records.codecs import (
    Absence,
    EpochSeconds,
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


class Plain(Enum):
    TEXT = "t"
    NUMBER = 1
    FRACTION = Decimal("1.5")


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
Choice = Literal["a", None]  # noqa: PYI061 -- None is a choice like the other
NOTHING: set[str] = set()
NO_TEXTS: list[str] = []
MOMENT = datetime(2026, 11, 15, 11, 26, 54, tzinfo=UTC)
ID = UUID("7d444840-9dc0-11d1-b245-5ffdce74fad2")


def again(model: BaseModel) -> BaseModel:
    """The record, written as an item that the engine takes as it is, and read back."""
    codec = record_codec(type(model))
    item = codec.encode(model)
    assert read_item(item)[0] == item
    validator = type(model).__pydantic_validator__
    return validator.validate_python(codec.decode(item), by_alias=False, by_name=True)


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

    with pytest.raises(Unstorable, match="is a Villa, but only its Address part would be stored"):
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


def test_whole_seconds_are_what_the_model_itself_holds() -> None:
    class Session(BaseModel):
        ends: EpochSeconds
        seen: WholeSeconds | None = None

    session = Session(ends=MOMENT.replace(microsecond=7), seen=MOMENT.replace(microsecond=7))

    assert session.ends == MOMENT
    assert again(session) == session
