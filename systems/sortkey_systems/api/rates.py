"""Rates of requests: a caller may send a burst, and then as many as the rate allows.

Each caller has a bucket of tokens: a request takes one, and the bucket refills with time. A process
counts on its own: several processes allow as many times the rate.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil

# The callers that are remembered; one takes about 200 bytes.
_MOST_CALLERS = 10_000
# An IPv6 client usually has all addresses with the same first 64 bits.
_SHARED_BITS = 64


class TooManyRequests(Exception):  # noqa: N818 - it says what happened
    """You sent too many requests: try again after the seconds in `Retry-After`."""

    def __init__(self, seconds: float) -> None:
        self.retry_after = max(1, ceil(seconds))
        super().__init__(f"too many requests: try again after {self.retry_after} s")


@dataclass(frozen=True, slots=True)
class RequestRate:
    """The requests that a caller may send: ``burst`` at once, then ``per_second``."""

    per_second: float
    burst: int


class RateLimit:
    """Applies a rate to each caller; of very many callers, the one idle longest is forgotten."""

    def __init__(
        self,
        rate: RequestRate,
        *,
        most_callers: int = _MOST_CALLERS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._rate = rate
        self._most_callers = most_callers
        self._clock = clock
        # The tokens of each caller, and when they were counted.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def count(self, caller: str) -> None:
        """Count a request of the caller, or raise `TooManyRequests`."""
        rate, now = self._rate, self._clock()
        tokens, since = self._buckets.get(caller, (float(rate.burst), now))
        tokens = min(rate.burst, tokens + (now - since) * rate.per_second)
        is_allowed = tokens >= 1
        self._buckets[caller] = tokens - is_allowed, now
        self._buckets.move_to_end(caller)
        if len(self._buckets) > self._most_callers:
            self._buckets.popitem(last=False)
        if not is_allowed:
            raise TooManyRequests((1 - tokens) / rate.per_second)


@dataclass(frozen=True, slots=True)
class RequestRates:
    """The rates of an API: of a caller with a valid token, and of an address without one."""

    caller: RequestRate = RequestRate(per_second=200, burst=1_000)
    address: RequestRate = RequestRate(per_second=50, burst=500)


def network_of(address: str) -> str:
    """Return the address, or the network of an IPv6 address, whose client may use all of it."""
    try:
        read = ip_address(address)
    except ValueError:
        return address
    if not isinstance(read, IPv6Address) or read.ipv4_mapped is not None:
        return address
    return str(int(read) >> _SHARED_BITS)
