"""The file ``.env``: settings on a developer's machine, one ``NAME=value`` on each line."""

import re
from pathlib import Path

FILE = ".env"

_LINE = re.compile(r"(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?P<value>.*)")
_QUOTED = re.compile(r"(?P<quote>['\"])(?P<text>.*?)(?P=quote)\s*(#.*)?")
_COMMENT = re.compile(r"(^|\s)#.*")


class EnvFileError(Exception):
    """The file cannot be read; the message never has a value."""


def read_env_file(path: Path) -> dict[str, str]:
    """Return the values of a file, or none if there is no such file.

    Empty lines and lines that begin with ``#`` are skipped, and so is a comment after a value. A
    value in quotes is taken as it is; nothing is expanded.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise EnvFileError(f"{path.name} cannot be read: {reason}") from None
    values: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        found = _LINE.fullmatch(text)
        if found is None:
            raise EnvFileError(f"{path.name}, line {number}: write it as NAME=value")
        values[found["name"]] = _value(found["value"])
    return values


def _value(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    return quoted["text"] if quoted else _COMMENT.sub("", text).strip()
