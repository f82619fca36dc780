"""A clock that only the test moves."""

from datetime import datetime, timedelta


class Watch:
    """A stopped clock."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def read(self) -> float:
        """Return the time in seconds since 1970."""
        return self.now.timestamp()

    def wait(self, **passed: float) -> datetime:
        """Move the clock on and return its time."""
        self.now += timedelta(**passed)
        return self.now
