import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from sortkey.cli import commands
from sortkey.cli.main import COMMANDS, main

HEAVY = (
    "asyncio",
    "httptools",
    "orjson",
    "pydantic",
    "sqlite3",
    "uvloop",
    "sortkey.access",
    "sortkey.design",
    "sortkey.engine",
    "sortkey.server",
)


def test_every_file_of_a_command_is_in_the_table() -> None:
    folder = Path(commands.__path__[0])
    files = {path.stem.replace("_", "-") for path in folder.glob("[!_]*.py")}

    assert files == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_command_itself_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)

    assert command is not None
    assert command.get_short_help_str(limit=200) == COMMANDS[name]
    assert import_module(f"sortkey.cli.commands.{name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_has_an_example(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])

    assert result.exit_code == 0
    assert f"sortkey {name}" in result.output.partition("Example:")[2]


@pytest.mark.usefixtures("unmeasured")
def test_help_imports_nothing_heavy() -> None:
    program = (
        "import sys; from sortkey.cli.main import main\n"
        "try: main(['--help'])\n"
        f"finally: print([name for name in {HEAVY!r} if name in sys.modules])"
    )

    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert result.stdout.splitlines()[-1] == "[]"


def test_the_version_is_the_packages() -> None:
    result = CliRunner().invoke(main, ["--version"])

    assert result.output == f"sortkey {version('sortkey')}\n"


def test_an_unknown_command_is_misuse() -> None:
    assert CliRunner().invoke(main, ["fly"]).exit_code == 2


def test_the_command_that_was_probably_meant_is_shown() -> None:
    result = CliRunner().invoke(main, ["serv", "--db", "app.db"])

    assert result.exit_code == 2
    assert "No such command 'serv'. Did you mean serve?" in result.stderr


def test_the_package_itself_is_the_command() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "sortkey", "--help"], capture_output=True, text=True, check=True
    )

    assert result.stdout.startswith("Usage: sortkey ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("docs", "--format", "html", "--out", "file/page.html"),
        ("synth", "--to", "terraform", "--env", "prod", "--out", "file/infrastructure"),
        ("prove", "--quick", "--aspect", "scalable", "--html", "file/report.html"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_file_that_cannot_be_written_is_reported_without_a_traceback(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    command, *options = arguments
    result = CliRunner().invoke(main, [command, "sortkey_systems.oneonone.design", *options])

    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: file")
    assert result.stderr.count("\n") == 1
    # The report is printed nevertheless.
    assert ("0 refuted" in result.stdout) is (command == "prove")
