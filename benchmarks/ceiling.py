"""The highest gain that a second process can have on this machine during the run."""

import subprocess
import sys

SECONDS = 0.5
TRIES = 3
COUNT = f"""
import time
end = time.monotonic() + {SECONDS}
rounds = 0
while time.monotonic() < end:
    for _ in range(1000):
        pass
    rounds += 1
print(rounds)
"""


def second_process_gain() -> float:
    """Return how many times as much two processes count as one: 2 with two idle cores."""
    # The best of several alternating tries: other work on the machine only lowers the figures.
    counts = [(_counted(1), _counted(2)) for _ in range(TRIES)]
    return max(both for _, both in counts) / max(alone for alone, _ in counts)


def _counted(processes: int) -> int:
    started = [
        subprocess.Popen([sys.executable, "-c", COUNT], stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return sum(int(process.communicate()[0]) for process in started)
