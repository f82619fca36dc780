"""Installed wheels and applications for tests, written as an installer would."""

from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

PURE = "py3-none-any"


def install(
    place: Path,
    name: str,
    files: Mapping[str, str | bytes],
    *,
    version: str = "1.0",
    requires: Iterable[str] = (),
    tag: str = PURE,
    direct_url: str | None = None,
) -> None:
    """Write a wheel's files into a folder, with a RECORD of them."""
    information = f"{name.replace('-', '_')}-{version}.dist-info"
    metadata = [f"Name: {name}", f"Version: {version}"]
    metadata += [f"Requires-Dist: {each}" for each in requires]
    extras = {each.split("==")[-1].strip(" '\"") for each in requires if "extra ==" in each}
    metadata += [f"Provides-Extra: {each}" for each in sorted(extras)]
    every: dict[str, str | bytes] = {
        **files,
        f"{information}/METADATA": "Metadata-Version: 2.1\n" + "\n".join(metadata) + "\n",
        f"{information}/WHEEL": f"Wheel-Version: 1.0\nTag: {tag}\n",
        f"{information}/INSTALLER": "hand",
    }
    if direct_url is not None:
        every[f"{information}/direct_url.json"] = direct_url
    lines = [f"{information}/RECORD,,"]
    for path, content in every.items():
        data = content.encode() if isinstance(content, str) else content
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(data)
        digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
        lines.append(f"{path},sha256={digest},{len(data)}")
    (place / information / "RECORD").write_text("\n".join(lines) + "\n")


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write text files into a folder, and return it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder
