import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.acceptance

DEMO = Path(__file__).parents[2] / "examples/demo.py"


def test_the_demo_ends_by_itself_and_fits_on_a_screen() -> None:
    done = subprocess.run(
        [sys.executable, DEMO],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) <= 60
    assert max(len(line) for line in lines) <= 80
    assert "the same, line for line" in done.stdout
    assert "PK            USER#ada" in done.stdout
    assert re.search(r"one award in each of \d+ orders", done.stdout)
    assert "3 of 12 parts" in done.stdout
