"""The dashboard has a row for everything that has metrics of its own."""

import json

import pytest
from tests.synth.outputs import DESIGNS, output, stack
from tests.synth.readers.cloudformation import template
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.templates import widgets_in

from sortkey.synth.dashboard import body_of


@pytest.mark.parametrize("design", DESIGNS)
def test_there_is_a_row_for_each_table_and_global_index(design: str) -> None:
    made = stack(design, "prod")
    expected = [
        title
        for table in made.tables
        if table.name != "counters-prod"  # it asks not to be shown
        for title in (table.name, *(f"{table.name}, {i.name}" for i in table.global_indexes))
    ]

    programs = made.programs
    letters = {id(queue.dead_letters) for queue in programs.queues}
    failed = {id(function.dead_letters) for function in programs.functions}
    expected += [
        *(function.name for function in programs.functions),
        *(queue.name for queue in programs.queues if id(queue) not in letters | failed),
        *(api.name for api in programs.apis),
    ]
    assert made.dashboard is not None
    assert [row.title for row in made.dashboard.rows] == expected


@pytest.mark.parametrize("design", DESIGNS)
def test_the_dashboard_that_is_written_is_the_one_of_the_model(design: str) -> None:
    dashboard = stack(design, "prod").dashboard
    assert dashboard is not None

    text = output("cloudformation", design, "prod")["template.yaml"]

    # The reader knows an API by its name.
    body = body_of(dashboard, "eu-central-1", lambda api: api.name)
    assert by_template(template(text)).dashboards == {dashboard.name: widgets_in(body)}


@pytest.mark.parametrize("design", DESIGNS)
def test_its_widgets_do_not_overlap_and_stay_within_the_grid(design: str) -> None:
    dashboard = stack(design, "prod").dashboard
    assert dashboard is not None
    body = body_of(dashboard, "eu-central-1")

    taken: set[tuple[int, int]] = set()
    for widget in body["widgets"]:
        cells = {
            (x, y)
            for x in range(widget["x"], widget["x"] + widget["width"])
            for y in range(widget["y"], widget["y"] + widget["height"])
        }
        assert not cells & taken
        assert widget["x"] + widget["width"] <= 24
        taken |= cells
    assert len(body["widgets"]) <= 500  # CloudWatch takes no more
    assert json.dumps(body)
