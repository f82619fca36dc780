from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.acceptance


def test_aiodynamo_runs_unchanged(
    report: Callable[..., dict[str, Any]], story: dict[str, Any]
) -> None:
    # It has no method for tags, and its way around reads no empty reply, which TagResource has.
    del story["tags"]
    # It has an exception for each of DynamoDB's, by a name of its own.
    own_names = {"refusal": "ConditionalCheckFailed", "after_deletion": "TableNotFound"}
    assert report("aiodynamo") == story | own_names
