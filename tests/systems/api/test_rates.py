"""A rate allows a burst and then a number of requests for each second, to each caller."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey_systems.api.rates import RateLimit, RequestRate, TooManyRequests, network_of


class Watch:
    """A clock that only the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        return self.now


def is_allowed(limit: RateLimit, caller: str = "ann") -> bool:
    try:
        limit.count(caller)
    except TooManyRequests:
        return False
    return True


def test_a_burst_is_allowed_and_then_the_rate() -> None:
    watch = Watch()
    limit = RateLimit(RequestRate(per_second=2, burst=3), clock=watch.read)

    assert [is_allowed(limit) for _ in range(5)] == [True, True, True, False, False]
    watch.now += 1
    assert [is_allowed(limit) for _ in range(3)] == [True, True, False]
    watch.now += 1_000
    assert [is_allowed(limit) for _ in range(4)] == [True, True, True, False]


def test_each_caller_is_counted_alone() -> None:
    limit = RateLimit(RequestRate(per_second=1, burst=1), clock=Watch().read)

    assert [is_allowed(limit, who) for who in ("ann", "bob", "ann")] == [True, True, False]


@pytest.mark.parametrize(("per_second", "seconds"), [(10, 1), (1, 1), (0.25, 4)])
def test_the_error_has_the_seconds_to_wait(per_second: float, seconds: int) -> None:
    watch = Watch()
    limit = RateLimit(RequestRate(per_second, burst=1), clock=watch.read)
    limit.count("ann")

    with pytest.raises(TooManyRequests, match=rf"try again after {seconds} s") as refused:
        limit.count("ann")
    assert refused.value.retry_after == seconds
    watch.now += seconds
    assert is_allowed(limit)


@given(st.lists(st.floats(0, 3), max_size=60), st.integers(1, 5), st.sampled_from([0.5, 1, 2]))
def test_no_time_has_more_requests_than_burst_and_rate(
    pauses: list[float], burst: int, per_second: float
) -> None:
    watch = Watch()
    limit = RateLimit(RequestRate(per_second, burst), clock=watch.read)
    allowed: list[float] = []
    for pause in pauses:
        watch.now += pause
        if is_allowed(limit):
            allowed.append(watch.now)

    for first, start in enumerate(allowed):
        for last, end in enumerate(allowed[first:], first):
            assert last - first + 1 <= burst + (end - start) * per_second + 1e-6


def test_only_so_many_callers_are_remembered_and_the_idle_are_forgotten_first() -> None:
    limit = RateLimit(RequestRate(per_second=1, burst=1), most_callers=3, clock=Watch().read)
    for who in ("ann", "bob", "cyd", "ann", "dan"):
        is_allowed(limit, who)

    assert len(limit) == 3
    # Ann has sent a request since Bob did.
    assert not is_allowed(limit, "ann")
    assert is_allowed(limit, "bob")


def test_addresses_of_one_ipv6_network_are_one_client() -> None:
    one, same, other = map(network_of, ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1"])

    assert one == same != other
    assert network_of("10.0.0.1") != network_of("10.0.0.2")
    assert network_of("::ffff:10.0.0.1") != network_of("::ffff:10.0.0.2")
    assert network_of("testclient") == "testclient"
