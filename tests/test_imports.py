"""Importing sortkey: every public name comes from its module, and unused modules are not loaded."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import sortkey
import sortkey.testing

PUBLIC = (sortkey, sortkey.testing)
# Only AWS, secrets or an endpoint need these.
ELSEWHERE = ("botocore", "boto3", "cryptography", "httptools", "uvloop")
# Only PartiQL needs these.
STATEMENTS = ("sortkey.partiql", "sortkey.engine.statements")
# Only requests as text need these.
RAW = ("sortkey.design.raw.pattern", "sortkey.expressions.lexer")
ENGINE = ("sortkey.engine", "sortkey.server", "sqlite3")


def loaded(program: str, names: tuple[str, ...]) -> list[str]:
    """Return the modules, of these, that a new interpreter has loaded after a program."""
    print_loaded = f"\nimport sys\nprint(*(name for name in {names!r} if name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program + print_loaded], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("import sortkey", ("pydantic", "asyncio", "orjson", *ENGINE, *ELSEWHERE)),
        ("from sortkey import SortkeyError", ("pydantic", *ENGINE, *ELSEWHERE)),
        ("from sortkey import Table, gsi", ("pydantic", "asyncio", *ENGINE, *ELSEWHERE)),
        ("from sortkey import DB, Entity", (*ENGINE, *ELSEWHERE)),
        ("from sortkey import DB\nDB.endpoint('http://127.0.0.1:1')", (*ENGINE, "botocore")),
        (
            "from sortkey import DB, Table\nclass App(Table): pass\nDB.memory(App)",
            ("sortkey.server", *STATEMENTS, *ELSEWHERE),
        ),
        ("import sortkey.server.worker", STATEMENTS),
        ("import sortkey.testing", ("pydantic", "hypothesis", "sortkey.prove", *ENGINE)),
        ("from sortkey.testing import explore", ("hypothesis", "sortkey.prove")),
        ("from sortkey.check.runner import check", (*RAW, *ENGINE, *ELSEWHERE)),
        ("from sortkey.cli.commands.check import check", ("sortkey.programs.walk", *ENGINE)),
    ],
)
def test_only_what_is_used_is_loaded(program: str, absent: tuple[str, ...]) -> None:
    assert loaded(program, absent) == []


def test_a_database_in_process_loads_the_engine() -> None:
    program = "from sortkey import DB, Table\nclass App(Table): pass\nDB.memory(App)"

    assert loaded(program, ("sortkey.engine", "sqlite3")) == ["sortkey.engine", "sqlite3"]


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module in PUBLIC for name in module.__all__]
)
def test_every_public_name_is_found_in_its_home(module: ModuleType, name: str) -> None:
    assert getattr(module, name) is not None


@pytest.mark.parametrize("module", PUBLIC)
def test_the_names_are_listed_before_they_are_used(module: ModuleType) -> None:
    name = module.__name__
    program = f"import {name}\nassert set({name}.__all__) <= set(dir({name}))"

    assert loaded(program, ("pydantic",)) == []


@pytest.mark.parametrize("module", PUBLIC)
def test_type_checkers_see_the_existing_names(module: ModuleType) -> None:
    """A name that only one list has is missing for type checkers, or at run time."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    imported = {
        (str(node.module), alias.asname)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("sortkey.")
        for alias in node.names
    }

    assert {name for _, name in imported} == set(module.__all__)
    for home, name in imported:
        assert getattr(import_module(home), str(name)) is getattr(module, str(name))


@pytest.mark.parametrize("module", PUBLIC)
def test_another_name_is_missing(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"'{module.__name__}' has no attribute 'Dragon'"):
        module.Dragon  # noqa: B018
