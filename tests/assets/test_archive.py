"""Equal contents give equal archives, and an archive appears whole or not at all."""

import os
import stat
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.assets.environments import write

from sortkey.assets.archive import checksum, refuse_unwritable, write_archive
from sortkey.assets.errors import AssetError

FILES = {"app/__init__.py": "", "app/page.html": "<p>", "b.py": "import app", "a.so": "ELF"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "stage", FILES)


@settings(max_examples=20)
@given(names=st.permutations(list(FILES)), times=st.lists(st.integers(0, 2**31), min_size=4))
def test_times_and_orders_of_files_do_not_matter(
    names: list[str], times: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("archives")
    write_archive(write(base / "first", FILES), FILES, base / "first.zip")
    folder = write(base / "second", {name: FILES[name] for name in names})
    for name, time in zip(names, times, strict=False):
        os.utime(folder / name, (time, time))

    write_archive(folder, names, base / "second.zip")

    assert (base / "second.zip").read_bytes() == (base / "first.zip").read_bytes()


def test_lambda_may_read_every_file_and_run_programs(folder: Path) -> None:
    (folder / "a.so").chmod(0o700)
    (folder / "b.py").chmod(0o600)
    out = folder.with_name("asset.zip")

    write_archive(folder, FILES, out)

    modes = {e.filename: stat.S_IMODE(e.external_attr >> 16) for e in ZipFile(out).infolist()}
    assert modes == {**dict.fromkeys(FILES, 0o644), "a.so": 0o755}
    assert ZipFile(out).read("b.py") == b"import app"


def test_the_checksum_is_the_one_that_lambda_prints(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()

    assert checksum(tmp_path / "empty") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


def test_an_archive_that_fails_leaves_the_earlier_one(folder: Path) -> None:
    out = folder.with_name("asset.zip")
    out.write_text("earlier")

    with pytest.raises(AssetError, match=r"asset\.zip cannot be written"):
        write_archive(folder, [*FILES, "missing.py"], out)

    assert out.read_text() == "earlier"
    assert sorted(each.name for each in out.parent.iterdir()) == ["asset.zip", "stage"]


def test_a_folder_that_is_missing_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"cannot be written: there is no folder .*/nowhere"):
        refuse_unwritable(tmp_path / "nowhere/asset.zip")


def test_a_folder_that_allows_no_files_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_path: Path, _mode: int) -> bool:
        return False

    monkeypatch.setattr(os, "access", never)  # root may write everywhere

    with pytest.raises(AssetError, match="allows no new files"):
        refuse_unwritable(tmp_path / "asset.zip")
