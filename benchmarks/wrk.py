"""wrk replays the prepared requests against one engine and counts what comes back."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

CONNECTIONS = 16
SCRIPT = Path(__file__).with_name("wrk.lua")


@dataclass(frozen=True, slots=True)
class Sample:
    """What one run of wrk saw."""

    requests: int
    seconds: float
    bytes: int
    refused: int
    broken: int
    median_ms: float
    p99_ms: float

    @property
    def rate(self) -> float:
        """Requests answered in a second."""
        return self.requests / self.seconds

    @property
    def errors(self) -> int:
        """Answers that were errors, and connections that failed or timed out."""
        return self.refused + self.broken


class WrkError(Exception):
    """wrk itself failed, so there is nothing to report."""


def write_requests(path: Path, raw: list[bytes]) -> None:
    """Leave the requests in a file for `replay`."""
    path.write_bytes(b"".join(b"%d\n%s\n" % (len(request), request) for request in raw))


def replay(wrk: str, port: int, requests: Path, seconds: int) -> Sample:
    """The figures of one engine answering these requests over and over for some seconds."""
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s"]
    command += ["-s", str(SCRIPT), f"http://127.0.0.1:{port}", "--", str(requests)]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds + 60,
        # Ctrl-C is for the benchmark, which ends wrk itself.
        start_new_session=True,
    )
    for line in ran.stdout.splitlines():
        if line.startswith("FIGURES "):
            return read_figures(line)
    raise WrkError(f"wrk printed no figures:\n{ran.stdout}{ran.stderr}")


def read_figures(line: str) -> Sample:
    """The sample that the script's line of figures spells."""
    requests, micros, received, refused, broken, median, p99 = map(int, line.split()[1:])
    return Sample(
        requests=requests,
        seconds=micros / 1e6,
        bytes=received,
        refused=refused,
        broken=broken,
        median_ms=median / 1000,
        p99_ms=p99 / 1000,
    )
