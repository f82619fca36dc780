from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.acceptance


def test_pynamodb_runs_unchanged(
    report: Callable[..., dict[str, Any]], story: dict[str, Any]
) -> None:
    # PynamoDB wraps DynamoDB's errors in its own, named after the method that failed.
    own_names = {
        "refusal": "UpdateError: ConditionalCheckFailedException",
        "after_deletion": "TableDoesNotExist",
    }
    assert report("pynamodb") == story | own_names
