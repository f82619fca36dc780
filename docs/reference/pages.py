"""Every generated page, with the function that generates it."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from docs.reference.api import api_page
from docs.reference.commands import commands_page
from docs.reference.errors import errors_page
from docs.reference.testing import testing_page
from docs.reference.weather import weather_page
from sortkey import load_design
from sortkey.document.catalog import catalog
from sortkey.document.markdown import markdown

ROOT = Path(__file__).parents[1]

# Each system with the module of its design.
SYSTEMS: Mapping[str, str] = {
    "agentcore": "sortkey_systems.agentcore.design",
    "commitcollect": "sortkey_systems.commitcollect.design",
    "gymcoach": "sortkey_systems.gymcoach.design",
    "oneonone": "sortkey_systems.oneonone.design",
    "shuttle": "sortkey_systems.shuttle.design",
}


def _catalog(module: str) -> str:
    return markdown(catalog(load_design(module)))


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/api.md": api_page,
    "reference/commands.md": commands_page,
    "reference/errors.md": errors_page,
    "reference/testing.md": testing_page,
    "reference/weather.md": weather_page,
    **{f"systems/catalog/{name}.md": partial(_catalog, of) for name, of in SYSTEMS.items()},
}
