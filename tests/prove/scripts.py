"""Scripts that replay a counterexample, run as a user would run them."""

import subprocess
import sys
from pathlib import Path


def shown(script: Path, url: str, *texts: str) -> str:
    """Run a script, assert that it prints these texts, and return its output."""
    done = subprocess.run(
        [sys.executable, script, url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    for text in texts:
        assert text in done.stdout, done.stdout
    return done.stdout
