"""Where the modules of a design's application are."""

from pathlib import Path
from types import ModuleType

from sortkey.design.declaring.design import Design


def folder_of(design: Design) -> Path:
    """Return the folder of the design's file, where ``.env`` is."""
    return next((_file(one).parent for one in design.modules if one.__file__), Path.cwd())


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__)).resolve()
