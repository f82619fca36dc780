"""Any number of records like one: each distinct, valid, and the same each time."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import Field, StringConstraints
from tests.prove.designs import design

from sortkey.prove.strategies import Strategies
from sortkey.prove.values import valid
from sortkey.prove.variation import another_value, numbered, simplest, variations


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (str, "a"),
        (Annotated[str, StringConstraints(max_length=5)], "a"),
        (Annotated[str, StringConstraints(pattern="^[0-9A-Z]{26}$")], "0" * 26),
        (Annotated[str, StringConstraints(pattern="^[a-z]{4}$")], "aaaa"),
        (Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}$")], "2032-02"),
        (int, 1),
        (Annotated[int, Field(le=0)], 0),
        (Decimal, Decimal("1.5")),
        (date, date(2032, 2, 29)),
        (datetime, datetime(2032, 2, 29, 12, tzinfo=UTC)),
        (UUID, UUID(int=1)),
        (bytes, b"a"),
    ],
)
def test_numbered_values_are_valid_and_all_different(annotation: Any, value: Any) -> None:
    made = numbered(annotation, value)

    assert made is not None
    values = [made(number) for number in range(1, 200)]
    assert len({repr(each) for each in (value, *values)}) == 200
    assert all(valid(annotation, each) == [each] for each in values)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (bool, True),
        (Colour, Colour.RED),
        (Literal["a", "b"], "a"),
        (Annotated[int, Field(ge=1, le=9)], 1),
        (list[str], ["a"]),
    ],
)
def test_a_type_with_few_values_has_none_by_number_but_another(annotation: Any, value: Any) -> None:
    assert numbered(annotation, value) is None
    [another] = another_value(annotation, value)
    assert another != value


def test_variations_of_a_record_have_keys_of_their_own(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class User(Entity, table=App):
    org: str
    user_id: str
    email: Annotated[str, unique]
    state: str = "on"
    primary = App.primary.key("ORG#{org}", "USER#{user_id}")
    by_state = App.gsi1.key("STATE#{state}", "{user_id}")
""",
    )
    [kind] = loaded.kinds
    record = simplest(kind, {"org": "acme"}, Strategies())
    assert record is not None
    assert kind.values(record)["org"] == "acme"

    ways = list(variations(record, ["state"]))
    assert {tuple(way.numbers) for way in ways} >= {("email", "user_id"), ("email", "org")}
    for way in ways:
        made = [each for each in map(way.record, range(1, 20)) if each is not None]
        keys = {repr(kind.key_of(each)) for each in (record, *made)}
        assert len(keys) == 20
        assert len({kind.values(each)["email"] for each in made}) == 19


def test_the_simplest_record_is_alive(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
class App(Table, ttl="ends"):
    pass

class Code(Entity, table=App):
    code_id: str
    ends: TTL
    primary = App.primary.key("CODE#{code_id}", "CODE")
""",
    )
    [kind] = loaded.kinds

    record = simplest(kind, {}, Strategies())

    assert record is not None
    assert kind.values(record)["ends"] > datetime(2032, 2, 29, 12, tzinfo=UTC)


def test_an_entity_whose_values_depend_on_each_other_still_has_a_record(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        """
from pydantic import model_validator

class App(Table):
    pass

class Span(Entity, table=App):
    first: int
    last: int
    primary = App.primary.key("SPAN", "{first:unordered}#{last:unordered}")

    @model_validator(mode="after")
    def _ordered(self):
        if self.first >= self.last:
            raise ValueError("the last comes after the first")
        return self
""",
    )
    [kind] = loaded.kinds

    assert simplest(kind, {}, Strategies()) is not None
