"""Keys as bytes."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine.keys import (
    LAST,
    KeyAttribute,
    hashed,
    joined,
    joined_range,
    plain_range,
    segment_bounds,
    shown_partition,
    successor,
)
from sortkey.wire.numbers import number_key

parts = st.binary(max_size=5) | st.sampled_from([b"\x00", b"\x00\x01", b"\xff", b"a\x00", b"a"])
OPERATORS: dict[str, Callable[[bytes, bytes], bool]] = {
    "=": lambda value, low: value == low,
    "<": lambda value, low: value < low,
    "<=": lambda value, low: value <= low,
    ">": lambda value, low: value > low,
    ">=": lambda value, low: value >= low,
    "BEGINS_WITH": lambda value, low: value.startswith(low),
}


@given(st.tuples(parts, parts), st.tuples(parts, parts))
def test_joined_values_sort_as_the_tuple_does(
    one: tuple[bytes, bytes], other: tuple[bytes, bytes]
) -> None:
    assert (joined(one) < joined(other)) == (one < other)
    assert (joined(one) == joined(other)) == (one == other)


@given(parts, parts, parts, st.sampled_from(sorted(OPERATORS)))
def test_ranges_hold_exactly_what_fulfils_the_condition(
    value: bytes, bound: bytes, after: bytes, operator: str
) -> None:
    fulfils = OPERATORS[operator](value, bound)

    first, last = plain_range(operator, [bound])
    assert (first <= value < last) == fulfils

    first, last = joined_range(operator, [bound])
    assert (first <= joined([value]) + after < last) == fulfils


@given(parts, parts, parts)
def test_between_takes_both_its_ends(value: bytes, low: bytes, high: bytes) -> None:
    fulfils = low <= value <= high

    first, last = plain_range("BETWEEN", [low, high])
    assert (first <= value < last) == fulfils

    first, last = joined_range("BETWEEN", [low, high])
    assert (first <= joined([value]) < last) == fulfils


@given(parts, parts)
def test_the_successor_follows_all_that_starts_with_the_prefix(prefix: bytes, rest: bytes) -> None:
    assert prefix + rest < successor(prefix)


@pytest.mark.parametrize("total", [1, 2, 3, 7, 1000, 1_000_000])
def test_segments_cover_all_partitions_once(total: int) -> None:
    segments = sorted({0, 1, total // 2, total - 1} & set(range(total)))
    for segment in segments:
        first, last = segment_bounds(segment, total)
        assert first < last
        if segment + 1 < total:
            assert segment_bounds(segment + 1, total)[0] == last
    assert segment_bounds(0, total)[0] <= hashed(b"")[:4]
    assert segment_bounds(total - 1, total)[1] == LAST


@pytest.mark.parametrize(
    ("kinds", "values", "shown"),
    [
        ("S", [b"USER#7"], "USER#7"),
        ("N", [number_key("-12.5")], "-12.5"),
        ("B", [b"\x00\xff"], "AP8="),
        ("SNB", [b"a\x00b", number_key("7"), b"\x00"], "a\x00b, 7, AA=="),
    ],
)
def test_a_partition_key_is_shown_as_it_was_written(
    kinds: str, values: list[bytes], shown: str
) -> None:
    attributes = [KeyAttribute(f"a{at}", kind) for at, kind in enumerate(kinds)]
    content = values[0] if len(values) == 1 else joined(values)

    assert shown_partition(attributes, hashed(content)) == shown


def test_a_hash_alone_has_no_partition_key() -> None:
    assert shown_partition([KeyAttribute("a", "S")], b"\x00\x00\x00\x00") == ""
