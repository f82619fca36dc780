"""The reference of the plan has a real example, and explains every member."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sortkey import load_design
from sortkey.cli.main import main
from sortkey.design.plans.value import PLAN_VERSION, plan_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/plan.md").read_text()
DESIGNS = ROOT / "tests/design/designs"


def block(language: str, start: str = "") -> str:
    """Return the block of the page in this language that begins with this text."""
    [found] = re.findall(rf"```{language}\n({re.escape(start)}.*?)```", PAGE, re.DOTALL)
    return found


def documented(title: str) -> set[str]:
    """Return the members that the table under a title explains."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    firsts = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    return {name for first in firsts for name in re.findall(r"`(\w+)`", first)}


def patterns() -> Iterator[dict[str, Any]]:
    for name in ("shop.py", "warehouse.py"):
        yield from plan_of(load_design(DESIGNS / name))["patterns"]


def steps() -> Iterator[dict[str, Any]]:
    for pattern in patterns():
        yield from pattern["steps"]


def test_the_example_is_what_the_command_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("design.py").write_text(block("python", "# design.py"))
    command = block("console").strip().removeprefix("$ sortkey ")

    result = CliRunner().invoke(main, command.split())

    assert result.exit_code == 0
    assert result.stdout == block("json")


def test_the_page_is_about_this_version() -> None:
    assert f"| `version` | {PLAN_VERSION} |" in PAGE
    assert json.loads(block("json"))["version"] == PLAN_VERSION


def test_every_member_of_a_pattern_is_explained() -> None:
    assert {member for pattern in patterns() for member in pattern} | {"error"} == documented(
        "A pattern"
    )


def test_every_member_of_a_step_is_explained() -> None:
    assert {member for step in steps() for member in step} == documented("A step")


def test_every_member_of_a_key_attribute_is_explained() -> None:
    found = {member for step in steps() for made in step.get("key", {}).values() for member in made}

    # Two bounds of an attribute itself, and a raw condition, are in neither of these designs.
    assert found | {"values", "text"} == documented("A key attribute")
