import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.peers import Peer, PeerError, running, stop_group


def test_stopping_an_engine_ends_what_it_started() -> None:
    parent = subprocess.Popen(
        ["/bin/sh", "-c", "sleep 60 & echo $!; wait"],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert parent.stdout
    with parent.stdout:
        child = int(parent.stdout.readline())
    stop_group(parent)
    assert parent.returncode is not None
    deadline = time.monotonic() + 10
    while _is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _is_alive(child)


def test_the_error_of_an_engine_that_does_not_start_has_its_output(tmp_path: Path) -> None:
    broken = Peer("broken", lambda _port, _home: [sys.executable, "-c", "raise SystemExit('why')"])
    with (
        pytest.raises(PeerError, match=r"(?s)broken did not start.*why"),
        running(broken, tmp_path / "home"),
    ):
        pass


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc").exists()
    return state != "Z"
