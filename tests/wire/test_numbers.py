"""DynamoDB's numbers."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.wire.errors import ValidationException
from sortkey.wire.numbers import (
    canonical_number,
    number_key,
    number_of_key,
    number_size,
)

digits = st.integers(-(10**38) + 1, 10**38 - 1)
exponents = st.integers(-130, 87)


def scaled(significant: int, exponent: int) -> Decimal:
    return Decimal(significant).scaleb(exponent)


numbers = st.builds(scaled, digits, exponents).filter(
    lambda n: n == 0 or -130 <= n.adjusted() <= 125
)


class TestCanonicalNumber:
    @pytest.mark.parametrize(
        ("text", "canonical"),
        [
            ("0", "0"),
            ("-0", "0"),
            ("+5", "5"),
            ("007", "7"),
            ("1.0", "1"),
            ("1.50", "1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-1e2", "-100"),
            ("1E-3", "0.001"),
            ("120e-1", "12"),
            ("0e999999", "0"),
        ],
    )
    def test_each_number_has_one_spelling(self, text: str, canonical: str) -> None:
        assert canonical_number(text) == canonical

    @pytest.mark.parametrize("text", ["", " 1", "1 ", "abc", "0x1", "1_0", "NaN", "Infinity", "٣"])
    def test_what_is_no_number_is_refused(self, text: str) -> None:
        with pytest.raises(ValidationException, match="cannot be converted to a numeric value"):
            canonical_number(text)

    @pytest.mark.parametrize("text", ["1" * 1_000_000 + "x", "1e" + "1" * 1_000_000 + "x"])
    def test_a_text_that_only_begins_as_a_number_is_refused_in_one_pass(self, text: str) -> None:
        with pytest.raises(ValidationException, match="cannot be converted to a numeric value"):
            canonical_number(text)

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("1e126", "Number overflow"),
            ("-1e126", "Number overflow"),
            ("1e999999999999999999999", "Number overflow"),
            ("1e-131", "Number underflow"),
            ("1e-999999999999999999999", "Number underflow"),
            ("1" * 39, "more than 38 significant digits"),
            ("1." + "1" * 38, "more than 38 significant digits"),
        ],
    )
    def test_what_dynamodb_cannot_hold_is_refused(self, text: str, complaint: str) -> None:
        with pytest.raises(ValidationException, match=complaint):
            canonical_number(text)

    @given(numbers)
    def test_the_value_is_kept_and_the_spelling_is_stable(self, number: Decimal) -> None:
        canonical = canonical_number(str(number))

        assert Decimal(canonical) == number
        assert canonical_number(canonical) == canonical
        assert "E" not in canonical


class TestNumberKey:
    @given(numbers, numbers)
    def test_bytes_sort_as_the_numbers_do(self, one: Decimal, other: Decimal) -> None:
        one_key = number_key(canonical_number(str(one)))
        other_key = number_key(canonical_number(str(other)))

        assert (one_key < other_key) == (one < other)
        assert (one_key == other_key) == (one == other)

    @given(numbers)
    def test_the_number_is_read_back(self, number: Decimal) -> None:
        canonical = canonical_number(str(number))

        assert number_of_key(number_key(canonical)) == canonical

    def test_the_extremes_are_in_order(self) -> None:
        ordered = ["-9e125", "-1", "-1e-130", "0", "1e-130", "0.1", "1", "1.5", "2", "10", "9e125"]

        keys = [number_key(canonical_number(text)) for text in ordered]

        assert keys == sorted(keys)


class TestNumberSize:
    @pytest.mark.parametrize(
        ("text", "size"),
        [
            ("0", 1),
            ("1", 2),
            ("12", 2),
            ("123", 3),
            ("1.2", 3),
            ("12.3", 3),
            ("1000", 2),
            ("120", 3),
            ("0.05", 2),
            ("-5", 3),
            ("9" * 38, 20),
        ],
    )
    def test_a_number_costs_a_byte_for_each_pair_of_digits_and_one_more(
        self, text: str, size: int
    ) -> None:
        assert number_size(canonical_number(text)) == size
