"""Where a design's handlers are imported from, and where its settings are."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.design.declaring.loader import root_of
from sortkey.local.roots import folder_of

SOURCE = """
from sortkey import Entity, Table

class {name}(Table):
    pass

class Note(Entity, table={name}):
    note_id: str
    primary = {name}.primary.key("NOTE#{{note_id}}", "NOTE")
"""


@pytest.mark.parametrize(
    ("place", "packages", "root"),
    [
        ("design.py", [], "."),
        ("rooted/design.py", ["rooted"], "."),
        ("outer/inner/design.py", ["outer", "outer/inner"], "."),
        ("plain/outer2/__init__.py", ["plain/outer2"], "plain"),
    ],
)
def test_modules_are_imported_from_above_the_outermost_package(
    tmp_path: Path, place: str, packages: list[str], root: str
) -> None:
    for package in packages:
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
    file = tmp_path / place
    file.write_text(SOURCE.format(name=f"Kept{len(place)}"))

    design = load_design(file)

    assert root_of(design) == (tmp_path / root).resolve()
    assert folder_of(design) == file.parent.resolve()
