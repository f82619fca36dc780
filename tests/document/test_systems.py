"""The committed catalogs of the five systems are what would be written now."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from docs.reference.pages import SYSTEMS

from sortkey.cli.main import main

CATALOGS = Path(__file__).parents[2] / "docs/systems/catalog"


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_catalog_of_a_system_is_current(system: str) -> None:
    page = str(CATALOGS / f"{system}.md")

    checked = CliRunner().invoke(main, ["docs", SYSTEMS[system], "--out", page, "--check"])

    assert checked.exit_code == 0, checked.output


def test_every_catalog_is_of_a_system() -> None:
    assert {page.stem for page in CATALOGS.glob("*.md")} == set(SYSTEMS)
