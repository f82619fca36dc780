"""Installed distributions: which one a module belongs to, its files, and its wheel."""

import csv
import json
import sys
from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackagePath, distributions
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.tags import Tag, parse_tag
from packaging.utils import NormalizedName, canonicalize_name

from sortkey.assets.errors import AssetError
from sortkey.assets.search import Found

# They describe one installation, and differ between two of the same distribution.
_OF_INSTALLATION = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"})
_OF_UV = "uv_"
# Programs and shared files, which `pip install --target` puts beside the modules.
_BESIDE_MODULES = frozenset({"bin", "share", "etc", "include"})


@dataclass(frozen=True, slots=True)
class AssetFile:
    """A file for an asset: its path in the asset, and where it is on this machine."""

    name: str
    path: Path


class Installed:
    """The distributions that can be imported from, by their names and modules."""

    def __init__(self, places: Iterable[str]) -> None:
        self._named: dict[NormalizedName, Distribution] = {}
        self._editable: dict[NormalizedName, Distribution] = {}
        self._with_module: dict[str, list[Distribution]] = defaultdict(list)
        self._files: dict[NormalizedName, frozenset[Path]] = {}
        for found in distributions(path=list(places)):
            name = name_of(found)
            if not name or name in self._named:
                continue  # broken, or hidden by an earlier place
            self._named[name] = found
            if _editable_folder(found) is not None:
                self._editable[name] = found
            else:
                for module in _modules(found):
                    self._with_module[module].append(found)

    def get(self, name: str) -> Distribution | None:
        """Return a distribution, if it is installed."""
        return self._named.get(canonicalize_name(name))

    def owner(self, found: Found) -> Distribution | None:
        """Return the distribution that a module was installed with; None if with no wheel."""
        for each in self._with_module.get(found.name.partition(".")[0], ()):
            if found.file in self._files_of(each):
                return each
        return None

    def _files_of(self, each: Distribution) -> frozenset[Path]:
        name = name_of(each)
        if name not in self._files:
            files = (Path(str(each.locate_file(one))) for one in each.files or ())
            self._files[name] = frozenset(files)
        return self._files[name]

    def has_module(self, name: str) -> bool:
        """Return whether a distribution has a top-level module of this name."""
        return name in self._with_module

    def describing(self, found: Found) -> Distribution | None:
        """Return the distribution that describes an application, also an editable one."""
        path = (found.file or found.folders[0]).resolve()
        around = [
            (len(folder.parts), name)
            for name, each in self._editable.items()
            if (folder := _editable_folder(each)) and path.is_relative_to(folder)
        ]
        if around:  # a project may be within the folder of another
            return self._named[max(around)[1]]
        return self.owner(found) or self.get(found.name.partition(".")[0])


def _modules(found: Distribution) -> set[str]:
    """Return the top-level modules of a distribution."""
    tops = {str(file).partition("/")[0] for file in found.files or ()}
    return {top.partition(".")[0] for top in tops if not top.endswith((".dist-info", ".."))}


def _editable_folder(found: Distribution) -> Path | None:
    text = found.read_text("direct_url.json")
    if text is None:
        return None
    origin: dict[str, Any] = json.loads(text)
    if not origin.get("dir_info", {}).get("editable"):
        return None
    url: str = origin["url"]
    return Path(unquote(urlsplit(url).path)).resolve()


@cache  # each look parses the whole description
def name_of(found: Distribution) -> NormalizedName:
    """Return the name of a distribution, as requirements are compared."""
    return canonicalize_name(found.metadata["Name"] or "")


def tags_of(found: Distribution) -> frozenset[Tag] | None:
    """Return the tags of the wheel that was installed; None if it was none."""
    text = found.read_text("WHEEL")
    if text is None:
        return None
    tags = (line.partition(":")[2].strip() for line in text.splitlines() if line[:4] == "Tag:")
    return frozenset(tag for each in tags for tag in parse_tag(each))


def files_of(found: Distribution) -> Iterator[AssetFile]:
    """Yield the files of an installed wheel, which must be as they were installed.

    Raises:
        AssetError: A file is missing or was changed, or they are not known.
    """
    if found.files is None:
        raise AssetError(
            f"{found.metadata['Name']} was not installed from a wheel, so its files are not known: "
            "install it with pip or uv"
        )
    # From Python 3.12 on, `files` has only those that are still there.
    record = csv.reader((found.read_text("RECORD") or "").splitlines())
    recorded = {row[0] for row in record if row} - {str(each) for each in found.files}
    for each in (*found.files, *map(PackagePath, sorted(recorded))):
        if _is_packaged(each):
            path = Path(str(found.locate_file(each)))
            _check(found, each, path)
            yield AssetFile(each.as_posix(), path)


def description_of(found: Distribution) -> Iterator[AssetFile]:
    """Yield the files that describe a distribution, without its modules."""
    for each in found.files or ():
        folder, _, _ = each.as_posix().partition("/")
        if folder.endswith(".dist-info") and _is_packaged(each):
            yield AssetFile(each.as_posix(), Path(str(found.locate_file(each))))


def _is_packaged(file: PackagePath) -> bool:
    first, *_ = file.parts
    if first in {"..", "/"} or first in _BESIDE_MODULES or file.is_absolute():
        return False
    if "__pycache__" in file.parts or file.suffix in {".pyc", ".pth"}:
        return False
    of_installation = file.name in _OF_INSTALLATION or file.name.startswith(_OF_UV)
    return not (first.endswith(".dist-info") and of_installation)


def _check(found: Distribution, file: PackagePath, path: Path) -> None:
    """Raise an error if a file is not the one that was installed."""
    recorded = getattr(file, "hash", None)
    try:
        content = path.read_bytes()
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
    else:
        if recorded is None or recorded.mode != "sha256":
            return
        actual = urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")
        if actual == recorded.value:
            return
        problem = "was changed since it was installed"
    name, version = found.metadata["Name"], found.version
    raise AssetError(
        f"{file} of {name} {version} {problem}: install it again "
        f"(pip install --force-reinstall --no-deps {name}=={version})"
    )


def is_standard(path: Path) -> bool:
    """Return whether a file belongs to Python itself."""
    return any(
        path.is_relative_to(Path(base, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}"))
        and not {"site-packages", "dist-packages"} & set(path.parts)
        for base in {sys.base_prefix, sys.base_exec_prefix}
    )
