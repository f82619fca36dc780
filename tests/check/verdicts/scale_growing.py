"""Records that hold lists, maps and JSON texts, with and without an end."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from sortkey import Entity, Expected, Op, Table, pattern, raw_pattern


class App(Table, raw=True):
    pass


class Line(BaseModel):
    product: str
    notes: list[str]


class Holding(Entity, table=App):
    holding_id: str
    listed: list[dict[str, str]]
    mapped: dict[str, int]
    nested: Line | None = None
    inner: Annotated[list[Line], Field(max_length=3)]
    settings_json: str = ""
    loose: dict[str, Any]
    bounded: Annotated[list[str], Field(max_length=9)]
    optional: Annotated[list[str], Field(max_length=9)] | None = None
    choices: set[Literal["a", "b"]]
    by_choice: Annotated[dict[Literal["a", "b"], int], Field(examples=[{"a": 1}, {"b": 2}])]
    pair: tuple[int, int] = (1, 2)
    short_json: Annotated[str, Field(max_length=900)] = ""
    text: str = ""
    primary = App.primary.key("HOLDING#{holding_id}", "HOLDING")


class Sized(Entity, table=App, expected=Expected(size_bytes=2_000)):
    sized_id: str
    listed: list[str]
    primary = App.primary.key("SIZED#{sized_id}", "SIZED")


class Unwritten(Entity, table=App):
    unwritten_id: str
    listed: list[str]
    mapped: dict[str, str]
    counts: dict[str, int]
    primary = App.primary.key("UNWRITTEN#{unwritten_id}", "UNWRITTEN")


@pattern("A record is written whole", rate="5/s")
def hold(record: Holding) -> Op[Holding]:
    return record.create()


@pattern("A record of a known size is written whole", rate="5/s")
def size(record: Sized) -> Op[Sized]:
    return record.create()


@pattern("A list grows at a declared rate", rate="5/s")
def append(unwritten_id: str, text: str) -> Op[Unwritten]:
    return Unwritten.update(unwritten_id=unwritten_id).append(lambda u: u.listed).items(text)


@pattern("A list grows, and no rate says how often")
def append_sometimes(unwritten_id: str, text: str) -> Op[Unwritten]:
    return Unwritten.update(unwritten_id=unwritten_id).append(lambda u: u.listed).items(text)


@pattern("A map gets a member", rate="5/s")
def put_member(unwritten_id: str, name: str, text: str) -> Op[Unwritten]:
    return Unwritten.update(unwritten_id=unwritten_id).set(lambda u: u.mapped[name]).to(text)


@pattern("A map counts under one of two names", rate="5/s")
def count_choice(unwritten_id: str, name: Literal["up", "down"]) -> Op[Unwritten]:
    return Unwritten.update(unwritten_id=unwritten_id).add(lambda u: u.counts[name]).by(1)


replace_member = raw_pattern(
    "A member of a map that is there is replaced",
    table=App,
    operation="UpdateItem",
    entity=Unwritten,
    key={"PK": "UNWRITTEN#{unwritten_id}", "SK": "UNWRITTEN"},
    update="SET mapped.#name = :text",
    condition="attribute_exists(mapped.#name)",
    names={"#name": "{name}"},
    values={":text": "{text}"},
    arguments={"unwritten_id": str, "name": str, "text": str},
    rate="5/s",
)
