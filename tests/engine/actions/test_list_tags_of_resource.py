"""ListTagsOfResource."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import AccessDeniedException, ValidationException

Ask = Callable[..., dict[str, Any]]


class TestShape:
    def test_an_arn_is_required(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="Value null at 'resourceArn'"):
            ask("ListTagsOfResource")


class TestValidation:
    @pytest.mark.parametrize("account", ["000000000000", "123456789012"])
    def test_the_tags_of_an_unknown_table_are_denied(self, ask: Ask, account: str) -> None:
        arn = f"arn:aws:dynamodb:us-east-1:{account}:table/nowhere"
        with pytest.raises(AccessDeniedException) as denied:
            ask("ListTagsOfResource", ResourceArn=arn)
        assert str(denied.value) == (
            "User: arn:aws:iam::000000000000:root is not authorized to perform: "
            f"dynamodb:ListTagsOfResource on resource: {arn}"
        )

    def test_other_resources_are_refused(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="ARNs must start with 'arn:'"):
            ask("ListTagsOfResource", ResourceArn="plain")


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
