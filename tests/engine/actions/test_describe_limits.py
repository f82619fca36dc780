"""DescribeLimits."""

from collections.abc import Callable
from typing import Any

Ask = Callable[..., dict[str, Any]]


class TestBehaviour:
    def test_a_table_may_have_half_of_what_the_account_may(self, ask: Ask) -> None:
        limits = ask("DescribeLimits")
        assert limits["AccountMaxReadCapacityUnits"] == 2 * limits["TableMaxReadCapacityUnits"]
        assert limits["AccountMaxWriteCapacityUnits"] == 2 * limits["TableMaxWriteCapacityUnits"]
