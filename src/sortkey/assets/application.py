"""The application: the modules that handlers import, and the files of their folders."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sortkey.assets.distributions import Installed, is_standard, name_of
from sortkey.assets.errors import AssetError
from sortkey.assets.imports import Imports, imports_in
from sortkey.assets.search import Found, Search, is_binary

SORTKEY = "sortkey"
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "tests", "test"})
_SKIPPED_SUFFIXES = frozenset({".pyc", ".pyi"})


@dataclass(slots=True)
class Application:
    """What handlers import, gathered by walking from module to module.

    ``tops`` are the top-level modules of the handlers, and ``own`` the distributions that they were
    installed with, if they were.
    ``modules`` are the application's own. Of the others there are names: ``required``
    distributions and ``missing`` modules, each with the reason, and the modules of ``sortkey``.
    ``whole`` are packages that import by computed names, with the module that does.
    """

    search: Search
    installed: Installed
    tops: frozenset[str]
    own: frozenset[str]
    modules: dict[str, Found] = field(default_factory=dict[str, Found])
    required: dict[str, str] = field(default_factory=dict[str, str])
    missing: dict[str, str] = field(default_factory=dict[str, str])
    sortkey: set[str] = field(default_factory=set[str])
    words: set[str] = field(default_factory=set[str])
    whole: dict[str, str] = field(default_factory=dict[str, str])

    def walk(self, names: Iterable[str], reason: str, *, loaded: bool = False) -> None:
        """Add modules for a reason, and everything that they import.

        Names that are ``loaded`` were modules in a process, which need not have files.
        """
        waiting = [(name, reason) for name in names]
        while waiting:
            name, why = waiting.pop()
            for found in self._own(name, why, loaded=loaded):
                if found.name not in self.modules:
                    self.modules[found.name] = found
                    because = f"{found.name} imports it"
                    waiting += [(imported, because) for imported in self._imports(found)]

    def include(self, name: str, reason: str) -> bool:
        """Add a module, with everything in it if it is a package; return whether it exists."""
        found = self.search.find(name)
        if found is None:
            return False
        self.walk([name], reason)
        if name in self.modules:
            self.walk(_within(found), reason)
        return True

    def _own(self, name: str, reason: str, *, loaded: bool) -> Iterator[Found]:
        """Yield the application's own modules that a name loads; note those of others."""
        top = name.partition(".")[0]
        if top == SORTKEY:
            self.sortkey.add(name)
            return
        if top in sys.stdlib_module_names and top not in self.tops:
            return
        found = self._deepest(name)
        if found is None:
            if not loaded:
                self.missing.setdefault(top, reason)
            return
        owner = self.installed.owner(found)
        if owner is not None and name_of(owner) not in self.own:
            self.required.setdefault(name_of(owner), reason)
            return
        if owner is None and top not in self.tops:
            if found.file is None and self.installed.has_module(top):
                return  # a namespace that distributions share; its modules say which is meant
            if found.file is not None and is_standard(found.file):
                return
        parts = found.name.split(".")
        for length in range(1, len(parts) + 1):
            around = self.search.find(".".join(parts[:length]))
            if around is not None:
                yield around

    def _deepest(self, name: str) -> Found | None:
        """Return the module, or the one whose member it is."""
        while name:
            found = self.search.find(name)
            if found is not None:
                return found
            name = name.rpartition(".")[0]
        return None

    def _imports(self, found: Found) -> tuple[str, ...]:
        if found.file is None:
            return ()
        if not found.is_source:
            raise AssetError(
                f"{found.name} of the application is compiled for this machine ({found.file}): "
                "install the application as a wheel, and let another module be the handler's"
            )
        imports = _parsed(found, found.file)
        self.words |= imports.words
        top = found.name.partition(".")[0]
        if not imports.computed or top in self.whole:
            return imports.names
        self.whole[top] = found.name
        package = self.search.find(top)
        return (*imports.names, *(_within(package) if package else ()))

    @property
    def own_tops(self) -> list[str]:
        """The top-level packages and modules of the application."""
        return sorted({name.partition(".")[0] for name in self.modules})

    @property
    def left_out(self) -> list[str]:
        """The packages beside those that are reached, which nothing imports."""
        beside = {
            f"{name}.{folder.name}"
            for name, found in self.modules.items()
            for place in found.folders
            for folder in sorted(place.iterdir())
            if _has_modules(folder)
        }
        return sorted(name for name in beside - set(self.modules) if not self._is_of_others(name))

    def _is_of_others(self, name: str) -> bool:
        found = self.search.find(name)
        owner = None if found is None else self.installed.owner(found)
        return owner is not None and name_of(owner) not in self.own

    def files(self) -> dict[str, Path]:
        """Return the files of the application by their paths in the asset.

        Raises:
            AssetError: Two files have the same path, or a file is compiled for this machine.
        """
        taken: dict[str, Path] = {}
        for name, found in sorted(self.modules.items()):
            path = name.replace(".", "/")
            if found.folders:
                for place in found.folders:
                    for file in _beside(place):
                        _take(taken, f"{path}/{file.relative_to(place).as_posix()}", file)
            elif found.file is not None:
                _take(taken, f"{path}.py", found.file)
        return taken


def _take(taken: dict[str, Path], name: str, file: Path) -> None:
    if is_binary(file):
        raise AssetError(
            f"{file} is compiled for this machine, and the application would be deployed with it: "
            "put it into a distribution of its own, with wheels"
        )
    other = taken.setdefault(name, file)
    if other.resolve() != file.resolve():
        raise AssetError(
            f"{name} of the application comes from several places: {other} and {file}. Import it "
            "from one of them, or rename one"
        )


def _parsed(found: Found, file: Path) -> Imports:
    try:
        return imports_in(file.read_bytes(), found.package, str(file))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        raise AssetError(f"{file}:{line}: this is not Python: {error}") from error


def _within(found: Found) -> Iterator[str]:
    """Yield every module in a package."""
    for place in found.folders:
        for entry in sorted(place.iterdir()):
            if _has_modules(entry):
                name = f"{found.name}.{entry.name}"
                yield name
                yield from _within(Found(name, None, (entry,)))
            elif entry.suffix == ".py" and entry.stem != "__init__" and _is_for_use(entry):
                yield f"{found.name}.{entry.stem}"


def _beside(place: Path) -> Iterator[Path]:
    """Yield the files in the folder of a package, and those in its folders of data."""
    for entry in sorted(place.iterdir()):
        if entry.is_file() and _is_for_use(entry):
            yield entry
        elif _is_folder(entry) and not _has_modules(entry):
            yield from _beside(entry)


def _is_for_use(file: Path) -> bool:
    """Return whether a file is for those who use a package, and not for its own tests."""
    if file.name.startswith(".") or file.suffix in _SKIPPED_SUFFIXES:
        return False
    is_test = file.stem.startswith("test_") or file.stem.endswith("_test")
    return file.name != "conftest.py" and not (is_test and file.suffix == ".py")


def _is_folder(entry: Path) -> bool:
    skipped = entry.name.startswith(".") or entry.name in _SKIPPED_FOLDERS
    return entry.is_dir() and not skipped and not entry.name.endswith((".egg-info", ".dist-info"))


def _has_modules(entry: Path) -> bool:
    return _is_folder(entry) and any(
        file.suffix == ".py" for file in entry.rglob("*") if "__pycache__" not in file.parts
    )
