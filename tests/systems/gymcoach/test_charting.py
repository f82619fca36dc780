"""Charts are well-formed pictures of what is stored, whatever that is."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.gymcoach.people import joined

from sortkey import DB
from sortkey_systems.gymcoach.charting import BAR_CHARTS, HEIGHT, WIDTH, draw, picture
from sortkey_systems.gymcoach.crud import add
from sortkey_systems.gymcoach.design import ChartPoint, ProgressChart, progress_charts
from sortkey_systems.gymcoach.errors import RecordNotFound

SVG = "{http://www.w3.org/2000/svg}"


def chart(*points: tuple[object, object], **fields: Any) -> ProgressChart:
    usual: dict[str, Any] = {
        "chart_id": "c1",
        "user_id": "ada",
        "chart_type": "strength_progress",
        "title": "Squat",
        "x_axis_label": "Date",
        "y_axis_label": "Weight (kg)",
        "data_points": [ChartPoint(x_value=str(x), y_value=Decimal(str(y))) for x, y in points],
    }
    return ProgressChart(**(usual | fields))


def weeks(*values: object) -> list[tuple[object, object]]:
    return [(date(2032, 1, 5) + timedelta(days=7 * n), value) for n, value in enumerate(values)]


def drawn(one: ProgressChart) -> ET.Element:
    return ET.fromstring(draw(one))


def texts(root: ET.Element) -> list[str]:
    return [str(text.text) for text in root.iter(f"{SVG}text")]


def test_a_line_goes_through_every_value() -> None:
    root = drawn(chart(*weeks(100, 105, 102.5)))
    [line] = root.iter(f"{SVG}polyline")
    assert len(line.attrib["points"].split()) == 3
    assert len([*root.iter(f"{SVG}circle")]) == 3
    assert {"Squat", "Date", "Weight (kg)", "5 Jan 2032", "12 Jan", "19 Jan", "102.5"} <= {
        *texts(root)
    }


def test_greater_values_are_higher_and_later_ones_further_right() -> None:
    root = drawn(chart(*weeks(100, 105, 102)))
    dots = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{SVG}circle")]
    assert sorted(dots) == dots
    assert dots[1][1] < dots[2][1] < dots[0][1]


def test_values_stand_where_their_dates_are_in_whichever_order_they_are_stored() -> None:
    days = weeks(1, 2, 3)
    assert draw(chart(days[2], days[0], days[1])).count("<circle") == 3
    [line] = drawn(chart(days[2], days[0], days[1])).iter(f"{SVG}polyline")
    [ordered] = drawn(chart(*days)).iter(f"{SVG}polyline")
    assert line.attrib["points"] == ordered.attrib["points"]


@pytest.mark.parametrize("chart_type", sorted(BAR_CHARTS))
def test_amounts_are_bars_that_stand_on_zero(chart_type: str) -> None:
    root = drawn(chart(("May", 4), ("June", -2), ("July", 0), chart_type=chart_type))
    bars = [r for r in root.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    up, down, none = ((float(b.attrib["y"]), float(b.attrib["height"])) for b in bars)
    assert up[0] + up[1] == pytest.approx(down[0])
    assert up[1] == pytest.approx(2 * down[1], abs=0.2)
    assert none[1] == 0
    assert {"May", "June", "July", "4", "-2", "0"} <= {*texts(root)}
    assert not [*root.iter(f"{SVG}polyline")]


def test_a_chart_has_a_description_for_screen_readers() -> None:
    root = drawn(chart(*weeks(100, 105), description="Weekly best."))
    assert root.attrib["role"] == "img"
    names = root.attrib["aria-labelledby"].split()
    texts = [next(e for e in root.iter() if e.attrib.get("id") == name).text for name in names]
    assert texts[0] == "Squat"
    assert texts[1] == (
        "Weekly best. Line chart of 2 values, Weight (kg) by Date, from 2032-01-05 to "
        "2032-01-12: lowest 100, highest 105, last 105."
    )


def test_two_charts_on_one_page_have_names_of_their_own() -> None:
    one, other = drawn(chart()), drawn(chart(chart_id="c2"))
    assert one.attrib["aria-labelledby"] != other.attrib["aria-labelledby"]


def test_without_values_it_says_so() -> None:
    root = drawn(chart())
    assert "No values yet" in texts(root)
    assert not [*root.iter(f"{SVG}circle")]


def test_one_value_stands_in_the_middle() -> None:
    root = drawn(chart(("2032-01-01", 135)))
    [dot] = root.iter(f"{SVG}circle")
    assert WIDTH * 0.4 < float(dot.attrib["cx"]) < WIDTH * 0.6
    assert {"135", "1 Jan 2032"} <= {*texts(root)}


def test_equal_values_are_a_line_with_room_around_it() -> None:
    root = drawn(chart(*weeks(100, 100, 100)))
    heights = {float(c.attrib["cy"]) for c in root.iter(f"{SVG}circle")}
    assert len(heights) == 1
    assert 100 < heights.pop() < HEIGHT - 100


def test_values_below_zero_are_drawn() -> None:
    root = drawn(chart(*weeks(-5, -1, 2)))
    assert "-4" in texts(root)
    assert "0" in texts(root)


def test_markup_is_escaped() -> None:
    nasty = "<script>alert('&\"')</script>"
    one = chart(("<x>", 1), ("&", 2), title=nasty, description=nasty, x_axis_label=nasty[:50])
    assert "<script>" not in draw(one)
    assert nasty in texts(drawn(one))


def test_many_values_are_a_line_without_dots() -> None:
    many = [(date(2030, 1, 1) + timedelta(days=n), n % 7) for n in range(1_000)]
    root = drawn(chart(*many))
    assert len([*root.iter(f"{SVG}circle")]) == 1
    assert len(texts(root)) < 40


def test_texts_that_are_too_long_are_cut() -> None:
    root = drawn(chart(*weeks(1, 2), title="T" * 200, description="筋" * 500))
    title, description = texts(root)[:2]
    assert title.endswith("…")
    assert len(title) < 70
    assert description.endswith("…")
    assert len(description) < 70


LABELS = st.text(min_size=1, max_size=30)
DATES = st.dates(date(1, 1, 1), date(9999, 12, 31)).map(str)


@given(
    points=st.lists(
        st.tuples(
            st.one_of(DATES, LABELS),
            st.decimals(
                allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30
            ),
        ),
        max_size=30,
    ),
    chart_type=st.sampled_from(["strength_progress", "volume"]),
    title=LABELS,
)
def test_whatever_is_stored_is_drawn_well_formed_and_within_the_picture(
    points: list[tuple[str, Decimal]], chart_type: str, title: str
) -> None:
    stored = [ChartPoint(x_value=x, y_value=y, label=x) for x, y in points]
    root = drawn(chart(data_points=stored, chart_type=chart_type, title=title))
    for element in root.iter():
        for name in ("x", "cx", "x1", "x2"):
            assert -1 <= float(element.attrib.get(name, 0)) <= WIDTH + 1
        for name in ("y", "cy", "y1", "y2"):
            assert -1 <= float(element.attrib.get(name, 0)) <= HEIGHT + 1


def test_the_picture_of_a_stored_chart_is_its_owners(db: DB) -> None:
    joined(db)
    one = add(db, progress_charts, chart(*weeks(1, 2)))
    assert picture(db, "ada", "c1") == draw(one)
    with pytest.raises(RecordNotFound):
        picture(db, "eve", "c1")
