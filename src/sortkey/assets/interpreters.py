"""An interpreter of the target's version on this machine, for bytecode and a last check."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from sortkey.assets.processes import run
from sortkey.assets.target import LambdaTarget

_VERSION = "import sys; print(sys.implementation.name, *sys.version_info[:2])"
_SECONDS = 20


def interpreter_for(target: LambdaTarget) -> Path | None:
    """Return a Python of the target's version, or None if this machine has none."""
    wanted = ("cpython", *map(str, target.version))
    if (sys.implementation.name, *map(str, sys.version_info[:2])) == wanted:
        return Path(sys.executable)
    return next((each for each in _candidates(target) if _version_of(each) == wanted), None)


def _candidates(target: LambdaTarget) -> Iterator[Path]:
    named = shutil.which(target.runtime)
    if named:
        yield Path(named)
    uv = uv_here()
    if uv:
        done = _output(uv, "python", "find", "--no-python-downloads", "--no-project", target.python)
        if done:
            yield Path(done)


def _version_of(python: Path) -> tuple[str, ...]:
    return tuple(_output(python, "-I", "-S", "-c", _VERSION).split())


def _output(*command: str | Path) -> str:
    try:
        done = run(command, seconds=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def uv_here() -> Path | None:
    """Return uv, from this environment or from the path."""
    beside = Path(sys.executable).with_name("uv")
    found = shutil.which("uv")
    return beside if beside.exists() else Path(found) if found else None
