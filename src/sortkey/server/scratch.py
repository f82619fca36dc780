"""A temporary folder that does not outlive the server, not even one that is killed.

A small process waits for the end of a pipe that the server and all its workers hold. The end comes
when the last of them is gone, for whatever reason, and then it removes the folder.
"""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import NoReturn

_REMOVED = b"!"


@contextlib.contextmanager
def scratch_folder() -> Generator[Path]:
    """Yield a new folder, and remove it at the end or when this process and its forks are gone."""
    folder = tempfile.mkdtemp(prefix="sortkey-")
    held = _watch(folder)
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(BrokenPipeError):
            os.write(held, _REMOVED)
        os.close(held)


def _watch(folder: str) -> int:
    """Start the process that removes the folder, and return the descriptor to hold."""
    watched, held = os.pipe()
    # No signal ends it before its time: what is blocked here stays blocked there.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    child = os.fork()
    if child == 0:
        _run_detached(watched, folder)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    os.close(watched)
    os.waitpid(child, 0)
    return held


def _run_detached(watched: int, folder: str) -> NoReturn:
    """Run in a process of its own session, which is not a child of the server."""
    try:
        os.setsid()
        if os.fork() == 0:
            # It holds nothing else: no socket, no terminal, no pipe that another reads.
            os.chdir("/")
            os.dup2(watched, 0)
            os.closerange(1, os.sysconf("SC_OPEN_MAX"))
            if os.read(0, 1) != _REMOVED:
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)
