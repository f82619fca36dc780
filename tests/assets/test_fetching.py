"""Wheels for another machine are fetched, with pip or uv, in one version and with its hashes."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.assets.environments import install

from sortkey.assets import fetching
from sortkey.assets.distributions import files_of
from sortkey.assets.errors import AssetError
from sortkey.assets.fetching import fetch, pip_command
from sortkey.assets.interpreters import uv_here
from sortkey.assets.pins import Pin
from sortkey.assets.target import LambdaTarget

TARGET = LambdaTarget("3.13", "arm64")
FITS, OTHER = "cp313-cp313-manylinux_2_28_aarch64", "cp313-cp313-manylinux_2_28_x86_64"


def wheel(folder: Path, tag: str, version: str = "1.0") -> str:
    """Write a wheel into a folder, and return its hash."""
    unpacked = folder / "unpacked" / tag
    install(unpacked, "notes", {"notes/__init__.py": f"TAG = '{tag}'"}, version=version, tag=tag)
    path = folder / f"notes-{version}-{tag}.whl"
    with ZipFile(path, "w") as archive:
        for file in sorted(each for each in unpacked.rglob("*") if each.is_file()):
            if file.name != "INSTALLER":
                archive.write(file, file.relative_to(unpacked).as_posix())
    return f"sha256:{sha256(path.read_bytes()).hexdigest()}"


def _nothing(_name: str) -> None:
    return None


def pip() -> list[str]:
    python = str(Path(sys.base_prefix, "bin/python3"))
    found = subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("this Python has no pip")
    return [python, "-m", "pip"]


@pytest.fixture(params=["uv", pytest.param("pip", marks=pytest.mark.acceptance)])
def installer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetch with one of the two."""
    if request.param == "uv":
        monkeypatch.setattr(fetching, "find_spec", _nothing)
        assert uv_here()
    else:
        command = pip()
        monkeypatch.setattr(fetching, "_installer", partial(pip_command, command))


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place that wheels are fetched from."""
    place = tmp_path / "index"
    place.mkdir()
    for program in ("PIP", "UV"):
        monkeypatch.setenv(f"{program}_NO_INDEX", "1")
        monkeypatch.setenv(f"{program}_FIND_LINKS", str(place))
    return place


def fetched(pins: Sequence[Pin], tmp_path: Path) -> str:
    found = fetch(pins, TARGET, tmp_path / "fetched", print)
    files = {file.name: file.path for file in files_of(found["notes"])}
    assert set(files) == {
        *("notes/__init__.py", "notes-1.0.dist-info/METADATA", "notes-1.0.dist-info/WHEEL"),
    }
    return files["notes/__init__.py"].read_text()


@pytest.mark.usefixtures("installer")
def test_of_several_wheels_the_one_for_the_target_is_fetched(index: Path, tmp_path: Path) -> None:
    wheel(index, OTHER)
    hashed = wheel(index, FITS)

    assert FITS in fetched([Pin("notes", "1.0", (hashed,))], tmp_path)


@pytest.mark.usefixtures("installer")
def test_without_a_wheel_for_the_target_nothing_is_fetched(index: Path, tmp_path: Path) -> None:
    wheel(index, OTHER)

    with pytest.raises(AssetError, match=r"no wheel of notes 1\.0 for Python 3\.13 on arm64"):
        fetched([Pin("notes", "1.0")], tmp_path)


@pytest.mark.usefixtures("installer")
def test_another_version_is_not_fetched(index: Path, tmp_path: Path) -> None:
    wheel(index, FITS, "1.1")

    with pytest.raises(AssetError, match="use a version that has one"):
        fetched([Pin("notes", "1.0")], tmp_path)


@pytest.mark.usefixtures("installer")
def test_a_wheel_with_another_hash_is_refused(index: Path, tmp_path: Path) -> None:
    wheel(index, FITS)

    with pytest.raises(AssetError, match="none of the hashes that are pinned"):
        fetched([Pin("notes", "1.0", (f"sha256:{'0' * 64}",))], tmp_path)


@pytest.mark.usefixtures("index")
def test_each_step_is_said(index: Path, tmp_path: Path) -> None:
    wheel(index, FITS)
    said: list[str] = []

    fetch([Pin("notes", "1.0")], TARGET, tmp_path / "fetched", said.append)

    assert said == ["fetching notes 1.0 for Python 3.13 on arm64 (1 of 1)"]


def test_without_pip_and_uv_the_error_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "find_spec", _nothing)
    monkeypatch.setattr(fetching, "uv_here", lambda: None)
    monkeypatch.setattr(shutil, "which", _nothing)

    with pytest.raises(AssetError, match=r"neither pip nor uv .* or run this command with"):
        fetch([Pin("notes", "1.0")], TARGET, tmp_path / "fetched", print)
