"""Whose code it is: the application's, which is walked, or a library's, which is not."""

import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

_SORTKEY = "sortkey"


class Ownership:
    """Tells the application's modules from those of libraries.

    A module is the application's if it is in the top-level package of a handler or of the design,
    wherever that is installed, or if it is outside of Python's folders for libraries: in a folder
    of the project or an editable installation. Python's own modules and sortkey never are.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = {name.partition(".")[0] for name in roots}
        self._known: dict[str, bool] = {}

    def of_module(self, name: str) -> bool:
        """Whether a module is the application's."""
        if name not in self._known:
            self._known[name] = self._is_ours(name)
        return self._known[name]

    def of_function(self, function: FunctionType) -> bool:
        """Whether a function is the application's: a decorator may have changed its module.

        A function without a module was generated for a class, as attrs does.
        """
        name = function.__globals__.get("__name__")
        return name is None or self.of_module(str(name))

    def of_class(self, cls: type) -> bool:
        """Whether a class is the application's."""
        # A class in the module of a library may have a made-up name.
        return self.of_module(str(getattr(cls, "__module__", "")))

    def _is_ours(self, name: str) -> bool:
        top = name.partition(".")[0]
        if top == _SORTKEY or top in self._roots:
            return top != _SORTKEY
        file = _file_of(sys.modules.get(name))
        return file is not None and not _is_of_library(file)


def _file_of(module: ModuleType | None) -> Path | None:
    file = getattr(module, "__file__", None)
    return None if file is None else Path(file).resolve()


def _is_of_library(file: Path) -> bool:
    is_installed = not {"site-packages", "dist-packages"}.isdisjoint(file.parts)
    return is_installed or any(file.is_relative_to(folder) for folder in _libraries())


@cache
def _libraries() -> tuple[Path, ...]:
    """Return the folders of Python's own modules and of installed ones."""
    paths = sysconfig.get_paths()
    known = (paths[each] for each in ("stdlib", "platstdlib", "purelib", "platlib"))
    return tuple(dict.fromkeys(Path(each).resolve() for each in known))
