"""What each plan allows."""

from collections.abc import Mapping
from dataclasses import dataclass

from sortkey_systems.shuttle.design import Plan


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a plan allows."""

    products: int
    imports_a_day: int
    imports_a_month: int
    has_concurrent_jobs: bool = False


LIMITS: Mapping[Plan, Limits] = {
    Plan.FREE: Limits(100, 5, 100),
    Plan.SMALL: Limits(1_000, 20, 500),
    Plan.MEDIUM: Limits(5_000, 50, 1_500, has_concurrent_jobs=True),
    Plan.LARGE: Limits(20_000, 100, 3_000, has_concurrent_jobs=True),
}
