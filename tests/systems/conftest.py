"""The systems run wherever the data access does: in memory, awaited, over HTTP and on Local."""

import pytest
from tests.access.conftest import http_url, local_url, opened, place

__all__ = ["http_url", "local_url", "opened", "place"]

# What an API adds is the same wherever its services run, and those have their own tests there.
_ELSEWHERE = ("asynchronous", "local")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        called = getattr(item, "callspec", None)
        if item.path.name == "test_api.py" and called and called.params.get("place") in _ELSEWHERE:
            item.add_marker(pytest.mark.slow)
