"""Modules are found as Python finds them, without running them."""

import sys
from pathlib import Path

import pytest
from tests.assets.environments import write

from sortkey.assets.search import Search, is_binary


def test_a_module_is_found_without_running_it(tmp_path: Path) -> None:
    write(tmp_path, {"app/__init__.py": "raise SystemExit", "app/handlers.py": "raise SystemExit"})

    found = Search(tmp_path).find("app.handlers")

    assert found
    assert found.file == tmp_path / "app/handlers.py"
    assert (found.package, found.is_source) == ("app", True)


def test_the_root_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = write(tmp_path / "here", {"a.py": ""}), write(tmp_path / "there", {"a.py": ""})
    monkeypatch.setattr(sys, "path", [str(there), *sys.path])
    search = Search(here)

    found = search.find("a")

    assert found
    assert found.file == here / "a.py"
    assert list(search.elsewhere(found)) == [there / "a.py"]


def test_one_place_that_is_named_twice_hides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = write(tmp_path / "here", {"a/__init__.py": ""})
    monkeypatch.setattr(sys, "path", [str(tmp_path / "there/../here"), *sys.path])
    search = Search(here)
    found = search.find("a")

    assert found
    assert list(search.elsewhere(found)) == []


@pytest.mark.parametrize("name", ["nothing", "json.nothing", "a.b"])
def test_nothing_is_found_where_nothing_is(name: str, tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})

    assert Search(tmp_path).find(name) is None


def test_finders_of_editable_installs_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.machinery import ModuleSpec
    from importlib.util import spec_from_file_location

    write(tmp_path, {"elsewhere/mine.py": ""})

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> ModuleSpec | None:
            is_mine = name == "mine"
            return (
                spec_from_file_location(name, tmp_path / "elsewhere/mine.py") if is_mine else None
            )

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])

    found = Search(tmp_path).find("mine")

    assert found
    assert found.file == tmp_path / "elsewhere/mine.py"


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.so", True), ("a.cpython-313-x86_64-linux-gnu.so", True), ("a.pyd", True), ("a.py", False)],
)
def test_a_binary_is_known_by_its_name(name: str, *, expected: bool) -> None:
    assert is_binary(Path(name)) is expected
