"""A wheel is packaged as it was installed, without what describes this installation."""

from importlib.metadata import Distribution
from pathlib import Path

import pytest
from packaging.tags import Tag
from tests.assets.environments import install, write

from sortkey.assets.distributions import Installed, description_of, files_of, tags_of
from sortkey.assets.errors import AssetError


def only(place: Path, name: str = "notes") -> Distribution:
    found = Installed([str(place)]).get(name)
    assert found
    return found


def test_modules_and_their_description_are_packaged(tmp_path: Path) -> None:
    origin = '{"url": "file:///somewhere", "dir_info": {}}'
    install(
        tmp_path,
        "notes",
        {
            "notes/__init__.py": "",
            "notes/page.html": "",
            "notes/__pycache__/__init__.cpython-311.pyc": "",
            "../../bin/notes": "#!/somewhere/python",
            "notes.pth": "",
            "notes-1.0.dist-info/uv_cache.json": "{}",
        },
        direct_url=origin,
    )

    names = sorted(each.name for each in files_of(only(tmp_path)))

    assert names == [
        "notes-1.0.dist-info/METADATA",
        "notes-1.0.dist-info/WHEEL",
        "notes/__init__.py",
        "notes/page.html",
    ]
    assert sorted(each.name for each in description_of(only(tmp_path))) == names[:2]


def test_a_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "notes", {"notes/__init__.py": ""})
    (tmp_path / "notes/__init__.py").write_text("print('patched')")

    with pytest.raises(AssetError, match=r"notes 1\.0 was changed since it was installed: install"):
        list(files_of(only(tmp_path)))


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    install(tmp_path, "notes", {"notes/__init__.py": ""})
    (tmp_path / "notes/__init__.py").unlink()

    with pytest.raises(AssetError, match="cannot be read"):
        list(files_of(only(tmp_path)))


def test_what_was_not_installed_from_a_wheel_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"notes-1.0.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: notes\n"})

    assert tags_of(only(tmp_path)) is None
    with pytest.raises(AssetError, match="notes was not installed from a wheel"):
        list(files_of(only(tmp_path)))


def test_the_first_place_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    install(first, "notes", {}, version="1.0")
    install(second, "notes", {}, version="2.0")

    found = Installed([str(first), str(second)]).get("Notes")

    assert found
    assert found.version == "1.0"


def test_the_tags_of_a_wheel_are_read(tmp_path: Path) -> None:
    install(tmp_path, "notes", {}, tag="cp313-cp313-manylinux_2_17_x86_64")

    assert tags_of(only(tmp_path)) == {Tag("cp313", "cp313", "manylinux_2_17_x86_64")}
