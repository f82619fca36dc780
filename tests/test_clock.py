"""Operations use one clock, which can be set."""

import threading
import time
from datetime import UTC, datetime

import pytest

from sortkey.clock import clock, now, use_in_process, utc_now


def test_within_the_block_the_time_is_what_the_clock_says() -> None:
    with clock(lambda: 86_400.25):
        assert now() == 86_400.25
        assert utc_now() == datetime(1970, 1, 2, 0, 0, 0, 250_000, tzinfo=UTC)


def test_after_the_block_the_clock_before_counts_again_even_after_an_error() -> None:
    with clock(lambda: 1.0):
        with pytest.raises(ZeroDivisionError), clock(lambda: 2.0):
            raise ZeroDivisionError
        assert now() == 1.0


def test_a_process_has_a_clock_for_all_its_threads() -> None:
    times: list[float] = []
    use_in_process(lambda: 7.0)
    try:
        thread = threading.Thread(target=lambda: times.append(now()))
        thread.start()
        thread.join()
        with clock(lambda: 8.0):
            times.append(now())
    finally:
        use_in_process(time.time)

    assert times == [7.0, 8.0]
