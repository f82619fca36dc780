"""Usage is counted for the day and the month."""

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import CAFE, MORNING, installed

from sortkey import DB
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import usage_of_day, usage_of_month
from sortkey_systems.shuttle.errors import BadInput, ShopNotFound
from sortkey_systems.shuttle.metering import count_api_calls, record_storage


def test_calls_add_up_and_storage_is_the_last_value(db: DB) -> None:
    installed(db)
    count_api_calls(db, CAFE, 3)
    count_api_calls(db, CAFE, 4)
    record_storage(db, CAFE, 5_000_000_000)
    record_storage(db, CAFE, 7)

    for usage in (db(usage_of_day(CAFE, MORNING.date())), db(usage_of_month(CAFE, "2032-03"))):
        assert usage is not None
        assert (usage.api_calls, usage.storage_used_bytes) == (7, 7)
        assert (usage.imports_count, usage.products_imported) == (0, 0)


def test_a_shop_may_store_nothing_any_more(memory: DB) -> None:
    installed(memory)
    record_storage(memory, CAFE, 7)

    record_storage(memory, CAFE, 0)

    usage = memory(usage_of_day(CAFE, MORNING.date()))
    assert usage is not None
    assert usage.storage_used_bytes == 0


def test_usage_has_the_keys_of_the_document(db: DB) -> None:
    installed(db)
    record_storage(db, CAFE, 1)

    keys = {
        (item["SK"]["S"], item["GSI2PK"]["S"], item["GSI2SK"]["S"])
        for item in stored_items(db, Shuttle)
        if item["SK"]["S"].startswith("USAGE#")
    }
    assert keys == {
        ("USAGE#DAILY#2032-03-01", "USAGE_DAILY#2032-03-01", CAFE),
        ("USAGE#MONTHLY#2032-03", "USAGE_MONTHLY#2032-03", CAFE),
    }


def test_nothing_is_counted_for_an_unknown_shop(db: DB) -> None:
    with pytest.raises(ShopNotFound):
        count_api_calls(db, CAFE, 1)
    with pytest.raises(ShopNotFound):
        record_storage(db, CAFE, 1)
    assert stored_items(db, Shuttle) == []


def test_invalid_counts_are_rejected_by_field(db: DB) -> None:
    installed(db)

    with pytest.raises(BadInput) as refused:
        count_api_calls(db, CAFE, 0)
    assert refused.value.field == "calls"
    with pytest.raises(BadInput) as refused:
        record_storage(db, CAFE, -1)
    assert refused.value.field == "used_bytes"
    with pytest.raises(BadInput) as refused:
        record_storage(db, "a#b", 1)
    assert refused.value.field == "domain"
