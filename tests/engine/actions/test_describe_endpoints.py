"""DescribeEndpoints."""

from collections.abc import Callable
from typing import Any

Ask = Callable[..., dict[str, Any]]


class TestBehaviour:
    def test_there_is_one_endpoint(self, ask: Ask) -> None:
        [endpoint] = ask("DescribeEndpoints")["Endpoints"]
        assert endpoint["Address"] == "dynamodb.us-east-1.amazonaws.com"
        assert endpoint["CachePeriodInMinutes"] > 0
