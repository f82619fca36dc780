"""What a second process can gain at all on this machine, just now."""

import subprocess
import sys

SECONDS = 1
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
    """How many times as much two processes count in a second as one does: 2 with two idle cores."""
    alone = _counted(1)
    return _counted(2) / alone


def _counted(processes: int) -> int:
    started = [
        subprocess.Popen([sys.executable, "-c", COUNT], stdout=subprocess.PIPE, text=True)
        for _ in range(processes)
    ]
    return sum(int(process.communicate()[0]) for process in started)
