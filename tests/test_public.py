"""What an editor offers on a public name is what the reference documents."""

import ast
import re
from enum import Enum
from pathlib import Path

import pytest
from docs.reference.api import documented_names
from pydantic import BaseModel

import sortkey
import sortkey.testing

SOURCE = Path(str(sortkey.__file__)).parent
REFERENCE = Path(__file__).parents[1] / "docs/reference"
PAGES = {page: (REFERENCE / page).read_text() for page in ("api.md", "testing.md")}
SECTION = re.compile(r"^### (\w+)\n(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
SECTIONS = {name: text for page in PAGES.values() for name, text in SECTION.findall(page)}
VALUES = {
    **{name: getattr(sortkey, name) for name in documented_names()},
    **{name: getattr(sortkey.testing, name) for name in sortkey.testing.__all__},
}
CLASSES = [name for name, value in VALUES.items() if isinstance(value, type)]


def offered(value: type) -> set[str]:
    """The names that completion lists on an object of a class, without those of its library."""
    fields = {name for base in value.__mro__ for name in getattr(base, "__annotations__", {})}
    names = {*dir(value), *fields} - {
        *dir(BaseModel),
        *BaseModel.__annotations__,
        *dir(AssertionError),
        *(("name", "value") if issubclass(value, Enum) else ()),
    }
    return {name for name in names if not name.startswith("_")}


def documented(name: str) -> set[str]:
    """The members of a class in the reference: rows of its table, and arguments it is made of."""
    section = SECTIONS[name]
    rows = re.findall(r"^\| `(?:await |async for \.\.\. in )?(\w+)", section, re.MULTILINE)
    fields = re.findall(r"```python\n.*?```|^Fields: .*$", section, re.DOTALL | re.MULTILINE)
    return {*rows, *re.findall(r"\w+(?=: |`)", "".join(fields))}


def internal_classes() -> set[str]:
    """The classes of sortkey that users cannot import from a public module."""
    return {
        node.name
        for file in SOURCE.rglob("*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef)
    } - {*sortkey.__all__, *sortkey.testing.__all__}


# `Table.definition` is in the guides; its type is not public.
IN_GUIDES = {"definition"}


@pytest.mark.parametrize("name", CLASSES)
def test_completion_offers_only_what_is_documented(name: str) -> None:
    assert offered(VALUES[name]) - documented(name) - IN_GUIDES == set()


@pytest.mark.parametrize("page", PAGES)
def test_the_reference_names_no_type_that_cannot_be_imported(page: str) -> None:
    fenced = re.findall(r"```python\n(.*?)```", PAGES[page], re.DOTALL)
    lines = re.findall(r"^\| `.*?` |^Fields: .*$", PAGES[page], re.MULTILINE)
    named = set(re.findall(r"(?<!['\w])[A-Z]\w+", "\n".join((*fenced, *lines))))

    assert (named & internal_classes()) - {"Path"} == set()  # pathlib's, and an expression's
