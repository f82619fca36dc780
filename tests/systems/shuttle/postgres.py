"""A PostgreSQL server for the tests, from the binaries of `pgserver`."""

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
    """Start a server with a socket in a new folder, and yield its SQLAlchemy URL."""
    # Without the Python code of pgserver, which creates a system user and shares servers.
    package = find_spec("pgserver")
    if package is None or package.origin is None:
        pytest.skip("pgserver is not installed")
    # In /tmp, since the path of pytest's folder is too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    account: dict[str, Any] = {"cwd": folder}
    try:
        # In the same layout as installed: the programs find their libraries by relative paths.
        installed = Path(package.origin).parent
        for part in (Path("pgserver/pginstall"), Path("pgserver.libs")):
            if (installed.parent / part).exists():
                unused = shutil.ignore_patterns("include", "*.a")
                shutil.copytree(installed.parent / part, folder / part, ignore=unused)
        if os.geteuid() == 0:
            # PostgreSQL does not run as root, and other users cannot read root's folders.
            for path in (folder, *folder.rglob("*")):
                shutil.chown(path, "nobody", "nogroup")
            account |= {"user": "nobody", "group": "nogroup", "extra_groups": []}
        yield from _served(folder / "pgserver/pginstall/bin", folder / "data", account)
    finally:
        shutil.rmtree(folder)


def _served(programs: Path, data: Path, account: dict[str, Any]) -> Generator[str]:
    def run(*command: str | Path) -> None:
        subprocess.run(command, check=True, capture_output=True, **account)

    made = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"]
    run(programs / "initdb", "-D", data, *made)
    # No port is opened: the socket is next to the data.
    options = f"-c listen_addresses='' -c unix_socket_directories={data} -c fsync=off"
    control = [programs / "pg_ctl", "-D", data, "-w"]
    # Output goes to a file: a server that inherits a pipe would keep it open.
    run(*control, "-l", data / "log", "-o", options, "start")
    try:
        yield f"postgresql+psycopg://postgres@/postgres?host={data}"
    finally:
        run(*control, "-m", "immediate", "stop")
