"""Copies of the systems in which a fault is planted, so that the checkout is never touched."""

import os
import shutil
import sys
from collections.abc import Generator
from compileall import compile_dir
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode

from tests.mutation.mutants import DISTRIBUTION, PACKAGE, Mutant

# The tests of the systems import these by name, and so are imported again too.
_FROM_COPY = ("sortkey_systems", "tests.systems")


def copy_systems(root: Path, into: Path) -> None:
    """The systems of a checkout in a folder of their own.

    Their compiled modules go by what is in a file: two faults can be written within one tick of
    the clock, and be as long as each other.
    """
    shutil.copytree(root / PACKAGE, into / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    compile_dir(into / PACKAGE, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)


@contextmanager
def planted(mutant: Mutant, copy: Path) -> Generator[None]:
    """A copy that has one fault for a while."""
    path = copy / mutant.file
    path.write_text(mutant.text)
    try:
        yield
    finally:
        path.write_text(mutant.original)


def prefer(copy: Path, root: Path) -> None:
    """From here on this process, and those that it starts, import the systems from a copy."""
    for name in [name for name in sys.modules if name.startswith(_FROM_COPY)]:
        del sys.modules[name]
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(copy / DISTRIBUTION))
    ours = [str(copy / DISTRIBUTION), str(root), str(root / "src")]
    os.environ["PYTHONPATH"] = os.pathsep.join(ours)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(copy / "examples")
