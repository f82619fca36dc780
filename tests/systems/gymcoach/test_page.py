"""GymCoach's page matches the code: its units are measured, its names exist."""

from datetime import date, timedelta
from decimal import Decimal
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from tests.systems.gymcoach.people import MORNING, joined, lifted, started
from tests.systems.gymcoach.story import WHO, measured, workouts
from tests.systems.pages import Page, names, operations

from sortkey import DB, Call, Entity, Pattern, Table, load_design
from sortkey.design.declaring.entity import kind_of
from sortkey.wire.values import item_size
from sortkey_systems.gymcoach.api import api
from sortkey_systems.gymcoach.charting import draw
from sortkey_systems.gymcoach.deleting import SEARCHED_PAGES
from sortkey_systems.gymcoach.design import ChartPoint, ProgressChart, WorkoutSession
from sortkey_systems.gymcoach.design.adopting import SEARCHED
from sortkey_systems.gymcoach.finishing import finish

PAGE = Page("gymcoach")
DESIGN = load_design("sortkey_systems.gymcoach.design")
IMAGES = Path(__file__).parents[3] / "docs/systems/images"
JANUARY = date(2032, 1, 5)


@pytest.mark.parametrize("pattern", DESIGN.patterns, ids=lambda p: p.name)
def test_the_units_of_each_pattern_are_as_measured(pattern: Pattern[..., Any]) -> None:
    call = measured()[pattern.name]
    units = f"{len(call.exchanges)} | {call.read_units:g} | {call.write_units:g}"
    assert f"| `{pattern.name}` | {pattern.title} | {units} |" in PAGE.text


def test_the_page_says_whom_it_is_measured_with() -> None:
    assert f"the generated `{WHO}`, who has {workouts()} workouts" in PAGE.text.replace("\n", " ")


@pytest.mark.parametrize("heading", ["Guarantees", "Requirements"])
def test_every_name_on_the_page_exists(heading: str) -> None:
    found = [names(row[1:]) for row in PAGE.rows(heading)]

    assert found
    assert all(found)
    assert [name for row in found for name in row if not PAGE.exists(name)] == []


def test_every_operation_of_the_api_is_on_the_page(memory: DB) -> None:
    assert [row[:2] for row in PAGE.rows("Over HTTP")] == operations(api, memory)


def test_every_attribute_and_key_is_in_the_catalog() -> None:
    listed = {name for row in PAGE.rows("Item catalog") for name in names(row)}

    for kind in DESIGN.kinds:
        for stored_name in kind.stored_names.values():
            assert stored_name in listed, (kind.name, stored_name)


# What the shared partitions take.


def workout() -> WorkoutSession:
    """A usual one: eight exercises of four sets."""
    return WorkoutSession(
        id="0" * 32,
        user_id="0" * 32,
        workout_plan_id="0" * 32,
        name="Upper body",
        started_at=MORNING,
        exercises=[lifted(f"{n:032d}", 100, 100, 102, 105) for n in range(8)],
    )


def test_as_many_workouts_fit_into_the_shared_partition_as_the_page_says() -> None:
    size = item_size(kind_of(WorkoutSession).encode(workout()))
    units = ceil(size / 1024)
    # A transaction costs twice; between its begin and its end ten sets are logged.
    whole = 2 * (1 + 10 + 1) * units
    assert f"{size:,} bytes, {units} units" in PAGE.text
    assert f"{whole} write units." in PAGE.text
    takes = f"takes {1000 // whole} workouts a second"
    assert takes in PAGE.text
    assert takes in kind_of(WorkoutSession).ignore["SK803"]


def shared(shards: int) -> dict[str, Call]:
    """Measure writing, finding and listing in a partition like that of strength progress."""

    class Days(Table):
        """One partition for everybody."""

    class Day(Entity, table=Days):
        user_id: str
        day: date
        exercise_id: str
        note: str = "x" * 300

        primary = Days.primary.key(
            "STRENGTH_PROGRESS", "USER#{user_id}#{day}#{exercise_id}", shards=shards
        )

    calls: list[Call] = []
    with DB.memory(Days, observers=[calls.append]) as db:
        for number in range(40):
            day = JANUARY + timedelta(days=number)
            db(Day(user_id="ada", day=day, exercise_id="squat").create())
        db(Day.get(user_id="ada", day=JANUARY, exercise_id="squat"))
        db(Day.query(user_id="ada").page(25))
        db(Day.query(user_id="ada"))
    return dict(zip(("create", "get", "page", "all"), calls[-4:], strict=True))


def test_shards_cost_what_the_page_says() -> None:
    for what, shown in (
        ("create", "create one"),
        ("get", "find one by its key"),
        ("page", "a page of 25 of a user's 40"),
        ("all", "all of a user's 40"),
    ):
        listed = [
            f"{len(call.exchanges)} / {call.read_units + call.write_units:g}"
            for call in (shared(shards)[what] for shards in (1, 8))
        ]
        assert f"| {shown} | {listed[0]} | {listed[1]} |" in PAGE.text, (what, listed)


def test_finishing_costs_what_the_page_says(memory: DB) -> None:
    joined(memory)
    started(memory, "s1", lifted("squat", 100))
    # Session, profile, milestones and the day's strength; the transaction; session and profile.
    # The transaction reads the earlier key of each gain first.
    with memory.budget(requests=7 + 1, writes=12):
        finish(memory, "ada", "s1")
    started(memory, "s2", *(lifted(f"e{number}", 100) for number in range(8)))
    with memory.budget(requests=7 + 8):
        finish(memory, "ada", "s2")


def test_a_call_searches_as_much_as_the_page_says() -> None:
    assert f"in pages of {SEARCHED:,} items" in PAGE.text
    assert f"`finish_deletions` searches up to {SEARCHED_PAGES} pages in a call" in PAGE.text


# The pictures.


def points(*values: object, days: int = 7) -> list[ChartPoint]:
    return [
        ChartPoint(x_value=f"{JANUARY + timedelta(days=days * n)}", y_value=Decimal(str(value)))
        for n, value in enumerate(values)
    ]


PICTURES: dict[str, dict[str, Any]] = {
    "gymcoach-strength": {
        "chart_type": "strength_progress",
        "title": "Bench press",
        "description": "The best set of each week",
        "data_points": points(60, 62.5, 62.5, 65, 63.75, 67.5, 70, 72.5),
        "y_axis_label": "Weight (kg)",
    },
    "gymcoach-weight": {
        "chart_type": "body_measurement",
        "title": "Body weight",
        "description": "Every third morning",
        "data_points": points(
            *(Decimal(8400 - n * 6 + (n * n * 7919 % 61)) / 100 for n in range(120)), days=3
        ),
        "y_axis_label": "kg",
    },
    "gymcoach-volume": {
        "chart_type": "volume",
        "title": "Change of volume",
        "description": "Against the month before",
        "data_points": [
            ChartPoint(x_value=name, y_value=Decimal(value))
            for name, value in (("Chest", "12.5"), ("Back", "8"), ("Legs", "-6.25"), ("Core", "3"))
        ],
        "x_axis_label": "Muscles",
        "y_axis_label": "%",
    },
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_of_the_page_are_drawn_by_the_system(name: str) -> None:
    usual: dict[str, Any] = {"chart_id": name, "user_id": "ada", "x_axis_label": "Date"}
    drawn = draw(ProgressChart(**(usual | PICTURES[name])))
    assert (IMAGES / f"{name}.svg").read_text("utf-8") == drawn
    assert f"images/{name}.svg" in PAGE.text
