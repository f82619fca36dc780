"""DescribeTimeToLive."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import ResourceNotFoundException, SerializationException

Ask = Callable[..., dict[str, Any]]


class TestShape:
    def test_a_name_is_a_text(self, ask: Ask) -> None:
        with pytest.raises(SerializationException, match="cannot be converted to String"):
            ask("DescribeTimeToLive", TableName=3)


class TestValidation:
    def test_an_unknown_table_is_named(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException, match="Table: nowhere not found"):
            ask("DescribeTimeToLive", TableName="nowhere")


class TestBehaviour:
    def test_it_is_off_at_first_and_then_names_the_attribute(self, ask: Ask) -> None:
        off = ask("DescribeTimeToLive", TableName="plain")
        ask(
            "UpdateTimeToLive",
            TableName="plain",
            TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True},
        )
        on = ask("DescribeTimeToLive", TableName="plain")

        assert off == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
        assert on == {
            "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
        }
