"""UpdateTimeToLive."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]


def update(ask: Ask, name: Any = "ttl", *, enabled: Any = True, table: str = "plain") -> Any:
    return ask(
        "UpdateTimeToLive",
        TableName=table,
        TimeToLiveSpecification={"AttributeName": name, "Enabled": enabled},
    )


class TestShape:
    def test_members_have_their_types(self, ask: Ask) -> None:
        with pytest.raises(SerializationException, match="cannot be converted to String"):
            update(ask, 3)
        with pytest.raises(SerializationException, match="cannot be converted to Boolean"):
            update(ask, enabled=3)

    @pytest.mark.parametrize("name", ["", "x" * 256])
    def test_a_name_has_1_to_255_characters(self, ask: Ask, name: str) -> None:
        with pytest.raises(ValidationException, match=r"attributeName' failed.*length"):
            update(ask, name)

    def test_both_members_are_required(self, ask: Ask) -> None:
        with pytest.raises(ValidationException) as refused:
            ask("UpdateTimeToLive", TableName="plain", TimeToLiveSpecification={})
        assert "timeToLiveSpecification.enabled" in refused.value.message
        assert "timeToLiveSpecification.attributeName" in refused.value.message


class TestValidation:
    def test_an_unknown_table_is_named(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException, match="Table: nowhere not found"):
            update(ask, table="nowhere")

    def test_it_is_switched_on_once(self, ask: Ask) -> None:
        update(ask)
        with pytest.raises(ValidationException, match="TimeToLive is already enabled"):
            update(ask)

    def test_it_is_switched_off_once(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="TimeToLive is already disabled"):
            update(ask, enabled=False)

    @pytest.mark.parametrize("enabled", [True, False])
    def test_another_attribute_is_refused(self, ask: Ask, *, enabled: bool) -> None:
        update(ask)
        with pytest.raises(ValidationException) as refused:
            update(ask, "other", enabled=enabled)
        assert refused.value.message == (
            "TimeToLive is active on a different AttributeName: current AttributeName is ttl"
        )


class TestBehaviour:
    def test_the_answer_repeats_the_setting(self, ask: Ask) -> None:
        assert update(ask) == {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}

    def test_it_can_be_switched_off_and_on_by_another_attribute(self, ask: Ask) -> None:
        update(ask)
        update(ask, enabled=False)
        update(ask, "other")
        described = ask("DescribeTimeToLive", TableName="plain")["TimeToLiveDescription"]
        assert described == {"TimeToLiveStatus": "ENABLED", "AttributeName": "other"}
