"""Where the modules of a design's application are."""

from pathlib import Path
from types import ModuleType

from sortkey.design.declaring.design import Design


def folder_of(design: Design) -> Path:
    """Return the folder of the design's file, where ``.env`` is."""
    return next((_file(one).parent for one in design.modules if one.__file__), Path.cwd())


def root_of(design: Design) -> Path:
    """Return the folder from which the design's modules are imported."""
    module = next((one for one in design.modules if one.__file__), None)
    if module is None:
        return Path.cwd()
    if module.__spec__ is None or module.__name__.startswith("_sortkey_"):
        return _file(module).parent
    depth = module.__name__.count(".") + hasattr(module, "__path__")
    return _file(module).parents[depth]


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__)).resolve()
