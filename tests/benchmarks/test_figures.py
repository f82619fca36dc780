from benchmarks.figures import Series, Target, ratio
from hypothesis import given
from hypothesis import strategies as st

rates = st.lists(st.floats(0.01, 1e6), min_size=1, max_size=9)


@given(rates)
def test_the_median_lies_among_the_samples(samples: list[float]) -> None:
    assert min(samples) <= Series(tuple(samples)).median <= max(samples)


@given(rates, st.floats(1, 100))
def test_the_spread_does_not_depend_on_the_unit(samples: list[float], factor: float) -> None:
    scaled = Series(tuple(sample * factor for sample in samples))
    assert abs(scaled.spread - Series(tuple(samples)).spread) < 1e-6


def test_nothing_measured_is_infinitely_slower() -> None:
    assert ratio(Series((5.0,)), Series((0.0,))) == float("inf")


def test_a_target_is_kept_on_its_very_limit() -> None:
    assert Target("twice", 2.0, "x", at_least=2).kept
    assert Target("at most four times", 4.0, "x", at_most=4).kept


def test_a_target_is_missed_just_beyond_its_limit() -> None:
    assert not Target("twice", 1.99, "x", at_least=2).kept
    assert not Target("at most four times", 4.01, "x", at_most=4).kept
