"""The guide shows what is written for its own example."""

import re
from pathlib import Path

from sortkey import load_design
from sortkey.synth.cloudformation import render
from sortkey.synth.stack import stack_of

GUIDE = (Path(__file__).parents[2] / "docs/guides/synth.md").read_text()


def block(language: str) -> str:
    [found] = re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return found


def test_the_policy_that_the_guide_shows_is_that_of_its_design(tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(block("python"))

    assert block("yaml") in render(stack_of(load_design(design), "prod"))["template.yaml"]
