"""The guide shows what is written for its own example."""

import re
from pathlib import Path

from click.testing import CliRunner

from sortkey import load_design
from sortkey.cli.main import main
from sortkey.synth.cloudformation import render
from sortkey.synth.stack import stack_of

GUIDE = (Path(__file__).parents[2] / "docs/guides/synth.md").read_text()


def block(language: str, mark: str = "") -> str:
    """The only block of a language, or that after a mark."""
    before = f"<!-- {mark} -->\n" if mark else r"(?<!-->\n)"
    [found] = re.findall(rf"{before}```{language}\n(.*?)```", GUIDE, re.DOTALL)
    return found


def with_functions() -> str:
    """The design of the guide with its functions, for which its table has a stream."""
    example = block("python").replace(
        "settings=Settings(\n", 'settings=Settings(\n        stream="NEW_AND_OLD_IMAGES",\n'
    )
    return f"{example}\n\n{block('python', 'functions')}"


def template_of(text: str, folder: Path) -> str:
    design = folder / "design.py"
    design.write_text(text)
    return render(stack_of(load_design(design), "prod"))["template.yaml"]


def test_the_policy_that_the_guide_shows_is_that_of_its_design(tmp_path: Path) -> None:
    assert block("yaml") in template_of(block("python"), tmp_path)


def test_the_role_that_the_guide_shows_is_that_of_its_function(tmp_path: Path) -> None:
    assert block("yaml", "role") in template_of(with_functions(), tmp_path)


def test_the_note_that_the_guide_shows_is_printed_for_other_tokens(tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(
        with_functions().replace('audience="notes"', 'audience="notes", algorithms=("ES256",)')
    )
    asked = ["synth", str(design), "--to", "cloudformation", "--env", "prod", "--no-programs"]

    result = CliRunner().invoke(main, asked)

    assert result.stderr.startswith(block("console", "note"))
