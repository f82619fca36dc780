"""The README and the guides: what they show is what happens."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FIRST_SCREEN = "\n".join(README.splitlines()[:40])


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_first_screen_says_how_to_run_and_test_it(command: str) -> None:
    assert command in FIRST_SCREEN


def test_the_python_example_answers_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    [example] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    [promised] = re.findall(r"# (\{.*\})$", example, re.MULTILINE)
    scope: dict[str, Any] = {}

    exec(example.replace('engine.answer("GetItem"', 'got = engine.answer("GetItem"'), scope)

    assert repr(scope["got"]) == promised


@pytest.mark.parametrize("guide", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=str)
def test_the_examples_in_the_guides_print_what_they_say(
    guide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [example] = re.findall(r"```python\n(.*?)```", guide.read_text(), re.DOTALL)
    promised = re.findall(r"print\(.*\)  # (.*)$", example, re.MULTILINE)

    exec(example, {})

    assert capsys.readouterr().out.splitlines() == promised
