"""Which entities a raw request is about, by the form of the keys that it names."""

from datetime import date
from typing import Any

import pytest

from sortkey import Design, Entity, Table, raw_pattern
from sortkey.check.model import Model
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.key_forms import fixed_fields
from sortkey.design.plans.tracing import trace
from sortkey.design.raw.pattern import RawPattern
from sortkey.design.records.keys.templates import parse_template


class Old(Table, raw=True):
    pass


class User(Entity, table=Old):
    user_id: str
    primary = Old.primary.key("USER#{user_id}", "PROFILE")


class Ride(Entity, table=Old):
    user_id: str
    day: date
    primary = Old.primary.key("USER#{user_id}", "RIDE#{day}")


class Run(Entity, table=Old):
    user_id: str
    day: date
    primary = Old.primary.key("USER#{user_id}", "RUN#{day}")


def kinds(asked: RawPattern) -> list[str]:
    design: Design = design_of("old", [])
    whole = Design(
        design.name, design.about, (Old,), {Old: (User, Ride, Run)}, (), (asked,), (), ()
    )
    [request] = Model(whole).requests
    return [kind.name for kind in request.kinds]


@pytest.mark.parametrize(
    ("condition", "values", "names"),
    [
        ("PK = :pk", {":pk": "USER#{user_id}"}, ["User", "Ride", "Run"]),
        ("PK = :pk", {":pk": "TEAM#{user_id}"}, []),
        ("PK = :pk AND SK = :sk", {":pk": "USER#{user_id}", ":sk": "PROFILE"}, ["User"]),
        (
            "PK = :pk AND begins_with(SK, :sk)",
            {":pk": "USER#{user_id}", ":sk": "R"},
            ["Ride", "Run"],
        ),
        (
            "PK = :pk AND SK BETWEEN :a AND :b",
            {":pk": "USER#{user_id}", ":a": "RIDE#{first}", ":b": "RIDE#{last}"},
            ["Ride"],
        ),
        (
            "PK = :pk AND SK BETWEEN :a AND :b",
            {":pk": "USER#{user_id}", ":a": "RIDE#{first}", ":b": "RUN#{last}"},
            ["Ride", "Run"],
        ),
        (
            "PK = :pk AND SK BETWEEN :a AND :b",
            {":pk": "USER#{user_id}", ":a": "RIDE#", ":b": "RIDE#{last}"},
            ["Ride"],
        ),
        ("PK = :pk AND SK > :sk", {":pk": "USER#{user_id}", ":sk": "S"}, ["User", "Ride", "Run"]),
    ],
)
def test_a_query_is_about_what_its_key_condition_can_meet(
    condition: str, values: dict[str, Any], names: list[str]
) -> None:
    arguments = {"user_id": str, "first": date, "last": date}
    asked = raw_pattern(
        "Asked",
        table=Old,
        operation="Query",
        key_condition=condition,
        values=values,
        arguments=arguments,
    )

    assert kinds(asked) == names


def test_a_put_is_about_what_its_item_is() -> None:
    asked = raw_pattern(
        "Write",
        table=Old,
        operation="PutItem",
        item={"PK": "USER#{user_id}", "SK": "RUN#{day}", "distance": 3},
        arguments={"user_id": str, "day": date},
    )

    assert kinds(asked) == ["Run"]


def test_what_is_named_is_not_guessed() -> None:
    asked = raw_pattern(
        "All",
        table=Old,
        operation="Query",
        key_condition="PK = :pk",
        values={":pk": "USER#{user_id}"},
        entity=User,
        arguments={"user_id": str},
    )

    assert kinds(asked) == ["User"]


@pytest.mark.parametrize(
    ("condition", "sort", "fixed"),
    [
        ("SK = :sk", "A#{a}#{n}#{b}", {"a", "n", "b"}),
        ("SK = :sk", "A#x#1#y", {"a", "n", "b"}),
        ("begins_with(SK, :sk)", "A#{a}#{n}#", {"a", "n"}),
        ("begins_with(SK, :sk)", "A#{a}#{n}", {"a"}),
        ("begins_with(SK, :sk)", "A#x#1", {"a"}),
        ("begins_with(SK, :sk)", "A#", set[str]()),
        ("begins_with(SK, :sk)", "B#{a}#", set[str]()),
        ("SK BETWEEN :sk AND :end", "A#{a}#{n}", {"a"}),
        ("SK BETWEEN :sk AND :end", "A#{a}#", {"a"}),
        ("SK <= :sk", "A#{a}#{n}", set[str]()),
    ],
)
def test_what_is_alike_in_all_that_a_request_reads(
    condition: str, sort: str, fixed: set[str]
) -> None:
    template = parse_template("A#{a}#{n}#{b}", {"a": str, "n": int, "b": str})
    values = {":pk": "USER#{user_id}", ":sk": sort}
    if ":end" in condition:
        values[":end"] = "A#{a}#~"
    asked = raw_pattern(
        "Asked",
        table=Old,
        operation="Query",
        key_condition=f"PK = :pk AND {condition}",
        values=values,
        arguments={"user_id": str, "a": str, "n": int, "b": str},
    )
    [step] = trace(asked, design_of("old", [])).steps

    assert fixed_fields(step, "SK", template) == fixed


def test_no_other_entity_stands_for_one_that_could_not_be_built() -> None:
    class Broken(Entity, table=Old):
        primary = Old.primary.key("USER#{absent}", "BROKEN")

    asked = raw_pattern(
        "All",
        table=Old,
        operation="Query",
        key_condition="PK = :pk",
        values={":pk": "USER#{user_id}"},
        entity=Broken,
        arguments={"user_id": str},
    )

    assert kinds(asked) == []
