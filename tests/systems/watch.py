"""A clock that only the test moves."""

from datetime import datetime, timedelta


class Watch:
    """The time, which stands still."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def read(self) -> float:
        """The time in seconds since 1970."""
        return self.now.timestamp()

    def wait(self, **passed: float) -> datetime:
        """Let time pass; the time afterwards."""
        self.now += timedelta(**passed)
        return self.now
