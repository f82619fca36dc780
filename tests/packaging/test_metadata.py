"""What the packages say of themselves is true."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOME = "https://github.com/sortkey/sortkey"


def project(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("folder", [ROOT, ROOT / "systems"], ids=["sortkey", "systems"])
def test_every_address_leads_to_something_that_is_here(folder: Path) -> None:
    for address in project(folder)["urls"].values():
        assert address.startswith(HOME)
        path = address.removeprefix(HOME).removeprefix("/blob/main/").removeprefix("/tree/main/")
        assert path in {"", "/issues"} or (ROOT / path).exists(), address


def test_both_have_one_version_and_are_released_together() -> None:
    ours, systems = project(ROOT), project(ROOT / "systems")

    assert systems["version"] == ours["version"]
    assert f"sortkey[secrets]=={ours['version']}" in systems["dependencies"]


def test_the_changelog_begins_with_this_version() -> None:
    first = next(line for line in (ROOT / "CHANGELOG.md").read_text().splitlines() if "## " in line)

    assert first.startswith(f"## {project(ROOT)['version']}")


def test_both_have_the_same_license() -> None:
    assert (ROOT / "systems/LICENSE").read_text() == (ROOT / "LICENSE").read_text()
