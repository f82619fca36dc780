"""A thread that does one thing again and again, until it is stopped."""

import logging
import threading
from collections.abc import Callable

from sortkey.local.functions import Stopped

_log = logging.getLogger(__name__)

_AFTER_FAILURE_SECONDS = 1.0


class Loop:
    """Calls a function in a thread; it returns how many seconds to wait before the next call."""

    def __init__(self, name: str, step: Callable[[], float]) -> None:
        self._step = step
        self._wake = threading.Event()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Do the next step now; the clock may have been moved."""
        self._wake.set()

    def stop(self) -> None:
        """Begin no further step."""
        self._is_stopped = True
        self._wake.set()

    def join(self, seconds: float) -> None:
        """Wait for the end of the last step."""
        if self._thread.is_alive():
            self._thread.join(seconds)

    def _run(self) -> None:
        while not self._is_stopped:
            self._wake.clear()
            try:
                pause = self._step()
            except Stopped:
                return
            except Exception:  # noqa: BLE001 - the others go on, and so does this one
                if self._is_stopped:
                    return
                _log.exception("%s failed; it goes on", self._thread.name)
                pause = _AFTER_FAILURE_SECONDS
            if not self._is_stopped:
                self._wake.wait(pause)
