"""Capacity units."""

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.engine.capacity import Usage, read_units, write_units
from sortkey.engine.table import StoredTable

SIZES = st.integers(min_value=1, max_value=400 * 1024)


def table() -> StoredTable:
    schema = [{"AttributeName": "pk", "KeyType": "HASH"}]
    index = {"KeySchema": schema, "Projection": {"ProjectionType": "ALL"}}
    return StoredTable(
        1,
        {
            "TableName": "things",
            "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/things",
            "KeySchema": schema,
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "GlobalSecondaryIndexes": [{**index, "IndexName": "global", "Number": 2}],
            "LocalSecondaryIndexes": [{**index, "IndexName": "local", "Number": 3}],
        },
    )


class TestUnits:
    @given(SIZES)
    def test_a_read_is_charged_by_blocks_of_four_kilobytes(self, size: int) -> None:
        assert read_units(size, consistent=True) == ceil(size / 4096)

    @given(SIZES)
    def test_an_eventual_read_costs_half(self, size: int) -> None:
        assert read_units(size, consistent=False) * 2 == read_units(size, consistent=True)

    @given(SIZES)
    def test_a_write_is_charged_by_kilobytes(self, size: int) -> None:
        assert write_units(size) == ceil(size / 1024)

    def test_nothing_costs_as_much_as_the_smallest_item(self) -> None:
        assert read_units(0, consistent=True) == read_units(1, consistent=True) == 1
        assert write_units(0) == write_units(1) == 1


class TestUsage:
    def test_the_total_is_the_sum_of_the_table_and_its_indexes(self) -> None:
        usage = Usage(table(), "things")
        usage.write(2.0)
        usage.write(1.0, "global")
        usage.write(3.0, "local")
        usage.write(1.0, "global")
        assert usage.report("TOTAL") == {"TableName": "things", "CapacityUnits": 7.0}
        assert usage.report("INDEXES") == {
            "TableName": "things",
            "CapacityUnits": 7.0,
            "Table": {"CapacityUnits": 2.0},
            "GlobalSecondaryIndexes": {"global": {"CapacityUnits": 2.0}},
            "LocalSecondaryIndexes": {"local": {"CapacityUnits": 3.0}},
        }

    def test_an_index_without_cost_is_not_mentioned(self) -> None:
        usage = Usage(table(), "things")
        usage.read(0.5)
        assert usage.report("INDEXES") == {
            "TableName": "things",
            "CapacityUnits": 0.5,
            "Table": {"CapacityUnits": 0.5},
        }

    def test_the_table_is_called_what_the_request_calls_it(self) -> None:
        assert Usage(table(), "arn:things").report("TOTAL")["TableName"] == "arn:things"

    @pytest.mark.parametrize("kind", ["Read", "Write"])
    def test_a_transaction_distinguishes_reads_and_writes(self, kind: str) -> None:
        usage = Usage(table(), "things")
        (usage.read if kind == "Read" else usage.write)(2.0)
        units = {"CapacityUnits": 2.0, f"{kind}CapacityUnits": 2.0}
        assert usage.report("INDEXES", split=True) == {
            "TableName": "things",
            **units,
            "Table": units,
        }
