"""An expired item is not a record, exact to the second."""

import pytest

from sortkey.operations.reading import Reading, is_expired
from sortkey.wire.values import Item


def test_without_an_expiry_the_reading_is_the_reader() -> None:
    assert Reading(len).reader(0.0) is len


@pytest.mark.parametrize(
    ("item", "expired"),
    [
        ({"ends": {"N": "99"}}, True),
        ({"ends": {"N": "100"}}, True),
        ({"ends": {"N": "101"}}, False),
        ({"ends": {"S": "1"}}, False),
        ({}, False),
    ],
)
def test_an_item_is_expired_from_the_second_that_it_names(item: Item, expired: bool) -> None:
    read = Reading(lambda _: "read", expires="ends").reader(100.9)

    assert is_expired(item, "ends", 100.9) is expired
    assert read(item) == (None if expired else "read")
