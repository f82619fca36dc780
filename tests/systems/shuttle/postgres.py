"""A PostgreSQL server for the tests, from the binaries that come with `pgserver`."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def postgresql() -> Generator[str]:
    """A server of its own in a folder of its own, reached by a socket there; SQLAlchemy's URL."""
    # Its own Python part is left out: it makes a user of the system, and shares servers.
    package = find_spec("pgserver")
    if package is None or package.origin is None:
        pytest.skip("pgserver is not installed")
    # In /tmp and not in pytest's folder, whose name is too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    whoever: dict[str, Any] = {"cwd": folder}
    try:
        # Beside each other as they were installed: the programs find their libraries by that.
        installed = Path(package.origin).parent
        for part in (Path("pgserver/pginstall"), Path("pgserver.libs")):
            if (installed.parent / part).exists():
                unused = shutil.ignore_patterns("include", "*.a")
                shutil.copytree(installed.parent / part, folder / part, ignore=unused)
        if os.geteuid() == 0:
            # PostgreSQL does not run as root, and nobody else may see into root's folders.
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, "nobody", "nogroup")
            whoever |= {"user": "nobody", "group": "nogroup", "extra_groups": []}
        yield from _served(folder / "pgserver/pginstall/bin", folder / "data", whoever)
    finally:
        shutil.rmtree(folder)


def _served(programs: Path, data: Path, whoever: dict[str, Any]) -> Generator[str]:
    def run(*command: str | Path) -> None:
        subprocess.run(command, check=True, capture_output=True, **whoever)

    made = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
    run(programs / "initdb", "-D", data, *made)
    # No port is opened: the socket lies beside the data.
    options = f"-c listen_addresses='' -c unix_socket_directories={data} -c fsync=off"
    control = [programs / "pg_ctl", "-D", data, "-w"]
    # Into a file: a server that inherited a pipe would keep it open.
    run(*control, "-l", data / "log", "-o", options, "start")
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={data}"
    finally:
        run(*control, "-m", "immediate", "stop")
