"""Sums and differences."""

from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.expressions.arithmetic import add, subtract
from sortkey.wire.errors import ValidationException
from sortkey.wire.numbers import canonical_number

numbers = st.decimals(-(10**18), 10**18, places=6).map(
    lambda number: canonical_number(f"{number:f}")
)


@given(numbers, numbers)
def test_sums_and_differences_are_exact(left: str, right: str) -> None:
    with localcontext() as context:
        context.prec = 100

        assert Decimal(add(left, right)) == Decimal(left) + Decimal(right)
        assert Decimal(subtract(left, right)) == Decimal(left) - Decimal(right)


@given(numbers, numbers)
def test_results_are_in_canonical_spelling(left: str, right: str) -> None:
    assert add(left, right) == canonical_number(add(left, right))


def test_what_cancels_out_is_zero() -> None:
    assert add("-1.5", "1.5") == "0"
    assert subtract("7", "7") == "0"


@pytest.mark.parametrize(
    ("left", "right"), [("9e125", "9e125"), ("1e50", "1"), ("1e125", "-1e-125")]
)
def test_what_dynamodb_cannot_hold_is_an_overflow(left: str, right: str) -> None:
    with pytest.raises(ValidationException, match=r"^Number overflow\. Attempting to store"):
        add(canonical_number(left), canonical_number(right))


def test_the_largest_sum_is_held() -> None:
    assert Decimal(add(canonical_number("9e125"), canonical_number("9e124"))) == Decimal("9.9e125")
