"""An entity whose keys cannot be made, would lie or would collide is refused with every reason."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

import pytest
from pydantic import Field

from sortkey import (
    TTL,
    DesignError,
    Entity,
    Table,
    Version,
    binary,
    gsi,
    lsi,
    number,
    unique,
)
from sortkey.design.records.codecs import Stored

Declare = Callable[[], Any]


class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    places = gsi(["country", "city"], "street")
    counted = gsi("GSI2PK", number("count"))
    by_date = lsi("date")


class Other(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Numbers(Table, partition=number("id")):
    pass


class Pictures(Table, partition="name", sort=binary("hash")):
    pass


class Counts(Table, partition=number("id")):
    pass


class First(Entity, table=Counts):
    id: int


class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")


def foreign() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_other = Other.gsi1.key("ORDERS", "{order_id}")


def too_few() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}")


def too_many() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_place = App.places.key("{order_id}", "a")


def local_by_position() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        day: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_day = App.by_date.key("DAY#{day}")


def local_with_a_partition() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        day: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_day = App.by_date.key("ORDERS", "DAY#{day}")


def absent() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_place = App.places.key()


def undeclared() -> None:
    class Count(Entity, table=Numbers):  # pyright: ignore[reportUnusedClass]
        number: int


def of_another_type() -> None:
    class Count(Entity, table=Numbers):  # pyright: ignore[reportUnusedClass]
        id: str


def text_for_a_number() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_count = App.counted.key("ORDERS", "COUNT#{order_id}")


def clash() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        owner: Annotated[str, Stored("GSI1PK")]
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_owner = App.gsi1.key("OWNER#{owner}", "{order_id}")


def misspelt() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{ordr_id}", "ORDER")


def optional() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str | None = None
        primary = App.primary.key("ORDER#{order_id}", "ORDER")


def unidentified() -> None:
    class Order(Entity, table=App, identity=("user_id", "order_id")):  # pyright: ignore[reportUnusedClass]
        user_id: str
        order_id: str
        primary = App.primary.key("ORDER#{user_id}", "ORDER")


def colliding() -> None:
    class Admin(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        kind: str
        name: str
        primary = App.primary.key("{kind}#{name}", "USER")


def namesake() -> None:
    class Person(Entity, table=App, name="User"):  # pyright: ignore[reportUnusedClass]
        name: str
        primary = App.primary.key("PERSON#{name}", "PERSON")


def numbered_twice() -> None:
    class Second(Entity, table=Counts):  # pyright: ignore[reportUnusedClass]
        id: int


def no_shards() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        recent = App.gsi1.key("ORDERS", "{order_id}", shards=0)


def sharded_table() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        primary = App.primary.key("ORDER#{order_id}", "ORDER", shards=4)


def sharded_field() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        owner: Annotated[str, Stored("GSI1PK")]
        at: Annotated[str, Stored("GSI1SK")]
        primary = App.primary.key("ORDER#{order_id}", "ORDER")
        by_owner = App.gsi1.key(shards=4)


def two_versions() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        rev: Version = 0
        revision: Version = 0
        primary = App.primary.key("ORDER#{order_id}", "ORDER")


def late_version() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        rev: Version = 1
        primary = App.primary.key("ORDER#{order_id}", "ORDER")


def unlockable() -> None:
    class Picture(Entity, table=Pictures):  # pyright: ignore[reportUnusedClass]
        name: str
        hash: bytes
        title: Annotated[str, unique]


def unexpiring() -> None:
    class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
        order_id: str
        until: TTL | None = None
        primary = App.primary.key("ORDER#{order_id}", "ORDER")


FAULTS: list[tuple[Declare, str, str]] = [
    (foreign, "SK105", r"Order\.by_other: Other\.gsi1 is not an index of App"),
    (too_few, "SK106", r"needs a template for each of SK, but has 0"),
    (too_many, "SK106", r"needs a template for each of country, city, but has 1"),
    (local_by_position, "SK106", r'only date has a template\. Write key\(sort="DAY#\{day\}"\)'),
    (local_with_a_partition, "SK106", r'Write key\(sort="DAY#\{day\}"\)'),
    (absent, "SK107", r"Order\.by_place\.country: Order stores no country"),
    (undeclared, "SK107", r"Count\.primary\.id: Count stores no id"),
    (of_another_type, "SK108", r'"id" is stored as S, but the key attribute has type N'),
    (text_for_a_number, "SK108", r"a template writes text, but the key attribute has type N"),
    (clash, "SK109", r'"owner" is stored under the key attribute\'s name'),
    (misspelt, "SK200", r'did you mean "order_id"\?'),
    (optional, "SK103", r'"order_id" may be None, but a primary key must not'),
    (unidentified, "SK102", r'"order_id" identifies Order but is not in its key'),
    (colliding, "SK101", r"Admin and User can have the same key"),
    (numbered_twice, "SK101", r"Second and First can have the same key"),
    (namesake, "SK104", r'User has the same name, "User"'),
    (no_shards, "SK116", r"shards=0 is not possible"),
    (sharded_table, "SK116", r"shards=4 is not possible"),
    (sharded_field, "SK116", r"shards=4 is not possible"),
    (two_versions, "SK113", r"rev, revision are all marked version"),
    (late_version, "SK115", r'"rev" is a version but does not start at 0'),
    (unlockable, "SK114", r'"title" is unique, but the keys of Pictures are not text'),
    (unexpiring, "SK301", r'"until" is a TTL stored as "until", but App has no TTL attribute'),
]


@pytest.mark.parametrize(
    ("declare", "code", "message"), FAULTS, ids=[declare.__name__ for declare, _, _ in FAULTS]
)
def test_it_is_refused_by_name_and_place(declare: Declare, code: str, message: str) -> None:
    before = list(App.definition.entities)

    with pytest.raises(DesignError, match=message) as refusal:
        declare()

    assert {finding.code for finding in refusal.value.findings} == {code}
    assert App.definition.entities == before


LIES: list[tuple[str, str, str, str]] = [
    # A sort key, then the code, what is said of it, and the remedy.
    (
        "LINE#{number}",
        "SK201",
        'unpadded: "10" sorts before "9"',
        "Write `LINE#{number:020d}` instead of",
    ),
    ("{placed:%d-%m-%Y}", "SK202", "does not sort chronologically", "a format from coarse to fine"),
    ("LINE#{title}{line_id}", "SK203", "cannot be read back", "Put a delimiter between them"),
    ("UNIQUE#{line_id}", "SK204", "marks the locks of unique fields", "Begin it with another word"),
    ("USER", "SK101", "Line and User can have the same key", "Begin one of the templates"),
    ("{line_id:x}", "SK200", "", ""),
    ("{line_id", "SK200", "cannot be read", "{field:format}"),
]


@pytest.mark.parametrize(
    ("template", "code", "message", "remedy"), LIES, ids=[lie[0] for lie in LIES]
)
def test_a_key_that_would_lie_is_refused_by_class_template_and_remedy(
    template: str, code: str, message: str, remedy: str
) -> None:
    with pytest.raises(DesignError) as refusal:

        class Line(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            user_id: str
            line_id: str
            title: str
            number: int
            placed: datetime
            primary = App.primary.key("USER#{user_id}", template)

    [finding] = refusal.value.findings
    assert finding.code == code
    assert finding.where in {"Line.primary", "Line.primary.SK"}
    for text in (template, message, remedy):
        assert text in str(refusal.value)
    assert "Line" not in [kind.name for kind in App.definition.entities]


@pytest.mark.parametrize("template", ["{number}", "{title}{line_id}", "{placed:%H}"])
def test_a_key_of_an_index_is_held_to_the_same(template: str) -> None:
    with pytest.raises(DesignError, match=r"Line\.by_line\.GSI1SK"):

        class Line(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            line_id: str
            title: str
            number: int
            placed: datetime
            primary = App.primary.key("LINE#{line_id}", "LINE")
            by_line = App.gsi1.key("LINES", template)


@pytest.mark.parametrize(
    ("one", "other", "collide"),
    [
        ("ITEM#{a}", "ITEM#{b}", True),
        ("ITEM#{a}", "ITEM#{b}#PART#{c}", False),  # a slot does not contain its delimiter
        ("ITEM#{a}", "{b}#x", True),
        ("ITEM#{a}", "PART#{b}", False),
        ("ITEM#{a}", "ITEM#{n:04d}", True),
        ("ITEM", "ITEM", True),
    ],
)
def test_two_entities_of_a_table_share_no_key(one: str, other: str, *, collide: bool) -> None:
    class Shop(Table):
        pass

    class First(Entity, table=Shop):  # pyright: ignore[reportUnusedClass]
        shop: str
        a: str = "a"
        primary = Shop.primary.key("SHOP#{shop}", one)

    def second() -> None:
        class Second(Entity, table=Shop):  # pyright: ignore[reportUnusedClass]
            shop: str
            b: str = "b"
            c: str = "c"
            n: int = 0
            primary = Shop.primary.key("SHOP#{shop}", other)

    if not collide:
        second()
        return
    with pytest.raises(DesignError, match="SK101 shared-key at Second") as refusal:
        second()
    assert f"(SHOP#{{shop}} / {other} and SHOP#{{shop}} / {one})" in str(refusal.value)


def test_all_faults_are_told_together() -> None:
    with pytest.raises(DesignError) as refusal:

        class Order(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            order_id: str | None = None
            number: int
            rev: Version = 3
            primary = App.primary.key("ORDER#{order_id}", "{number}")

    assert [finding.code for finding in refusal.value.findings] == ["SK115", "SK201", "SK103"]


def test_a_bare_field_under_the_attributes_own_name_needs_no_second_copy() -> None:
    class Trip(Entity, table=App):
        trip_id: str
        country: str
        city: str
        street: str
        primary = App.primary.key("TRIP#{trip_id}", "TRIP")
        by_place = App.places.key(("{country}", "{city}"), "{street}")

    stored = Trip(trip_id="t", country="no", city="oslo", street="a").create().params()["Item"]

    assert set(stored) == {"PK", "SK", "_type", "trip_id", "country", "city", "street"}


def test_an_entity_declared_again_takes_the_place_of_the_first() -> None:
    def declare() -> type[Entity]:
        class Note(Entity, table=Other):
            note_id: str
            primary = Other.primary.key("NOTE#{note_id}", "NOTE")

        return Note

    first, second = declare(), declare()

    assert first is not second
    assert [kind.model for kind in Other.definition.entities] == [second]


def test_the_bounds_of_a_field_make_its_number_sort() -> None:
    class Season(Entity, table=App):
        club: str
        year: Annotated[int, Field(gt=1899, lt=10_000)]
        primary = App.primary.key("CLUB#{club}", "{year}")

    since = Season.query(club="a").ge(year=2000).params()

    assert since["ExpressionAttributeValues"][":v1"] == {"S": "2000"}


def test_a_number_that_may_be_negative_is_not_padded() -> None:
    with pytest.raises(DesignError, match="Store `degrees` with an offset"):

        class Reading(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            sensor: str
            degrees: Annotated[int, Field(ge=-90, le=60)]
            primary = App.primary.key("SENSOR#{sensor}", "{degrees}")
