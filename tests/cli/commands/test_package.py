"""``sortkey package``: the archive, its contents as text and JSON, and what is refused."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.assets import notes
from tests.assets.environments import write
from tests.assets.here import ARCHITECTURE, PYTHON

from sortkey.cli.main import main

pytestmark = pytest.mark.usefixtures("unmeasured")

SMALL = ["--python", PYTHON, "--architecture", ARCHITECTURE, "--no-bytecode"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, notes.FILES)


def package(*options: str) -> Result:
    return CliRunner().invoke(main, ["package", *options])


@pytest.mark.acceptance
def test_the_contents_are_listed_within_80_columns(project: Path) -> None:
    done = package("notes/design.py", *SMALL)

    lines = done.stdout.splitlines()
    assert done.exit_code == 0
    assert done.stderr == ""  # no progress where nobody watches
    assert (project / "asset.zip").exists()
    assert lines[0] == f"asset.zip: 4 handlers for python{PYTHON} on {ARCHITECTURE}"
    assert [line.split()[0] for line in lines[2:11]] == [
        *("notes", "sortkey", "annotated-types", "httptools", "orjson", "pydantic"),
        *("pydantic-core", "typing-extensions", "typing-inspection"),
    ]
    assert f"With Python {PYTHON}: every handler imported from the archive alone." in lines
    assert "Nothing imports: notes.admin." in lines
    assert max(map(len, lines)) <= 80


def test_programs_get_json(project: Path) -> None:
    done = package("notes/design.py", *SMALL, "--out", "code.zip", "--format", "json")

    value = json.loads(done.stdout)
    assert done.exit_code == 0
    assert value["version"] == 1
    assert value["file"] == "code.zip"
    assert value["zipped"] == (project / "code.zip").stat().st_size
    assert value["unzipped"] == sum(part["size"] for part in value["parts"])
    assert value["handlers"][:2] == ["notes.handlers:read", "notes.handlers:remind"]
    assert set(value["parts"][0]) == {"name", "version", "size", "reason", "origin"}


def test_the_processors_are_those_of_the_design(project: Path) -> None:
    other = "arm64" if ARCHITECTURE == "x86_64" else "x86_64"
    design = project / "notes/design.py"
    code = design.read_text()
    design.write_text(f"{code}\nfrom sortkey import About\nabout = About(architecture={other!r})\n")

    done = package("notes/design.py", "--python", PYTHON, "--no-bytecode", "--format", "json")

    assert json.loads(done.stdout)["architecture"] == other


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "nowhere/asset.zip"], "nowhere/asset.zip cannot be written: there is no folder"),
        (["--include", "notes.none"], "there is neither a module nor an installed distribution"),
        (["--requirements", "pins.txt"], "pins.txt: orjson pins no version"),
        (["--python", "2.7"], "'2.7' is not one of '3.11', '3.12'"),
        (["--exclude", "pydantic"], "from the asset alone: ModuleNotFoundError"),
    ],
)
def test_misuse_is_reported_in_one_message(options: list[str], message: str, project: Path) -> None:
    write(project, {"pins.txt": "orjson"})

    done = package("notes/design.py", *SMALL, *options)

    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.output
    assert not list(project.glob("**/*.zip*"))


def test_each_step_is_shown_on_a_terminal_until_the_next(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, {"notes/handlers.py": "def read(): ..."})
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    with pytest.raises(SystemExit):
        main(["package", "notes/design.py", *SMALL])

    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert shown[1] == "importing the handlers"
    assert shown[-1].startswith("Error: notes.handlers:remind cannot be imported")


def test_a_design_without_functions_is_misuse(tmp_path: Path) -> None:
    write(tmp_path, {"design.py": "from sortkey import Table\nclass App(Table): ..."})

    done = package(str(tmp_path / "design.py"))

    assert done.exit_code == 2
    assert "the design design has no functions" in done.stderr


def test_without_packaging_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("sortkey.assets")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("sortkey.cli.commands.package", "sortkey.cli.text.package"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "packaging"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "packaging", None)

    done = package("design.py")

    assert done.exit_code == 2
    assert "pip install 'sortkey[package]'" in done.stderr
