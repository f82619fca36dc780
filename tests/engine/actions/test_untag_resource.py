"""UntagResource."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import SerializationException, ValidationException

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def arn(ask: Ask) -> str:
    arn = ask("DescribeTable", TableName="plain")["Table"]["TableArn"]
    ask(
        "TagResource",
        ResourceArn=arn,
        Tags=[{"Key": "one", "Value": "1"}, {"Key": "two", "Value": "2"}],
    )
    return arn


class TestShape:
    def test_keys_are_texts(self, ask: Ask, arn: str) -> None:
        with pytest.raises(SerializationException, match="cannot be converted to String"):
            ask("UntagResource", ResourceArn=arn, TagKeys=[1])


class TestValidation:
    def test_there_is_at_least_one(self, ask: Ask, arn: str) -> None:
        with pytest.raises(ValidationException, match="Atleast one Tag Key needs to be provided"):
            ask("UntagResource", ResourceArn=arn, TagKeys=[])


class TestBehaviour:
    def test_tags_go_and_unknown_keys_are_passed_over(self, ask: Ask, arn: str) -> None:
        ask("UntagResource", ResourceArn=arn, TagKeys=["one", "unknown"])
        left = ask("ListTagsOfResource", ResourceArn=arn)["Tags"]
        assert left == [{"Key": "two", "Value": "2"}]

    def test_a_table_without_tags_stays_so(self, ask: Ask) -> None:
        arn = ask("DescribeTable", TableName="shop")["Table"]["TableArn"]
        ask("UntagResource", ResourceArn=arn, TagKeys=["one"])
        assert ask("ListTagsOfResource", ResourceArn=arn) == {"Tags": []}
