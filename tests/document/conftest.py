"""Designs to describe: small ones with everything in them, and the five systems."""

from pathlib import Path

import pytest
from docs.reference.pages import SYSTEMS

from sortkey import Design, load_design
from sortkey.document.catalog import catalog
from sortkey.document.page import DocumentPage

DESIGNS = Path(__file__).parents[1] / "design/designs"
EXAMPLES = ("shop", "warehouse")


@pytest.fixture(scope="session")
def shop() -> Design:
    return load_design(DESIGNS / "shop.py")


@pytest.fixture(scope="session")
def warehouse() -> Design:
    return load_design(DESIGNS / "warehouse.py")


@pytest.fixture(scope="session", params=[*EXAMPLES, *SYSTEMS])
def design(request: pytest.FixtureRequest) -> Design:
    """Each design in turn."""
    return load_design(SYSTEMS.get(request.param) or DESIGNS / f"{request.param}.py")


@pytest.fixture(scope="session")
def page(design: Design) -> DocumentPage:
    """Its catalog."""
    return catalog(design)
