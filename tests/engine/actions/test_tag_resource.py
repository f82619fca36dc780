"""TagResource."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import (
    ResourceNotFoundException,
    SerializationException,
    ValidationException,
)

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def arn(ask: Ask) -> str:
    return ask("DescribeTable", TableName="plain")["Table"]["TableArn"]


def tag(ask: Ask, arn: str, **tags: str) -> None:
    ask("TagResource", ResourceArn=arn, Tags=[{"Key": k, "Value": v} for k, v in tags.items()])


def tags(ask: Ask, arn: str) -> dict[str, str]:
    listed = ask("ListTagsOfResource", ResourceArn=arn)["Tags"]
    return {each["Key"]: each["Value"] for each in listed}


class TestShape:
    def test_tags_are_a_list(self, ask: Ask, arn: str) -> None:
        with pytest.raises(SerializationException, match="Start of structure or map"):
            ask("TagResource", ResourceArn=arn, Tags={})

    @pytest.mark.parametrize(
        "given",
        [
            {"Key": "", "Value": "x"},
            {"Key": "x" * 129, "Value": "x"},
            {"Key": "x", "Value": "x" * 257},
            {"Key": "x"},
        ],
    )
    def test_keys_and_values_have_their_lengths(
        self, ask: Ask, arn: str, given: dict[str, str]
    ) -> None:
        with pytest.raises(ValidationException, match="1 validation error detected"):
            ask("TagResource", ResourceArn=arn, Tags=[given])

    def test_tags_are_required(self, ask: Ask, arn: str) -> None:
        with pytest.raises(ValidationException, match="Value null at 'tags'"):
            ask("TagResource", ResourceArn=arn)


class TestValidation:
    def test_there_is_at_least_one(self, ask: Ask, arn: str) -> None:
        with pytest.raises(ValidationException, match="Atleast one Tag needs to be provided"):
            tag(ask, arn)

    @pytest.mark.parametrize(
        ("given", "complaint"),
        [
            ("plain", "ARNs must start with 'arn:'"),
            ("arn:x", "Invalid ResourceArn provided as input arn:x"),
            ("arn:aws:s3:::table/plain", "Invalid ResourceArn provided as input"),
            (
                "arn:aws:dynamodb:us-east-1:000000000000:table/shop/index/by_status",
                "only table or stream is accepted",
            ),
        ],
    )
    def test_the_resource_is_a_table(self, ask: Ask, given: str, complaint: str) -> None:
        with pytest.raises(ValidationException, match=complaint):
            tag(ask, given, key="value")

    def test_an_unknown_table_is_not_found(self, ask: Ask, arn: str) -> None:
        with pytest.raises(ResourceNotFoundException):
            tag(ask, arn + "x", key="value")

    @pytest.mark.parametrize("text", ["hi!", "d%g", '"hello"', "a\nb"])
    def test_letters_spaces_numbers_and_few_signs_are_allowed(
        self, ask: Ask, arn: str, text: str
    ) -> None:
        with pytest.raises(ValidationException):
            tag(ask, arn, **{text: "value"})
        with pytest.raises(ValidationException):
            tag(ask, arn, key=text)

    def test_a_table_has_up_to_fifty(self, ask: Ask, arn: str) -> None:
        tag(ask, arn, **{f"key{number}": "" for number in range(50)})
        tag(ask, arn, key0="again")
        with pytest.raises(ValidationException, match="Too many tags"):
            tag(ask, arn, key50="")
        assert len(tags(ask, arn)) == 50

    def test_amazons_own_keys_are_reserved(self, ask: Ask, arn: str) -> None:
        with pytest.raises(ValidationException, match="reserved"):
            tag(ask, arn, **{"aws:key": "x"})


class TestBehaviour:
    def test_tags_are_added_and_given_new_values(self, ask: Ask, arn: str) -> None:
        tag(ask, arn, один="ѮѮ", two="2")
        tag(ask, arn, two="3", three="")
        assert tags(ask, arn) == {"один": "ѮѮ", "two": "3", "three": ""}
