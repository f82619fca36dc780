"""CONTRIBUTING names every make target and every package."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_map_names_every_package() -> None:
    shown = TEXT.partition("```\nsrc/sortkey/\n")[2].partition("\nsystems/")[0]
    named = set[str]()
    path: list[str] = []
    for indent, name in re.findall(r"^( +)(\w+)/", shown, re.MULTILINE):
        path = [*path[: len(indent) // 2 - 1], name]
        named.add("/".join(path))
    source = ROOT / "src/sortkey"
    packages = {
        str(found.parent.relative_to(source))
        for found in source.rglob("__init__.py")
        if found.parent != source
    }

    assert named == packages


def test_every_command_is_explained() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)) - {
        "help"
    }
    commands = {f"make {target}" for target in targets} | {".ci/run", ".ci/full"}

    assert {command for command in commands if f"`{command}`" not in TEXT} == set()
