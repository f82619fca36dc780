"""Loading: from a file, a module or a package to the design in it."""

import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from sortkey.design.declaring.design import Design, design_of
from sortkey.design.findings import DesignError, Finding
from sortkey.errors import SortkeyError

_NOT_DESIGN = frozenset({"__main__", "conftest", "tests"})
# In a checkout of sortkey, it is within the folder of a design.
_SORTKEY = Path(__file__).parents[1]
# The names of designs in files begin with it.
_OWN_NAME = "_sortkey_"
# Modules that designs in files imported; a later load starts without them.
_brought: set[str] = set()


class LoadError(SortkeyError):
    """A design cannot be loaded; the message says where and why."""

    def __init__(self, place: str, message: str, findings: tuple[Finding, ...] = ()) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.findings = findings


def load_design(source: str | Path | ModuleType) -> Design:
    """Return the design in a file (``design.py``), a package's folder, a module or its name.

    Of a package, every module belongs to the design, apart from its tests. A file is run again at
    each call, and may import modules from its folder.
    """
    if isinstance(source, ModuleType):
        return design_of(_short(source.__name__), _with_submodules(source))
    text = str(source)
    if _is_path(source):
        return _load_path(Path(source))
    with _importable(Path.cwd()):
        module = _imported(text, Path.cwd())
        return design_of(_short(text), _with_submodules(module))


def _is_path(source: str | Path) -> bool:
    """Return whether a source is a file or folder, and not the name of a module."""
    if isinstance(source, Path):
        return True
    path = Path(source)
    return path.suffix == ".py" or "/" in source or path.exists()


def _load_path(path: Path) -> Design:
    found = path.resolve()
    if found.is_dir() and (found / "__init__.py").exists():
        found /= "__init__.py"
    if found.is_dir():
        raise LoadError(str(path), "a folder without __init__.py; name the file of the design")
    if not found.is_file():
        raise LoadError(str(path), "there is no such file")
    _forget()
    package = list(_packages(found.parent))
    root = package[-1].parent if package else found.parent
    before = set(sys.modules)
    try:
        with _importable(root):
            if package:
                names = [*(folder.name for folder in reversed(package)), found.stem]
                module = _imported(".".join(n for n in names if n != "__init__"), root)
                _refuse_other(module, found)
            else:
                module = _run(found, path)
            return design_of(_title(found), _with_submodules(module))
    finally:
        _brought.update(_beside(root, set(sys.modules) - before))


@contextmanager
def application_of(design: Design) -> Generator[Callable[[str], ModuleType]]:
    """Within the block, import modules of a design's application by their names.

    They are found in the folder that the design was imported from, and in the current one, before
    modules of the same names from elsewhere. They find a design that is a file by its name. The
    function raises `LoadError`.
    """
    root, alias = _root_of(design)
    before = set(sys.modules)
    tops = {name for name in _tops(before) if _is_another(name, root)}
    others = {name: sys.modules[name] for name in before if not tops.isdisjoint(_tops([name]))}
    for name in others:
        del sys.modules[name]
    hidden = {name: sys.modules.get(name) for name in alias}
    sys.modules.update(alias)
    try:
        with _importable(Path.cwd()), _importable(root):
            yield lambda name: _imported(name, root)
    finally:
        _brought.update(_beside(root, set(sys.modules) - before))
        for name, module in (hidden | others).items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def root_of(design: Design) -> Path:
    """Return the folder in which the imports of a design look first."""
    return _root_of(design)[0]


def _root_of(design: Design) -> tuple[Path, dict[str, ModuleType]]:
    """Return the folder of a design's modules, and the name of a design that is a file."""
    first = next((one for one in design.modules if getattr(one, "__file__", None)), None)
    if first is None:
        return Path.cwd(), {}
    file = Path(str(first.__file__)).resolve()
    if first.__name__.startswith(_OWN_NAME):
        return file.parent, {file.stem: first}
    above = first.__name__.count(".") + (file.stem == "__init__")
    return file.parents[above], {}


def _tops(names: Iterable[str]) -> set[str]:
    """Return the packages or modules on top of these."""
    return {name.partition(".")[0] for name in names}


def _is_another(name: str, root: Path) -> bool:
    """Whether a module was imported from elsewhere, while the folder has one of its name."""
    if name in sys.stdlib_module_names or name == "sortkey":
        return False
    here = [path for path in (root / f"{name}.py", root / name / "__init__.py") if path.is_file()]
    file = getattr(sys.modules.get(name), "__file__", None)
    return bool(here) and (file is None or Path(file).resolve() not in here)


def _run(path: Path, shown: Path) -> ModuleType:
    """Run the file as a module with a unique name."""
    name = f"{_OWN_NAME}{path.stem}_{blake2b(str(path).encode(), digest_size=4).hexdigest()}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError(str(shown), "not a Python file, which a design must be")
    module = module_from_spec(spec)
    sys.modules[name] = module
    _brought.add(name)
    with _load_errors(path.parent, str(shown)):
        spec.loader.exec_module(module)
    return module


def _imported(name: str, root: Path) -> ModuleType:
    try:
        with _load_errors(root, name):
            return import_module(name)
    except LoadError as error:
        cause = error.__cause__
        missing = cause.name if isinstance(cause, ModuleNotFoundError) else None
        if missing is not None and (name == missing or name.startswith(f"{missing}.")):
            raise LoadError(name, f"there is no module {missing}, nor such a file") from None
        raise


def _with_submodules(module: ModuleType) -> Iterator[ModuleType]:
    yield module
    for found in iter_modules(getattr(module, "__path__", ())):
        if found.name in _NOT_DESIGN or found.name.startswith("test_"):
            continue
        folder = Path(str(module.__file__)).parent if module.__file__ else Path()
        yield from _with_submodules(_imported(f"{module.__name__}.{found.name}", folder))


@contextmanager
def _importable(folder: Path) -> Generator[None]:
    """Within the block, imports look into the folder first."""
    place = str(folder)
    sys.path.insert(0, place)
    try:
        yield
    finally:
        # Not by position: code that runs in between may insert other folders.
        sys.path.remove(place)


@contextmanager
def _load_errors(root: Path, shown: str) -> Generator[None]:
    """Within the block, raise every error with its file and line."""
    try:
        yield
    except LoadError:
        raise
    except SyntaxError as error:
        place = shown if error.filename is None else _place(error.filename, error.lineno)
        raise LoadError(place, f"this is not Python: {error.msg}") from error
    except DesignError as error:
        raise LoadError(
            _raised_at(error, root, shown), f"the design has faults\n{error}", error.findings
        ) from error
    except (Exception, SystemExit) as error:
        kind = "" if isinstance(error, SortkeyError) else f"{type(error).__name__}: "
        raise LoadError(_raised_at(error, root, shown), f"{kind}{error}") from error


def _raised_at(error: BaseException, root: Path, shown: str) -> str:
    """Return the innermost line of the design's own files that led to the error."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_own(frame.filename, root):
            return _place(frame.filename, frame.lineno)
    return shown


def _is_own(filename: str, root: Path) -> bool:
    path = Path(filename)
    if not path.is_relative_to(root) or path.is_relative_to(_SORTKEY):
        return False
    return "site-packages" not in path.relative_to(root).parts


def _place(filename: str, line: int | None) -> str:
    """Return a line as editors and terminals link to it, with the shortest path from here."""
    path = Path(filename)
    name = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{name}:{line}"


def _refuse_other(module: ModuleType, path: Path) -> None:
    """Refuse a module of the same name that was imported from somewhere else before."""
    there = Path(str(module.__file__)).resolve()
    if there != path:
        raise LoadError(str(path), f"another module named {module.__name__} is loaded from {there}")


def _packages(folder: Path) -> Iterator[Path]:
    """Return the package of a folder and those around it, the innermost first."""
    while (folder / "__init__.py").exists():
        yield folder
        folder = folder.parent


def _beside(root: Path, names: set[str]) -> Iterator[str]:
    """Return the modules that are in the folder itself."""
    for name in names:
        file = getattr(sys.modules.get(name), "__file__", None)
        if file and Path(file) in {
            root.joinpath(*name.split(".")).with_suffix(".py"),
            root.joinpath(*name.split("."), "__init__.py"),
        }:
            yield name


def _forget() -> None:
    for name in _brought:
        sys.modules.pop(name, None)
    _brought.clear()


def _title(path: Path) -> str:
    return path.parent.name if path.stem == "__init__" else path.stem


def _short(name: str) -> str:
    return name.rpartition(".")[2]
