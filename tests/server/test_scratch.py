import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sortkey.server.scratch import scratch_folder

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="several workers need os.fork")

# Forks a worker, says where the folder is, and waits to be killed.
SERVER = """
import os, time
from sortkey.server.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "memory.db").write_bytes(b"items")
    worker = os.fork()
    if worker:
        print(folder, worker, flush=True)
    time.sleep(60)
"""


class KilledServer:
    """A process with a scratch folder and one worker, in a process group of its own."""

    def __init__(self, scratch: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(scratch)},
            start_new_session=True,
        )
        assert self.process.stdout
        folder, worker = self.process.stdout.readline().split()
        self.folder = Path(folder)
        self.worker = int(worker)

    def janitors(self) -> set[int]:
        """The processes that are neither the server nor its worker, but run its code."""
        found: set[int] = set()
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) not in {self.process.pid, self.worker}:
                try:
                    if SERVER.encode() in (process / "cmdline").read_bytes():
                        found.add(int(process.name))
                except OSError:
                    continue
        return found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[KilledServer]:
    running = KilledServer(tmp_path)
    yield running
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.process.pid, signal.SIGKILL)
    running.process.communicate()


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_folder_is_removed_at_the_end() -> None:
    with scratch_folder() as folder:
        (folder / "memory.db").write_bytes(b"items")

    assert not folder.exists()


def test_it_can_be_removed_by_someone_else_before() -> None:
    with scratch_folder() as folder:
        folder.rmdir()

    assert not folder.exists()


def test_only_this_user_can_look_into_it() -> None:
    with scratch_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700


def test_a_killed_server_leaves_nothing(server: KilledServer) -> None:
    os.killpg(server.process.pid, signal.SIGKILL)

    eventually(lambda: not server.folder.exists())


def test_the_folder_stays_as_long_as_a_worker_uses_it(server: KilledServer) -> None:
    server.process.kill()
    server.process.wait()
    assert (server.folder / "memory.db").exists()

    os.kill(server.worker, signal.SIGKILL)

    eventually(lambda: not server.folder.exists())


@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are found in /proc")
def test_what_waits_holds_nothing_else_and_ends_with_the_server(server: KilledServer) -> None:
    [janitor] = server.janitors()
    assert os.getsid(janitor) != os.getsid(server.process.pid)
    descriptors = Path(f"/proc/{janitor}/fd")
    eventually(lambda: len(list(descriptors.iterdir())) == 1)
    assert str((descriptors / "0").readlink()).startswith("pipe:")

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(janitor, number)
    assert server.folder.exists()
    os.killpg(server.process.pid, signal.SIGKILL)

    eventually(lambda: not server.janitors())
    assert not server.folder.exists()
