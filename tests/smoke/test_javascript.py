from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.acceptance


def test_the_javascript_sdk_runs_unchanged(
    report: Callable[..., dict[str, Any]], story: dict[str, Any]
) -> None:
    # The low-level client leaves the item of a refused write in DynamoDB JSON.
    assert report("javascript") == story | {"refused_item": {"S": "paid"}}


def test_the_javascript_sdk_reads_a_stream_and_restores_a_backup(
    report: Callable[..., dict[str, Any]], changes_story: dict[str, Any]
) -> None:
    assert report("javascript", "changes") == changes_story
