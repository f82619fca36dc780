"""Scripts that replay a counterexample, run as whoever is given one would."""

import subprocess
import sys
from pathlib import Path


def shown(script: Path, url: str, *texts: str) -> str:
    """What a script prints, which must be these texts among others."""
    done = subprocess.run(
        [sys.executable, script, url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for text in texts:
        assert text in done.stdout, done.stdout
    return done.stdout
