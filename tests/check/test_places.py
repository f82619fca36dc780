"""A finding leads to the line that it is about."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.model import Model
from sortkey.check.places import SourceLines
from sortkey.check.runner import check
from sortkey.design.findings import Finding, SourceLine

TABLES = """\
from sortkey import Table, gsi


class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")
"""
DESIGN = """\
import tables
from sortkey import About, Entity, Op, Role, pattern, raw_pattern


class Base(Entity):
    token: str


class Note(
    Base,
    table=tables.App,
):
    note_id: str
    primary = tables.App.primary.key("NOTE#{note_id}", "NOTE")


@pattern("All notes")
def notes() -> Op[list[Note]]:
    return Note.scan()


raw = raw_pattern(
    "Every note",
    table=tables.App,
    operation="Scan",
)
reader = Role("reader", [])
about = About(name="notes")
"""


@pytest.fixture
def found(tmp_path: Path) -> dict[str, Finding]:
    (tmp_path / "tables.py").write_text(TABLES)
    (tmp_path / "design.py").write_text(DESIGN)
    report = check(load_design(tmp_path / "design.py"))
    return {f"{found.code} {found.where}": found for found in report.open}


@pytest.mark.parametrize(
    ("finding", "file", "line"),
    [
        ("SK421 App.gsi1", "tables.py", 5),
        # A field of a base stands there.
        ("SK609 Note.token", "design.py", 6),
        ("SK413 notes", "design.py", 17),
        ("SK413 every_note", "design.py", 22),
        ('SK613 Role "reader"', "design.py", 27),
    ],
)
def test_a_finding_has_its_line(
    found: dict[str, Finding], tmp_path: Path, finding: str, file: str, line: int
) -> None:
    assert found[finding].place == SourceLine(str(tmp_path / file), line)


def test_a_key_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "tables.py").write_text(TABLES)
    (tmp_path / "design.py").write_text(DESIGN)
    model = Model(load_design(tmp_path / "design.py"))
    [note] = model.kinds

    assert SourceLines(model).of(note.primary) == SourceLine(str(tmp_path / "design.py"), 14)
    assert SourceLines(model).of(note) == SourceLine(str(tmp_path / "design.py"), 9)


def test_a_place_is_shown_by_the_shortest_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert str(SourceLine(str(tmp_path / "a/design.py"), 3)) == "a/design.py:3"
    assert str(SourceLine("/elsewhere/design.py", 3)) == "/elsewhere/design.py:3"
