"""Scan: the whole table, at once or in segments."""

import pytest
from tests.operations.design import Note

from sortkey import Refused


def test_a_scan_reads_the_table_page_after_page() -> None:
    plan = Note.scan()._plan()

    assert plan.shape == "pages"
    assert [(step.verb, step.index, step.filter) for step in plan.steps] == [("Scan", None, None)]


def test_its_conditions_hold_together() -> None:
    params = Note.scan().where(lambda n: n.stars > 3).where(lambda n: n.likes == 0).params()

    assert params["FilterExpression"] == "#n0 > :v0 AND #n1 = :v1"


def test_its_segments_are_all_of_it() -> None:
    parts = [scan.params() for scan in Note.scan().segments(3)]

    assert [(part["Segment"], part["TotalSegments"]) for part in parts] == [(0, 3), (1, 3), (2, 3)]


@pytest.mark.parametrize("count", [0, 1_000_001])
def test_the_number_of_segments_is_dynamodbs(count: int) -> None:
    with pytest.raises(Refused, match=f"a scan has from 1 to 1,000,000 segments, not {count}"):
        Note.scan().segments(count)


def test_counting_reads_keys_only() -> None:
    params = Note.scan().where(lambda n: n.stars > 3).count().params()

    assert "ProjectionExpression" in params
    assert set(params["ExpressionAttributeNames"].values()) == {"stars", "PK", "SK", "_type"}


def test_a_count_has_no_limit() -> None:
    with pytest.raises(Refused, match="counts everything"):
        Note.scan().limit(3).count()
