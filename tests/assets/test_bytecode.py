"""Bytecode depends on the source alone, and Python trusts it without comparing the two."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from tests.assets.environments import write

from sortkey.assets.bytecode import compile_files
from sortkey.assets.errors import AssetError

# Constants that are shared with another module, or are sets, made bytecode differ.
FILES = {
    "a.py": "import foo\n",
    "app/b.py": "a = {'foo', 2, 3}\n\ndef f(x):\n    b = {'foo', 2, 3}\n    return x in b\n",
}


def compiled(folder: Path, *names: str) -> bytes:
    compile_files(Path(sys.executable), write(folder, FILES), names)
    return Path(importlib.util.cache_from_source(str(folder / "app/b.py"))).read_bytes()


def test_neither_folder_nor_order_nor_other_files_matter(tmp_path: Path) -> None:
    alone = compiled(tmp_path / "one", "app/b.py")

    assert compiled(tmp_path / "two", "a.py", "app/b.py") == alone
    assert compiled(tmp_path / "three", "app/b.py", "a.py") == alone


def test_python_uses_it_unchecked(tmp_path: Path) -> None:
    flags = int.from_bytes(compiled(tmp_path, "app/b.py")[4:8], "little")
    (tmp_path / "app/b.py").write_text("raise SystemExit('compiled again')")

    assert flags == 0b01  # by hash, and not compared with the source
    subprocess.run(
        [sys.executable, "-c", "import app.b; assert app.b.f('foo')"], cwd=tmp_path, check=True
    )


def test_tracebacks_name_the_files_of_lambda(tmp_path: Path) -> None:
    assert b"/var/task/app/b.py" in compiled(tmp_path, "app/b.py")
    assert bytes(tmp_path) not in compiled(tmp_path, "app/b.py")


def test_what_cannot_be_compiled_is_left_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"template.py": "{{ name }} = "})

    compile_files(Path(sys.executable), tmp_path, ["template.py"])

    assert not (tmp_path / "__pycache__").exists()


def test_bytecode_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "__pycache__": "is a file"})

    with pytest.raises(AssetError, match=r"(?s)could not compile.*a\.py could not be compiled"):
        compile_files(Path(sys.executable), tmp_path, ["a.py"])


def test_an_interpreter_that_fails_is_reported(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="could not compile the asset"):
        compile_files(Path("/bin/false"), tmp_path, [])
