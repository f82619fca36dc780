"""Finding modules as Python would, without running them."""

import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from pathlib import Path
from pkgutil import get_importer


@dataclass(frozen=True, slots=True)
class Found:
    """A module on this machine: its file, and the folders of a package.

    A package without an ``__init__.py`` has no file, and perhaps several folders.
    """

    name: str
    file: Path | None
    folders: tuple[Path, ...] = ()

    @property
    def package(self) -> str:
        """The package that its relative imports begin in."""
        return self.name if self.folders else self.name.rpartition(".")[0]

    @property
    def is_source(self) -> bool:
        """Whether its file is Python, and not a compiled extension."""
        return self.file is not None and self.file.suffix == ".py"


class Search:
    """The modules that can be imported, with a folder that is looked into first."""

    def __init__(self, root: Path) -> None:
        importlib.invalidate_caches()
        # An empty entry is the current folder.
        places = [str(root), *(place or str(Path.cwd()) for place in sys.path)]
        self.places = tuple(dict.fromkeys(places))
        self._found: dict[str, Found | None] = {}

    def find(self, name: str) -> Found | None:
        """Return a module, or None if there is none of this name."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Found | None:
        above, _, _ = name.rpartition(".")
        if not above:
            return _found_in(self.places, name) or _found_by_others(name, None)
        package = self.find(above)
        if package is None:
            return None
        places = [str(folder) for folder in package.folders]
        return _found_in(places, name) or _found_by_others(name, places)

    def elsewhere(self, found: Found) -> Iterator[Path]:
        """Yield other places that have a top-level module of this name, and are hidden by it."""
        here = set(_places_of(found))
        for place in self.places:
            other = _found_in([place], found.name)
            if other is not None and (hidden := set(_places_of(other)) - here):
                here |= hidden
                yield from hidden


def _places_of(found: Found) -> Iterator[Path]:
    yield from (folder.resolve() for folder in found.folders)
    if found.file is not None and not found.folders:
        yield found.file.resolve()


def _found_in(places: Iterable[str], name: str) -> Found | None:
    """Return a module in one of these places, or a package without a file in several.

    `PathFinder` would do, but imports the packages around those that have no file.
    """
    folders: list[Path] = []
    for place in places:
        finder = get_importer(place)
        spec = finder.find_spec(name) if finder is not None else None
        if spec is not None and spec.loader is not None:
            return _found(name, spec)
        if spec is not None:
            folders += [Path(folder) for folder in spec.submodule_search_locations or ()]
    return Found(name, None, tuple(folders)) if folders else None


def _found_by_others(name: str, places: Sequence[str] | None) -> Found | None:
    """Return a module that a finder of an editable install knows."""
    for finder in sys.meta_path:
        if finder is not PathFinder and hasattr(finder, "find_spec"):
            spec = finder.find_spec(name, places)
            if spec is not None:
                return _found(name, spec)
    return None


def _found(name: str, spec: ModuleSpec) -> Found | None:
    has_file = spec.has_location and spec.origin is not None
    file = Path(str(spec.origin)) if has_file else None
    folders = tuple(Path(folder) for folder in spec.submodule_search_locations or ())
    return Found(name, file, folders) if file or folders else None


def is_binary(path: Path) -> bool:
    """Return whether a file is compiled code, which runs on one kind of machine."""
    return path.suffix in {".so", ".pyd", ".dylib", ".dll"} or path.name.endswith(
        tuple(EXTENSION_SUFFIXES)
    )
