"""Applications import `sortkey` and `sortkey.testing`, and nothing internal."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PUBLIC = {"sortkey", "sortkey.testing"}
SHOWN = [
    ROOT / "README.md",
    *sorted((ROOT / "docs/guides").glob("*.md")),
    *sorted((ROOT / "docs/tutorial").glob("*.*")),
    *sorted((ROOT / "docs/systems").glob("*.md")),
    *sorted((ROOT / "docs/reference").glob("*.md")),
    ROOT / "docs/why.md",
    *sorted((ROOT / "examples").rglob("*.py")),
    *sorted((ROOT / "systems").rglob("*.py")),
]
IMPORTED = re.compile(r"^\s*(?:from|import) (sortkey(?:\.\w+)*)", re.MULTILINE)


@pytest.mark.parametrize("file", SHOWN, ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_internal_is_imported(file: Path) -> None:
    assert set(IMPORTED.findall(file.read_text("utf-8"))) <= PUBLIC
