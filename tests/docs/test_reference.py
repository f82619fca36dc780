"""The generated pages are current and complete."""

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from docs.reference.api import VALUES, documented_names
from docs.reference.errors import WHAT_TO_DO, error_classes, what_to_do
from docs.reference.pages import PAGES, ROOT
from docs.reference.testing import fixture_nodes, plugin_settings
from docs.reference.weather import KINDS, scenario_notes, setting_notes

import sortkey.testing
from sortkey.check.rules import RULES
from sortkey.cli.main import COMMANDS
from sortkey.document.staleness import difference
from sortkey.engine.actions import ACTIONS
from sortkey.engine.weather import SCENARIOS, Fault, Scenario
from sortkey.engine.weather.faults import FAULT_KINDS
from sortkey.errors import SortkeyError

REFERENCE = ROOT / "reference"


def headings(page: str) -> set[str]:
    return set(re.findall(r"^#+ (.*)$", (REFERENCE / page).read_text(), re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_current(name: str) -> None:
    made: Callable[[], str] = PAGES[name]

    changes = difference((ROOT / name).read_text(), made())

    assert not changes, f"{changes}\n\ndocs/{name} is stale: run make docs"


def test_every_command_is_documented() -> None:
    assert headings("commands.md") == {"Commands", *COMMANDS}


def test_a_prompt_is_before_commands_of_the_shell_only() -> None:
    prompts = re.findall(r"^\$ (\S*)", (REFERENCE / "commands.md").read_text(), re.MULTILINE)

    assert set(prompts) == {"sortkey", "aws"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_its_page(rule: object) -> None:
    code = getattr(rule, "code", "")

    assert (REFERENCE / f"rules/{code}.md").exists()
    assert f"]({code}.md)" in (REFERENCE / "rules/README.md").read_text()


def test_every_part_of_the_weather_is_documented() -> None:
    page = (REFERENCE / "weather.md").read_text()
    fault_settings = setting_notes(Fault)
    settings = setting_notes(Scenario)
    scenarios = scenario_notes()

    assert set(settings) == {each.name for each in fields(Scenario)}
    assert set(fault_settings) == {each.name for each in fields(Fault)}
    assert set(scenarios) == set(SCENARIOS)
    assert set(KINDS) == set(FAULT_KINDS)
    for name in {*settings, *fault_settings, *scenarios, *KINDS} - {"name", "faults"}:
        assert f"\n| `{name}` |" in page
    assert all({**settings, **fault_settings, **scenarios}.values())


@pytest.mark.parametrize("error", error_classes(), ids=lambda error: error.__name__)
def test_every_error_explains_its_meaning_and_its_fix(error: type[SortkeyError]) -> None:
    assert f"\n| `{error.__name__}`" in (REFERENCE / "errors.md").read_text()
    assert (error.__doc__ or "").strip()
    assert what_to_do(error)


def test_advice_exists_only_for_existing_errors() -> None:
    assert set(WHAT_TO_DO) <= {error.__name__ for error in error_classes()}


def test_every_action_is_documented() -> None:
    page = (REFERENCE / "compatibility.md").read_text()

    assert all(action in page for action in ACTIONS)


def test_every_public_name_is_documented() -> None:
    assert {*documented_names()} <= headings("api.md")


@pytest.mark.parametrize(
    "signature",
    [
        "Done(value: T, /)",
        "between(field: Scalar | None, low: Scalar, high: Scalar) -> bool",
        "between(field: Decimal | None, low: Decimal | int, high: Decimal | int) -> bool",
        "snapshot(first: Get[A], second: Get[B], /) -> Op[tuple[A | None, B | None]]",
        "snapshot(*gets: Get[A]) -> Op[tuple[A | None, ...]]",
    ],
)
def test_a_signature_has_every_argument_and_every_overload(signature: str) -> None:
    assert signature in (REFERENCE / "api.md").read_text().splitlines()


def test_every_name_for_tests_is_documented() -> None:
    assert {*sortkey.testing.__all__} <= headings("testing.md")


def test_every_fixture_and_option_of_the_plugin_is_documented(
    pytestconfig: pytest.Config, request: pytest.FixtureRequest
) -> None:
    page = (REFERENCE / "testing.md").read_text()
    names = {node.name for node in fixture_nodes()}
    found = plugin_settings()
    options = {option.partition(" ")[0] for option in found.options}

    assert all(request.getfixturevalue(name) is not None for name in sorted(names))
    assert {name for name in vars(pytestconfig.option) if name.startswith("sortkey_")} == {
        option.removeprefix("--").replace("-", "_") for option in options
    }
    assert all(pytestconfig.getini(name) is not None for name in found.settings)
    assert all(f"| `{name}" in page for name in (*names, *options, *found.settings))


def test_a_name_is_described_by_hand_only_where_it_cannot_describe_itself() -> None:
    assert set(VALUES) <= set(documented_names())


def test_every_page_of_the_reference_is_in_the_index() -> None:
    index = (ROOT / "README.md").read_text()
    pages = [page.relative_to(ROOT) for page in Path(REFERENCE).glob("*.md")]

    assert all(f"({page.as_posix()})" in index for page in pages)
