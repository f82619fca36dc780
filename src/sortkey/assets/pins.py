"""A file of pinned requirements, with the hashes of their wheels: what pip and uv compile."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from sortkey.assets.errors import AssetError
from sortkey.assets.target import LambdaTarget

_HASH = re.compile(r"--hash[= ](sha\d+:[0-9a-f]+)")
_COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pin:
    """One version of a distribution, and the hashes of its files."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()
    extras: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return " ".join((f"{self.name}=={self.version}", *(f"--hash={h}" for h in self.hashes)))


def pins_in(file: Path, target: LambdaTarget) -> Mapping[str, Pin]:
    """Return the versions that a requirements file pins for a target.

    Raises:
        AssetError: A line is not a pinned requirement.
    """
    pins: dict[str, Pin] = {}
    for line in _lines(file.read_text(encoding="utf-8")):
        if line.startswith(("--", "-i ", "-f ")):
            continue  # indexes are for pip's own settings
        hashes = tuple(_HASH.findall(line))
        text = _HASH.sub("", line).strip()
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            raise AssetError(f"{file}: this is not a pinned requirement: {text}") from None
        if requirement.marker is not None and not requirement.marker.evaluate(target.markers):
            continue
        name = canonicalize_name(requirement.name)
        match list(requirement.specifier):
            case [only] if only.operator == "==" and "*" not in only.version:
                pins[name] = Pin(name, only.version, hashes, frozenset(requirement.extras))
            case _:
                raise AssetError(
                    f"{file}: {text} pins no version: compile the file with `pip-compile` or "
                    "`uv pip compile`"
                )
    return pins


def _lines(text: str) -> Iterator[str]:
    joined = _COMMENT.sub("", text).replace("\\\n", " ")
    yield from (line.strip() for line in joined.splitlines() if line.strip())
