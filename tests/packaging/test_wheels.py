"""The two wheels, installed as a user would into an environment of its own, beside other code."""

import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.acceptance

ROOT = Path(__file__).parents[2]
UV = Path(sys.executable).with_name("uv")
VERSION = version("sortkey")


def run(*command: str | Path, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    # Nothing of this checkout may be found by the environment under test.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=cwd, env=clean, capture_output=True, text=True, check=False, **more
    )


def done(*command: str | Path, cwd: Path) -> str:
    ran = run(*command, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def wheel_of(source: Path, folder: Path) -> Path:
    # The wheel is built from the source distribution, as it is for a release.
    done(UV, "build", "--quiet", "--no-build-isolation", "--out-dir", folder, cwd=source)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of(ROOT, tmp_path_factory.mktemp("sortkey"))


@pytest.fixture(scope="module")
def systems_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of(ROOT / "systems", tmp_path_factory.mktemp("systems"))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Path:
    """The programs of an environment with sortkey and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    done(UV, "venv", "--quiet", "--python", sys.executable, folder, cwd=folder)
    install(folder, wheel)
    return folder / "bin"


def install(folder: Path, *packages: str | Path) -> None:
    python = folder / "bin/python"
    done(UV, "pip", "install", "--quiet", "--python", python, *packages, cwd=folder)


def installed(environment: Path) -> set[str]:
    python = environment / "python"
    listed = done(UV, "pip", "list", "--python", python, "--format", "json", cwd=environment)
    return {package["name"] for package in json.loads(listed)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package of its own named systems."""
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems/__init__.py").write_text("NAME = 'mine'\n")
    return tmp_path


def top_level(wheel: Path) -> set[str]:
    return {name.split("/")[0] for name in ZipFile(wheel).namelist()}


def test_the_wheel_has_one_package(wheel: Path) -> None:
    assert top_level(wheel) == {"sortkey", f"sortkey-{VERSION}.dist-info"}


def test_the_systems_are_a_wheel_of_their_own_with_its_license(systems_wheel: Path) -> None:
    information = f"sortkey_systems-{VERSION}.dist-info"

    assert top_level(systems_wheel) == {"sortkey_systems", information}
    assert f"{information}/licenses/LICENSE" in ZipFile(systems_wheel).namelist()


def test_a_system_is_demonstrated_once_the_systems_are_installed(
    environment: Path, project: Path, systems_wheel: Path
) -> None:
    before = run(environment / "sortkey", "demo", "oneonone", cwd=project)
    bare = installed(environment)

    install(environment.parent, systems_wheel)
    after = done(environment / "sortkey", "demo", "oneonone", "--users", "5", cwd=project)
    api = run(environment / "sortkey", "demo", "oneonone", "--api", cwd=project)
    move = run(environment / "python", "-m", "sortkey_systems.shuttle", cwd=project)
    mine = done(environment / "python", "-c", "import systems; print(systems.NAME)", cwd=project)

    assert before.returncode == 2
    assert "pip install sortkey-systems" in before.stderr
    assert "records of 5 users are in oneonone.db" in after
    assert api.returncode == 2
    assert "pip install 'sortkey-systems[api]'" in api.stderr
    assert move.returncode == 2
    assert "pip install 'sortkey-systems[shuttle]'" in move.stderr
    assert mine == "mine\n"
    # Four dependencies and theirs; no loop that only a server uses.
    assert {"click", "httptools", "orjson", "pydantic"} <= bare
    assert not {"uvloop", "fastapi", "hypothesis", "botocore", "sortkey-systems"} & bare


@pytest.mark.parametrize(
    "command",
    ["show", "check", "prove", "explain", "docs", "synth", "package", "backfill", "demo", "serve"],
)
def test_every_command_is_there_without_an_extra(environment: Path, command: str) -> None:
    done = run(environment / "sortkey", command, "--help", cwd=environment)

    assert "Traceback" not in done.stderr
    if command in {"prove", "package"}:
        extra = f"pip install 'sortkey[{command}]'"
        assert (done.returncode, extra in done.stderr) == (2, True)
    else:
        assert done.returncode == 0
        assert done.stdout.startswith(f"Usage: sortkey {command}")
