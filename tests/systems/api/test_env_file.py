"""The file ``.env`` has one value on each line."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey_systems.api.env_file import EnvFileError, read_env_file


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("X=y", "y"),
        ("X = y ", "y"),
        ("export X=y", "y"),
        ("X=", ""),
        ("X=a b", "a b"),
        ("X=a=b", "a=b"),
        ("X=a#b", "a#b"),
        ("X=a # a comment", "a"),
        ("X= # a comment", ""),
        ('X="a # b"', "a # b"),
        ("X='a \"b\"' # a comment", 'a "b"'),
        ('X="$HOME"', "$HOME"),
        ("X=${HOME}", "${HOME}"),
        ("\ufeffX=y", None),
        ('X="a', '"a'),
    ],
)
def test_a_line_has_a_value(tmp_path: Path, line: str, value: str | None) -> None:
    path = tmp_path / ".env"
    path.write_text(f"# first\n\n{line}\n")
    if value is None:
        with pytest.raises(EnvFileError, match="line 3"):
            read_env_file(path)
    else:
        assert read_env_file(path) == {"X": value}


def test_the_last_of_two_lines_counts(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("X=1\r\nX=2\r\n")

    assert read_env_file(path) == {"X": "2"}


def test_without_a_file_there_are_no_values(tmp_path: Path) -> None:
    assert read_env_file(tmp_path / ".env") == {}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_bytes(b"KEY=\xff\xfe")
    with pytest.raises(EnvFileError, match="it is not UTF-8"):
        read_env_file(path)
    with pytest.raises(EnvFileError, match="Is a directory"):
        read_env_file(tmp_path)


@given(st.text())
def test_no_text_of_a_file_is_repeated(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / ".env"
        path.write_text(text, "utf-8", "surrogatepass")
        message = ""
        try:
            read_env_file(path)
        except EnvFileError as error:
            message = str(error)

    fault = r"\.env(, line \d+: write it as NAME=value| cannot be read: it is not UTF-8)"
    assert message == "" or re.fullmatch(fault, message)
