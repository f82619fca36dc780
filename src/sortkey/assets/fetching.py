"""Wheels for another machine, fetched with pip or uv and with their settings."""

import shutil
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path

from packaging.utils import canonicalize_name

from sortkey.assets.errors import AssetError
from sortkey.assets.interpreters import uv_here
from sortkey.assets.pins import Pin
from sortkey.assets.processes import run
from sortkey.assets.target import LambdaTarget

# The lines of an installer's error that are shown.
_SHOWN = 8
# The platforms that uv knows, by the C library; older ones are compatible.
_UV_PLATFORMS = {34: "manylinux_2_34", 17: "manylinux_2_17"}


def fetch(
    pins: Sequence[Pin], target: LambdaTarget, folder: Path, say: Callable[[str], None]
) -> dict[str, Distribution]:
    """Fetch the wheels of pinned distributions into a folder, and return them by name.

    Raises:
        AssetError: One has no wheel for the target, or its hash differs, or pip is missing.
    """
    installer = _installer(target)
    folder.mkdir()
    for number, pin in enumerate(pins, 1):
        say(f"fetching {pin.name} {pin.version} for {target} ({number} of {len(pins)})")
        _fetch(installer, pin, target, folder)
    found = distributions(path=[str(folder)])
    return {canonicalize_name(each.metadata["Name"]): each for each in found}


def _fetch(installer: Sequence[str], pin: Pin, target: LambdaTarget, folder: Path) -> None:
    requirement = folder.with_name("requirement.txt")
    requirement.write_text(f"{pin}\n", encoding="utf-8")
    checked = ["--require-hashes"] if pin.hashes else []
    ran = run([*installer, *checked, "--target", str(folder), "-r", str(requirement)])
    if ran.returncode == 0:
        return
    lines = [line for line in (ran.stderr or ran.stdout).splitlines() if line.strip()]
    said = "\n".join(lines[:_SHOWN])
    wheel = f"{pin.name} {pin.version} for {target}"
    if pin.hashes and "hash" in said.lower():
        raise AssetError(f"the wheel of {wheel} has none of the hashes that are pinned:\n{said}")
    raise AssetError(
        f"there is no wheel of {wheel}, or it cannot be fetched: use a version that has one, or "
        f"leave it out with --exclude {pin.name}.\n{said}"
    )


def _installer(target: LambdaTarget) -> list[str]:
    """Return the command that installs wheels for a target into a folder.

    pip is preferred if it is in this environment, since its settings are those of the user.
    """
    if find_spec("pip") is not None:
        return pip_command([sys.executable, "-m", "pip"], target)
    if uv := uv_here():
        return uv_command(str(uv), target)
    if pip := shutil.which("pip"):
        return pip_command([pip], target)
    raise AssetError(
        f"this environment does not fit {target}, and there is neither pip nor uv to fetch what "
        f"does: install one of them, or run this command with {target}"
    )


def pip_command(command: list[str], target: LambdaTarget) -> list[str]:
    """Return the command of a pip that installs wheels for a target; a folder is still to come."""
    platforms = [f"--platform={platform}" for platform in target.platforms]
    return [
        *(*command, "--disable-pip-version-check", "--no-input", "install", "--quiet"),
        *("--no-deps", "--no-compile", "--only-binary=:all:", "--ignore-requires-python"),
        *("--implementation=cp", f"--python-version={target.python}", *platforms),
        *("--upgrade",),
    ]


def uv_command(command: str, target: LambdaTarget) -> list[str]:
    """Return the command of a uv that installs wheels for a target; a folder is still to come."""
    newest = int(target.platforms[0].split("_")[2])
    platform = next(name for glibc, name in _UV_PLATFORMS.items() if glibc <= newest)
    return [
        *(command, "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"),
        *(f"--python-version={target.python}", f"--python-platform={target.machine}-{platform}"),
        *("--link-mode=copy",),
    ]
