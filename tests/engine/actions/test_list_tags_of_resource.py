"""ListTagsOfResource."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import ResourceNotFoundException, ValidationException

Ask = Callable[..., dict[str, Any]]


class TestShape:
    def test_an_arn_is_required(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Value null at 'resourceArn'"):
            ask("ListTagsOfResource")


class TestValidation:
    def test_an_unknown_table_is_not_found(self, ask: Ask) -> None:
        with pytest.raises(ResourceNotFoundException, match="Requested resource not found"):
            ask(
                "ListTagsOfResource",
                ResourceArn="arn:aws:dynamodb:us-east-1:000000000000:table/nowhere",
            )


class TestBehaviour:
    def test_tags_given_at_creation_are_listed(self, ask: Ask) -> None:
        given = [{"Key": "one", "Value": "1"}, {"Key": "two", "Value": "2"}]
        arn = ask(
            "CreateTable",
            TableName="tagged",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
            Tags=given,
        )["TableDescription"]["TableArn"]
        assert ask("ListTagsOfResource", ResourceArn=arn) == {"Tags": given}
