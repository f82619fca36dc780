"""wrk sends the prepared requests to one engine and counts the responses."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

CONNECTIONS = 16
SCRIPT = Path(__file__).with_name("wrk.lua")


@dataclass(frozen=True, slots=True)
class Sample:
    """The counts of one run of wrk."""

    requests: int
    seconds: float
    bytes: int
    refused: int
    broken: int
    median_ms: float
    p99_ms: float

    @property
    def rate(self) -> float:
        """The responses per second."""
        return self.requests / self.seconds

    @property
    def errors(self) -> int:
        """The error responses, and the connections that failed or timed out."""
        return self.refused + self.broken


class WrkError(Exception):
    """wrk itself failed, so there are no figures."""


def write_requests(path: Path, raw: list[bytes]) -> None:
    """Write the requests to a file for `replay`."""
    path.write_bytes(b"".join(b"%d\n%s\n" % (len(request), request) for request in raw))


def replay(wrk: str, port: int, requests: Path, seconds: int) -> Sample:
    """Send these requests to an engine repeatedly for some seconds, and return the counts."""
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s"]
    command += ["-s", str(SCRIPT), f"http://127.0.0.1:{port}", "--", str(requests)]
    ran = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds + 60,
        # Ctrl-C is for the benchmark, which stops wrk itself.
        start_new_session=True,
    )
    for line in ran.stdout.splitlines():
        if line.startswith("FIGURES "):
            return read_figures(line)
    raise WrkError(f"wrk printed no figures:\n{ran.stdout}{ran.stderr}")


def read_figures(line: str) -> Sample:
    """Return the sample that the script's line of figures contains."""
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
