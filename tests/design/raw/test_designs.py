"""A raw design loads with its faults: tables, entities and patterns, and findings about each."""

from pathlib import Path

import pytest

from sortkey import Design, load_design
from sortkey.design.plans.value import plan_of

SOURCE = """
import tables
from sortkey import Entity, Role, raw_pattern

class Award(Entity, table=tables.Collect):
    user_id: str
    part: int
    primary = tables.Collect.primary.key("USER#{user_id}", "AWARD#{part}")

awards = raw_pattern(
    "Awards of a user",
    table=tables.Collect,
    operation="Query",
    key_condition="PK = :pk",
    filter="begins_with(SK, :award)",
    values={":pk": "USER#{user_id}", ":award": "AWARD#"},
    arguments={"user_id": str},
    rate="2/s",
)
audit = Role(
    "auditor",
    [
        raw_pattern(
            "Events of a day",
            table=tables.Audit,
            operation="Query",
            index="ByDay",
            key_condition=":day = #day AND #at BETWEEN :start AND :end",
            names={"#day": "day", "#at": "at"},
            values={":day": "{day}", ":start": "{start}", ":end": "{end}"},
            arguments={"day": str, "start": str, "end": str},
            select="COUNT",
        )
    ],
)
"""
TABLES = """
from sortkey import Table, gsi

class Collect(Table, raw=True):
    pass

class Audit(Table, raw=True):
    by_day = gsi("day", "at", name="ByDay")
"""


@pytest.fixture
def design(tmp_path: Path) -> Design:
    (tmp_path / "tables.py").write_text(TABLES)
    (tmp_path / "collect.py").write_text(SOURCE)
    return load_design(tmp_path / "collect.py")


def test_its_patterns_lead_to_their_tables(design: Design) -> None:
    assert [table.__name__ for table in design.tables] == ["Collect", "Audit"]
    assert [pattern.name for pattern in design.patterns] == ["awards_of_a_user", "events_of_a_day"]


def test_its_findings_are_those_of_its_entities_and_patterns(design: Design) -> None:
    assert [(finding.code, finding.where) for finding in design.findings] == [
        ("SK201", "Award.primary.SK"),
        ("SK507", "awards_of_a_user.filter"),
    ]


def test_its_plan_is_told_in_arguments(design: Design) -> None:
    awards, events = plan_of(design)["patterns"]

    [asked] = awards["steps"]
    assert asked["key"]["PK"]["template"] == "USER#{user_id}"
    assert asked["filter"] == 'begins_with(SK, "AWARD#")'
    [asked] = events["steps"]
    assert asked["index"] == "ByDay"
    assert asked["key"]["day"] == {"op": "=", "template": "{day}", "bound": {"day": "$day"}}
    assert asked["key"]["at"]["op"] == "between"
    assert [bound["template"] for bound in asked["key"]["at"]["bounds"]] == ["{start}", "{end}"]
    assert asked["select"] == "COUNT"
