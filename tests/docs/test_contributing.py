"""CONTRIBUTING names every command, and every package of the house."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_map_names_every_package() -> None:
    shown = TEXT.partition("```\nsrc/sortkey/\n")[2].partition("\nsystems/")[0]
    named = set[str]()
    above = ""
    for indent, name in re.findall(r"^( +)(\w+)/", shown, re.MULTILINE):
        above = name if len(indent) == 2 else above
        named.add(name if len(indent) == 2 else f"{above}/{name}")
    source = ROOT / "src/sortkey"
    packages = {
        str(found.parent.relative_to(source))
        for found in source.rglob("__init__.py")
        if found.parent != source
    }

    assert named == packages


def test_every_command_is_said_to_be_for_something() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)) - {
        "help"
    }
    commands = {f"make {target}" for target in targets} | {".ci/run", ".ci/full"}

    assert {command for command in commands if f"`{command}`" not in TEXT} == set()
