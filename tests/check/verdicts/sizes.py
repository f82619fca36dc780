"""Sizes of sets, which are absent while they are empty, and of lists, which are stored."""

from pydantic import BaseModel, Field

from sortkey import Entity, Op, Table, exists, missing, pattern, raw_pattern, size


class App(Table):
    pass


class Extra(BaseModel):
    labels: frozenset[str] = frozenset()


class Note(Entity, table=App):
    note_id: str
    part: str
    tags: set[str] = Field(default_factory=set)
    items: list[str] = Field(default_factory=list)
    links: list[str] | None = None
    extra: Extra = Extra()
    primary = App.primary.key("NOTE#{note_id}", "PART#{part}")


@pattern("Tag a note", rate="1/s")
def tag(note_id: str, part: str, tag: str) -> Op[Note]:
    changed = Note.update(note_id=note_id, part=part).include(lambda n: n.tags).items(tag)
    return changed.where(lambda n: size(n.tags) < 20)


@pattern("Parts without a tag", rate="1/s")
def untagged(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: size(n.tags) == 0)


@pattern("Parts with few tags", rate="1/s")
def at_most(note_id: str, most: int) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: size(n.tags) <= most)


@pattern("Parts with few labels", rate="1/s")
def mirrored(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: 20 > size(n.extra.labels))  # noqa: SIM300


@pattern("Parts with few links", rate="1/s")
def links_few(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: size(n.links) < 20)


not_one = raw_pattern(
    "Not one",
    table=App,
    operation="Query",
    entity=Note,
    key_condition="PK = :pk",
    filter="NOT size(tags) < :one",
    values={":pk": "NOTE#{note_id}", ":one": 1},
    arguments={"note_id": str},
    rate="1/s",
)


# Nothing is wrong with these.


@pattern("Tag a note, and allow the first", rate="1/s")
def tag_first(note_id: str, part: str, tag: str) -> Op[Note]:
    changed = Note.update(note_id=note_id, part=part).include(lambda n: n.tags).items(tag)
    return changed.where(lambda n: missing(n.tags) | (size(n.tags) < 20))


@pattern("Parts with some tags, but few", rate="1/s")
def some(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: exists(n.tags) & (size(n.tags) < 20))


@pattern("Parts with tags", rate="1/s")
def tagged(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: size(n.tags) >= 1)


@pattern("Parts with few items", rate="1/s")
def items_few(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id).where(lambda n: size(n.items) < 20)


# Nothing stops these.


@pattern("Tag a note freely", rate="1/s")
def tag_freely(note_id: str, part: str, tag: str) -> Op[Note]:
    return Note.update(note_id=note_id, part=part).include(lambda n: n.tags).items(tag)


@pattern("Append freely", rate="1/s")
def append_freely(note_id: str, part: str, item: str) -> Op[Note]:
    return Note.update(note_id=note_id, part=part).append(lambda n: n.items).items(item)


# No entity declares the attribute that these add to.

tag_raw = raw_pattern(
    "Tag raw",
    table=App,
    operation="UpdateItem",
    key={"PK": "RAW#{raw_id}", "SK": "RAW"},
    update="ADD labels :l",
    condition="attribute_exists(PK) AND size(labels) < :n",
    values={":l": {"{label}"}, ":n": "{n}"},
    arguments={"raw_id": str, "label": str, "n": int},
    rate="1/s",
)
grow_raw = raw_pattern(
    "Grow raw",
    table=App,
    operation="UpdateItem",
    key={"PK": "RAW#{raw_id}", "SK": "RAW"},
    update="ADD labels :l",
    condition="attribute_exists(PK)",
    values={":l": {"{label}"}},
    arguments={"raw_id": str, "label": str},
    rate="1/s",
)
