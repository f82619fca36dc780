"""A benchmark that is stopped leaves no server behind."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.acceptance
SECONDS = 60


@pytest.fixture(params=["attack --minutes 1 --only fuzzer", "storm --seconds 30 --only oneonone"])
def running(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", *f"benchmarks.{request.param}".split()]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        yield process
        process.kill()


def servers_of(process: subprocess.Popen[bytes]) -> set[int]:
    """Return the servers that a process has started, directly or through others."""
    found = {process.pid}
    servers: set[int] = set()
    for stat in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda path: int(path.parent.name)):
        try:
            text, command = stat.read_text(), (stat.parent / "cmdline").read_bytes()
        except OSError:
            continue
        parent = int(text.rpartition(")")[2].split()[1])
        if parent in found:
            found.add(int(stat.parent.name))
            if b"\0serve\0" in command:
                servers.add(int(stat.parent.name))
    return servers


def is_running(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_a_benchmark_that_gets_sigterm_ends_its_servers(
    running: subprocess.Popen[bytes],
) -> None:
    deadline = time.monotonic() + SECONDS
    while not (servers := servers_of(running)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert servers

    running.send_signal(signal.SIGTERM)
    running.wait(SECONDS)

    while any(map(is_running, servers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [pid for pid in servers if is_running(pid)] == []
