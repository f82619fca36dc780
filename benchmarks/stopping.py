"""Stop on SIGTERM as on Ctrl-C, so that the servers that a program started do not remain."""

import signal
import sys
from typing import NoReturn


def stop_on_sigterm() -> None:
    """Leave through all cleanup when this process, or one that it forks, gets SIGTERM."""
    signal.signal(signal.SIGTERM, _leave)


def _leave(_signal: int, _frame: object) -> NoReturn:
    sys.exit(143)
