"""Buckets of capacity units, which fill each second and are emptied by requests.

A request is admitted while any units are left, and may take more than are left: the debt is repaid
before the next request is admitted. So a rate holds over time whatever the size of the items, and
an item that needs more units than a bucket can hold is still written once in a while.
"""

from collections import deque

# Unused provisioned capacity is kept for so long.
BURST_SECONDS = 300.0
# An on-demand table serves twice its previous peak; a new peak counts as previous after so long.
PEAK_SECONDS = 1800.0


class UnitBucket:
    """Units that are added at ``rate`` a second, up to ``seconds`` of it."""

    __slots__ = ("_at", "_level", "_rate", "_seconds")

    def __init__(self, rate: float, now: float, *, seconds: float = 1.0) -> None:
        self._rate = rate
        self._seconds = seconds
        # A new table has not left any capacity unused, and can serve its first second.
        self._level = rate
        self._at = int(now)

    @property
    def rate(self) -> float:
        """The units that are added in a second."""
        return self._rate

    def change(self, rate: float, now: float) -> None:
        """Fill the bucket at another rate from now on."""
        self._fill(now)
        # What is added applies to this second too.
        self._level = min(self._level + max(rate - self._rate, 0.0), rate * self._seconds)
        self._rate = rate

    def admits(self, now: float) -> bool:
        """Return whether a request can be served."""
        self._fill(now)
        return self._level > 0

    def take(self, units: float) -> None:
        """Take the units of an admitted request."""
        self._level -= units

    def _fill(self, now: float) -> None:
        second = int(now)
        # A clock that was moved back adds nothing and takes nothing.
        if second > self._at:
            gained = (second - self._at) * self._rate
            self._level = min(self._level + gained, self._rate * self._seconds)
        self._at = second


class OnDemandCapacity:
    """The capacity of a table on demand: at first ``start`` units a second, then twice its peak.

    A peak is the most units in a second. It raises the capacity after half an hour, so a table can
    double its traffic each half hour without being throttled, and no faster.
    """

    __slots__ = ("_bucket", "_peak", "_peaks", "_second", "_units")

    def __init__(self, start: float, now: float) -> None:
        self._bucket = UnitBucket(start, now)
        self._second = int(now)
        self._units = 0.0
        self._peak = 0.0
        # New highest peaks that do not count yet, with the time when they do.
        self._peaks: deque[tuple[float, float]] = deque()

    @property
    def rate(self) -> float:
        """The units that can be served in a second."""
        return self._bucket.rate

    def admits(self, now: float) -> bool:
        """Return whether a request can be served."""
        self._settle(now)
        return self._bucket.admits(now)

    def raise_to(self, rate: float, now: float) -> None:
        """Serve at least so many units a second; the capacity never falls."""
        if rate > self.rate:
            self._bucket.change(rate, now)

    def take(self, units: float) -> None:
        """Take the units of an admitted request."""
        self._units += units
        self._bucket.take(units)

    def _settle(self, now: float) -> None:
        if int(now) != self._second:
            self._record(self._second + 1)
            self._second = int(now)
            self._units = 0.0
        while self._peaks and self._peaks[0][0] <= now:
            self.raise_to(2 * self._peaks.popleft()[1], now)

    def _record(self, at: float) -> None:
        # Below half of the capacity, a peak would not raise it.
        if self._units > max(self._peak, self.rate / 2):
            self._peak = self._units
            self._peaks.append((at + PEAK_SECONDS, self._peak))
