"""Records that are read directly are those that the general way reads, faults included."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum
from importlib import import_module
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from sortkey import TTL, Entity, Table, Version, WholeSeconds
from sortkey.design.records.kind import EntityKind
from sortkey.wire.values import Item


class App(Table, ttl="expires"):
    """Records of every kind."""


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    city: str


class Plain(Entity, table=App):
    id: str
    count: int
    share: float
    price: Decimal
    is_open: bool
    at: datetime
    day: date
    raw: bytes
    token: UUID
    tags: list[str]
    numbers: list[int]
    primary = App.primary.key("PLAIN#{id}", "PLAIN")


class Sparse(Entity, table=App):
    id: str
    name: str | None = None
    at: datetime | None = None
    required: int | None
    tags: list[str] = Field(default_factory=list)
    places: list[list[str]] = Field(default=[["home"]])
    labels: frozenset[str] = frozenset()
    status: str = "open"
    count: int = 7
    rev: Version = 0
    expires: TTL | None = None
    primary = App.primary.key("SPARSE#{id}", "SPARSE")


class Constrained(Entity, table=App):
    id: str
    name: Annotated[str, Field(min_length=2, max_length=5, pattern="^[a-z]+$")]
    size: Annotated[int, Field(ge=1, lt=100)]
    shape: Literal["round", "square"] = "round"
    tags: Annotated[list[str], Field(max_length=2)] = Field(default_factory=list)
    at: WholeSeconds | None = None
    primary = App.primary.key("CONSTRAINED#{id}", "CONSTRAINED")


class DefaultInKey(Entity, table=App):
    id: str = "none"
    note: str = ""
    primary = App.primary.key("DEFAULT#{id}", "DEFAULT")


class Chosen(Entity, table=App):
    id: str
    colour: Colour
    primary = App.primary.key("CHOSEN#{id}", "CHOSEN")


class Nested(Entity, table=App):
    id: str
    address: Address
    primary = App.primary.key("NESTED#{id}", "NESTED")


class Validated(Entity, table=App):
    id: str
    name: str
    primary = App.primary.key("VALIDATED#{id}", "VALIDATED")

    @field_validator("name")
    @classmethod
    def _upper(cls, value: str) -> str:
        return value.upper()


class ValidatedType(Entity, table=App):
    id: str
    name: Annotated[str, AfterValidator(str.upper)]
    primary = App.primary.key("TYPE#{id}", "TYPE")


class ValidatedWithOthers(Entity, table=App):
    id: str
    least: int
    most: int
    primary = App.primary.key("OTHERS#{id}", "OTHERS")

    @field_validator("most")
    @classmethod
    def _more(cls, value: int, info: ValidationInfo) -> int:
        if value < info.data.get("least", 0):
            raise ValueError("most is below least")
        return value


class ValidatedWhole(Entity, table=App):
    id: str
    first: int
    last: int
    primary = App.primary.key("WHOLE#{id}", "WHOLE")

    @model_validator(mode="after")
    def _ordered(self) -> "ValidatedWhole":
        if self.last < self.first:
            raise ValueError("last is before first")
        return self


class Stripped(Entity, table=App):
    model_config = ConfigDict(str_strip_whitespace=True)

    id: str
    name: str
    primary = App.primary.key("STRIPPED#{id}", "STRIPPED")


class Initialised(Entity, table=App):
    id: str
    name: str
    primary = App.primary.key("INIT#{id}", "INIT")

    def model_post_init(self, context: Any, /) -> None:
        self.name *= 2


class Answering(Entity, table=App):
    id: str
    name: str = "n"
    primary = App.primary.key("ANSWERING#{id}", "ANSWERING")

    def __getattr__(self, name: str) -> str:
        return name


class WithPrivate(Entity, table=App):
    id: str
    name: str = "n"
    primary = App.primary.key("PRIVATE#{id}", "PRIVATE")

    _count: int = PrivateAttr(default=2)


class Built(Entity, table=App):
    id: str
    primary = App.primary.key("BUILT#{id}", "BUILT")

    def __init__(self, **values: Any) -> None:
        self.id = "0"
        super().__init__(**values)


class Aliased(Entity, table=App):
    id: str
    name: str = Field(alias="fullName")
    primary = App.primary.key("ALIASED#{id}", "ALIASED")


class Place(BaseModel):
    name: str = Field("nowhere", alias="fullName")


class AliasedWithin(Entity, table=App):
    id: str
    place: Place
    primary = App.primary.key("WITHIN#{id}", "WITHIN")


class Replaced(Entity, table=App):
    id: str
    count: Annotated[int | None, AfterValidator(lambda count: count or 7)]
    labels: Annotated[frozenset[str], Field(min_length=1)]
    primary = App.primary.key("REPLACED#{id}", "REPLACED")


NOON = datetime(2026, 11, 18, 12, 0, 0, 5, tzinfo=UTC)
RECORDS: list[Entity] = [
    Plain(
        id="1",
        count=-3,
        share=0.1,
        price=Decimal("1.10"),
        is_open=False,
        at=NOON.astimezone(timezone(timedelta(hours=2))),
        day=date(2026, 11, 18),
        raw=b"\x00",
        token=UUID(int=7),
        tags=["a", "ö"],
        numbers=[1, 10**20],
    ),
    Sparse(id="1", required=None),
    Sparse(
        id="2",
        name="n",
        at=NOON,
        required=1,
        tags=["t"],
        labels=frozenset("a"),
        status="",
        count=0,
    ),
    Constrained(id="1", name="abc", size=5, at=NOON.replace(microsecond=0)),
    Constrained(id="2", name="ab", size=99, shape="square", tags=["x", "y"]),
    DefaultInKey(id="7", note="n"),
    Chosen(id="1", colour=Colour.BLUE),
    Nested(id="1", address=Address(city="Ulm")),
    Validated(id="1", name="n"),
    ValidatedType(id="1", name="n"),
    ValidatedWithOthers(id="1", least=1, most=2),
    ValidatedWhole(id="1", first=1, last=2),
    Stripped(id="1", name="n"),
    Initialised(id="1", name="n"),
    Answering(id="1"),
    Aliased.model_validate({"id": "1", "fullName": "n"}),
    AliasedWithin(id="1", place=Place(fullName="Ulm")),
    Replaced(id="1", count=1, labels=frozenset("a")),
]
# What another program may have stored in an attribute instead.
STRANGE: list[dict[str, Any]] = [
    {"S": ""},
    {"S": "square"},
    {"S": " padded "},
    {"S": "2026-11-18T12:00:00Z"},
    {"S": "2026-11-18T12:00:00.000005+02:00"},
    {"S": "2026-11-18T12:00:00.000005"},
    {"N": "5"},
    {"N": "1.5"},
    {"N": "1E+2"},
    {"N": "100"},
    {"N": "NaN"},
    {"BOOL": True},
    {"NULL": True},
    {"B": "AA=="},
    {"L": []},
    {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
    {"L": [{"N": "1"}]},
    {"SS": ["x"]},
    {"M": {"city": {"S": "Rom"}}},
]


def outcome(read: Callable[[Item], Any], item: Item) -> Any:
    """Return everything that can be seen of a record, or of the error."""
    try:
        record = read(item)
    except Exception as error:  # noqa: BLE001 - a validator may raise anything
        return type(error), str(error)
    if record is None:
        return None
    values: dict[str, Any] = record.__dict__
    return (
        type(record),
        repr(record),
        [(name, type(value), repr(value)) for name, value in values.items()],
        record.model_fields_set,
        record.model_extra,
        record.__pydantic_private__,
        record.model_copy() == copy.copy(record) == copy.deepcopy(record) == record,
        repr(record.model_dump(warnings=False)),
    )


def variants(item: Item) -> Iterator[Item]:
    """Yield the item, and items that lack an attribute or have another value in it."""
    yield item
    for name in item.keys() - App.definition.key_names:
        yield {each: value for each, value in item.items() if each != name}
        yield from (item | {name: value} for value in STRANGE)
    yield item | {"_v": {"N": "2"}}
    yield item | {"unknown": {"S": "x"}}


def kind_of(record: Entity) -> EntityKind[Any]:
    return type(record).__kind__


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_every_item_is_read_as_the_general_way_reads_it(record: Entity) -> None:
    kind = kind_of(record)
    stored = kind.encode(record)
    assert kind.read(stored) == kind.read_generally(stored) is not None

    for item in variants(stored):
        assert outcome(kind.read, item) == outcome(kind.read_generally, item), item


GENERAL = {ValidatedWhole, ValidatedWithOthers, Stripped, Initialised}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_only_a_model_whose_fields_can_be_judged_one_by_one_is_read_directly(
    record: Entity,
) -> None:
    kind = kind_of(record)
    is_direct = kind.read != kind.read_generally

    assert is_direct == (type(record) not in GENERAL)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_that_was_read_directly_can_be_pickled_changed_and_dumped(record: Entity) -> None:
    kind = kind_of(record)
    item = kind.encode(record)
    found, expected = kind.read(item), kind.read_generally(item)

    assert found is not None
    assert expected is not None
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert again.model_fields_set == found.model_fields_set
    assert found.model_dump_json() == expected.model_dump_json()
    changed = found.model_copy(update={"id": "9"})
    assert changed.id == "9"
    assert changed != found


def test_the_fields_of_a_record_that_was_read_directly_can_be_set() -> None:
    item = kind_of(RECORDS[0]).encode(RECORDS[0])
    first, second = kind_of(RECORDS[0]).read(item), kind_of(RECORDS[0]).read(item)

    assert isinstance(first, Plain)
    assert isinstance(second, Plain)
    first.count += 1
    assert first != second
    first.count -= 1
    assert first == second
    assert first.model_fields_set == second.model_fields_set == set(Plain.model_fields)
    assert first.model_fields_set is first.model_fields_set is not second.model_fields_set
    with pytest.raises(AttributeError, match="'Plain' object has no attribute 'missing'"):
        first.missing  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


def test_a_validated_record_keeps_the_set_of_its_fields() -> None:
    for record in (
        WithPrivate(id="1"),
        WithPrivate.model_construct(id="1"),
        Answering(id="1"),
        Answering.model_construct(id="1"),
    ):
        assert record.model_fields_set == {"id"}


def test_a_record_that_is_not_validated_yet_lacks_what_validation_sets() -> None:
    with pytest.raises(AttributeError, match="no attribute '__pydantic_fields_set__'"):
        Built(id="1")


def test_the_alias_of_a_nested_field_is_not_used_in_storage() -> None:
    record = AliasedWithin(id="1", place=Place(fullName="Ulm"))
    item = kind_of(record).encode(record)

    assert kind_of(record).read(item) == kind_of(record).read_generally(item) == record


def test_a_default_is_made_again_for_each_record() -> None:
    item = kind_of(RECORDS[1]).encode(RECORDS[1])
    del item["tags"]
    del item["places"]
    first, second = kind_of(RECORDS[1]).read(item), kind_of(RECORDS[1]).read(item)

    assert isinstance(first, Sparse)
    assert isinstance(second, Sparse)
    first.tags.append("x")
    first.places[0].append("work")
    assert second.tags == []
    assert second.places == [["home"]]
    assert first.model_fields_set is not second.model_fields_set


@pytest.mark.parametrize(
    "system", ["oneonone", "commitcollect", "agentcore", "shuttle", "gymcoach"]
)
def test_the_records_of_the_systems_are_read_as_the_general_way_reads_them(system: str) -> None:
    generator: Any = import_module(f"sortkey_systems.{system}.generator")
    seen: Counter[str] = Counter()
    for group in generator.records(3):
        for record in group:
            kind = kind_of(record)
            seen[kind.name] += 1
            if seen[kind.name] <= 20 and not kind.secrets:
                item = kind.encode(record)
                assert outcome(kind.read, item) == outcome(kind.read_generally, item)
    assert seen
