"""Running other programs, with what they print kept for the error."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run(
    command: Sequence[str | Path],
    *,
    given: str = "",
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    seconds: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program with this input, and return its status and what it printed."""
    return subprocess.run(  # noqa: S603 - interpreters and installers of this machine
        command,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=folder,
        timeout=seconds,
    )
