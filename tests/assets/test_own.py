"""Of sortkey, functions get everything except its doors, and the extras that they use."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest
from pydantic import Field

from sortkey import Entity, Function, Role, Table, secret
from sortkey.assets.own import _WORDS, DOORS, HOME, extras_used, files_of_sortkey, opens_door
from sortkey.assets.requirements import _FOR_DOORS
from sortkey.design.declaring.design import Design, design_of

PROJECT = tomllib.loads((HOME.parents[1] / "pyproject.toml").read_text())["project"]
# They are of no use to a function, or in Lambda's runtime.
NEVER = {"aws", "ion", "package", "prove", "run", "serve", "zstd"}


class App(Table):
    pass


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)


def design(**variables: str) -> Design:
    module = ModuleType("notes")
    vars(module)["note"] = Note
    vars(module)["read"] = Function("read", "notes:read", Role("reader", []), environment=variables)
    return design_of("notes", [module])


def test_nothing_that_goes_in_imports_a_door_or_what_only_doors_require() -> None:
    inside = {
        name
        for path, file in files_of_sortkey(doors=False)
        if path.endswith(".py")
        for name in imported(file)
    }

    assert not opens_door(inside)
    assert not {name.partition(".")[0] for name in inside} & _FOR_DOORS


def test_every_door_is_there_and_stays_out() -> None:
    inside = {path.split("/")[1] for path, _ in files_of_sortkey(doors=False)}
    everything = {path.split("/")[1] for path, _ in files_of_sortkey(doors=True)}

    assert {name.removesuffix(".py") for name in everything - inside} == DOORS
    assert {"access", "design", "operations", "py.typed"} <= inside


def test_every_extra_is_considered() -> None:
    assert set(PROJECT["optional-dependencies"]) == set(_WORDS) | NEVER


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["DB", "Entity"], {}),
        (["telemetry"], {"otel": "the application uses telemetry"}),
        (["KmsKey", "Keyring"], {"secrets": "the application uses Keyring"}),
        (["cursor_secret"], {"secrets": "the application uses cursor_secret"}),
    ],
)
def test_an_extra_is_used_if_its_names_are(words: list[str], expected: dict[str, str]) -> None:
    assert extras_used(design(), words) == expected


def test_variables_for_keys_use_the_extra_for_secrets() -> None:
    used = extras_used(design(SORTKEY_CURSOR_SECRET="text"), [])

    assert used == {"secrets": "a function has SORTKEY_CURSOR_SECRET"}


def test_secret_fields_use_the_extra_for_secrets() -> None:
    class Hidden(Table):
        pass

    class Account(Entity, table=Hidden):
        account_id: str
        token: Annotated[str, secret] = Field(repr=False)
        primary = Hidden.primary.key("ACCOUNT#{account_id}", "ACCOUNT")

    module = ModuleType("accounts")
    vars(module)["account"] = Account

    used = extras_used(design_of("accounts", [module]), [])

    assert used == {"secrets": "Account has secret fields"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sortkey", False), ("sortkey.DB", False), ("sortkey.testing.clock", True)],
)
def test_an_application_may_open_a_door(name: str, *, expected: bool) -> None:
    assert opens_door([name]) is expected
