"""Which test runs which lines of a system.

Tools for this keep a stack of frames, and some lose their place in it when an error is thrown into
a generator, as `contextmanager` does: the handlers after it then seem never to run.
"""

import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

# The context of what runs while modules are imported.
NO_TEST = ""


class Lines:
    """The lines of a folder's files that run, each with the tests that run it."""

    def __init__(self, folder: Path) -> None:
        self._prefix = f"{folder}/"
        self._test = NO_TEST
        self.run: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))

    def start(self) -> None:
        """From here on, in every thread."""
        threading.settrace(self._entered)
        sys.settrace(self._entered)

    def stop(self) -> None:
        """Until here."""
        sys.settrace(None)
        threading.settrace(None)

    def switch_to(self, test: str) -> None:
        """Lines that run from here on are this test's."""
        self._test = test

    def _entered(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(self._prefix):
            return None
        run = self.run[file]

        def passed(frame: FrameType, _event: str, _argument: Any) -> Any:
            run[frame.f_lineno].add(self._test)
            return passed

        return passed(frame, _event, _argument)
