import json
from pathlib import Path

import pytest
from benchmarks.figures import Series, Target
from benchmarks.report import BEGIN, END, NoPlaceError, Report, client_versions, find_place
from benchmarks.table import rates


@pytest.fixture
def report() -> Report:
    made = Report({"machine": "a small one"})
    measured = {"GetItem": {"sortkey": Series((100.0,)), "moto": Series((4.0,))}}
    target = Target("GetItem against moto", 25.0, "x", at_least=20)
    made.add(
        "memory", rates("In memory", measured, {"moto": "sortkey"}), [target], {"some": "figures"}
    )
    return made


def test_writing_replaces_only_the_text_between_the_markers(report: Report, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold figures\n{END}\n\nAfter.\n")
    report.write_into(page)
    written = page.read_text()
    assert written.startswith(f"# Before\n\n{BEGIN}\n")
    assert written.endswith(f"{END}\n\nAfter.\n")
    assert "old figures" not in written
    assert "### In memory" in written


def test_writing_twice_changes_nothing_more(report: Report, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n")
    report.write_into(page)
    once = page.read_text()
    report.write_into(page)
    assert page.read_text() == once


def test_a_page_may_have_figures_of_two_benchmarks(report: Report, tmp_path: Path) -> None:
    other = "<!-- figures of another -->"
    page = tmp_path / "page.md"
    page.write_text(f"{other}\nkept\n{END}\n\nBetween.\n\n{BEGIN}\nold\n{END}\n")
    report.write_into(page)
    assert page.read_text().startswith(f"{other}\nkept\n{END}\n\nBetween.\n\n{BEGIN}\n")
    report.write_into(page, other)
    written = page.read_text()
    assert "kept" not in written
    assert written.count("### In memory") == 2
    assert "\n\nBetween.\n\n" in written


def test_a_page_without_marks_is_left_alone(report: Report, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Nothing here\n")
    with pytest.raises(NoPlaceError):
        report.write_into(page)
    assert page.read_text() == "# Nothing here\n"


def test_the_docs_page_has_a_place_for_the_figures() -> None:
    before, after = find_place(Path(__file__).parents[2] / "docs" / "benchmarks.md")
    assert before.startswith("# Benchmarks")
    assert "## Reading the figures" in after


def test_a_missing_page_has_no_place(tmp_path: Path) -> None:
    with pytest.raises(NoPlaceError, match=r"page\.md"):
        find_place(tmp_path / "page.md")


def test_every_client_is_shown_with_its_version() -> None:
    assert [version.split()[0] for version in client_versions()] == [
        "boto3",
        "PynamoDB",
        "aiodynamo",
        "pydynox",
        "pydynantic",
        "Pydantic",
    ]
    assert all(version.split()[1][0].isdigit() for version in client_versions())


def test_json_has_every_target_with_its_verdict(report: Report) -> None:
    (target,) = json.loads(report.as_json())["targets"]
    assert (target["promise"], target["kept"]) == ("GetItem against moto", True)


def test_the_text_ends_with_how_many_targets_were_met(report: Report) -> None:
    assert report.as_text().endswith("1 of 1 targets met")
