"""Bytecode that does not depend on when, where or in which order it was compiled.

Lambda's file system cannot be written to, so each new process would compile every module again.
Python trusts unchecked bytecode without comparing it with the source.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from sortkey.assets.errors import AssetError
from sortkey.assets.processes import run

# Where Lambda has the code, for tracebacks.
_HOME = "/var/task"

# A constant is written as a reference if the process has it elsewhere too: cpython#129724, seen
# with 3.13. So each module is compiled by a process in the same state, where it can fork.
_PROGRAM = """
import json, os, sys
from py_compile import PyCompileError, PycInvalidationMode, compile

def compile_one(name):
    try:
        compile(name, dfile=home + "/" + name, doraise=True,
                invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    except PyCompileError:
        pass  # a template, or for another Python

home, names = json.load(sys.stdin)
for name in names:
    if not hasattr(os, "fork"):
        compile_one(name)
        continue
    child = os.fork()
    if child == 0:
        status = 1
        try:
            compile_one(name)
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(name + " could not be compiled")
"""


def compile_files(python: Path, folder: Path, names: Iterable[str]) -> None:
    """Compile files of a folder, each into its ``__pycache__``.

    Raises:
        AssetError: The interpreter failed.
    """
    ran = run(
        [python, "-I", "-S", "-c", _PROGRAM],
        given=json.dumps([_HOME, [*names]]),
        folder=folder,
    )
    if ran.returncode != 0:
        raise AssetError(f"{python} could not compile the asset:\n{ran.stderr.strip()[-2000:]}")
