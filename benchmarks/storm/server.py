"""A server that is killed and restarted, and whose clock is moved together with its clients'."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.peers import PeerError
from sortkey.testing import MovableClock
from sortkey.wire.services import target_of

WEATHER = Path(__file__).with_name("weather.toml")
_STOP_SECONDS = 30
_LONGEST_CALM_SECONDS = 15.0
_LONGEST_MOVE_SECONDS = 30.0


class StormyServer:
    """`sortkey serve` on a file, in the storm's weather."""

    def __init__(self, file: Path, clock: MovableClock, log: Path) -> None:
        self._file = file
        self._clock = clock
        self._log = log
        self._port = 0
        self._process = self._started()
        self.kills = 0
        self.moves = 0
        self.events: dict[str, int] = {}

    @property
    def url(self) -> str:
        """The address, which stays the same."""
        return f"http://127.0.0.1:{self._port}"

    def kill(self) -> None:
        """Kill the server in the middle of its work, and start it again."""
        self._end(signal.SIGKILL)
        self._process = self._started()
        self.kills += 1

    def move(self, seconds: float) -> None:
        """Move the clock: first the server's, then that of its clients."""
        self._ask("MoveClock", {"Seconds": seconds})
        self._clock.move(seconds)
        self.moves += 1

    def stop(self) -> None:
        """Stop the server, and count what the weather did."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        self._note_events()
        with self._process as process:
            process.send_signal(how)
            process.wait(_STOP_SECONDS)

    def _started(self) -> subprocess.Popen[str]:
        command = [str(Path(sys.executable).with_name("sortkey")), "serve", "--db", str(self._file)]
        command += ["--port", str(self._port), "--movable-clock", "--weather", str(WEATHER)]
        with self._log.open("a") as log:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        line = process.stdout.readline() if process.stdout else ""
        port = line.partition("http://127.0.0.1:")[2].partition(" ")[0]
        if not port.isdigit():
            raise PeerError(f"sortkey serve did not start: {self._log.read_text()[-500:]}")
        self._port = int(port)
        self._ask("MoveClock", {"Seconds": self._clock() - time.time()})
        return process

    def _note_events(self) -> None:
        for event in self._ask("DescribeWeather", {})["Events"]:
            self.events[event["what"]] = self.events.get(event["what"], 0) + 1

    def _ask(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        headers = {
            "X-Amz-Target": target_of(operation),
            "Content-Type": "application/x-amz-json-1.0",
        }
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)) as connection:
            connection.request("POST", "/", json.dumps(request), headers)
            return json.loads(connection.getresponse().read())


@contextmanager
def stormy(file: Path, clock: MovableClock, log: Path, seed: int) -> Generator[StormyServer]:
    """Run a server, and in the block kill it and move its clock again and again, by chance."""
    server = StormyServer(file, clock, log)
    chance = Random(f"{seed}/storm")  # noqa: S311 - no secret
    calm = threading.Event()

    def rage() -> None:
        while not calm.wait(chance.uniform(1.0, _LONGEST_CALM_SECONDS)):
            if chance.random() < 0.5:
                server.kill()
            else:
                server.move(chance.uniform(1.0, _LONGEST_MOVE_SECONDS))

    thread = threading.Thread(target=rage)
    thread.start()
    try:
        yield server
    finally:
        calm.set()
        thread.join()
        server.stop()
