"""The table ``user-cost-summary``: the costs of each user by day and by month."""

from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Export, Op, Page, Table, gsi, number, pattern
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Count, Id

SPENDERS_PAGE = 25


def _check_period(period: str) -> str:
    first_day = period if len(period) == len("2026-05-14") else f"{period}-01"
    date.fromisoformat(first_day)
    return period


Period = Annotated[
    str,
    Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$", max_length=10),
    AfterValidator(_check_period),
]


class UserCostSummary(
    Table,
    name=STANDARD.named("user-cost-summary"),
    settings=STANDARD.settings(
        alarms=ALARMS,
        exported=Export(
            "cost-tracking", "user-cost-summary", "User cost summary DynamoDB table name"
        ),
    ),
):
    """Sums of costs, updated in the transaction of each cost."""

    top_spenders_index = gsi(
        "GSI1PK",
        number("totalCostMicros"),
        name="TopSpendersIndex",
        ignore={
            "index_key_names": "it sorts by the number totalCostMicros itself, so that the ADD "
            "that changes the total also moves the entry; a text key would need the total to be "
            "read first"
        },
    )


class CostSummary(
    Entity,
    table=UserCostSummary,
    stored=to_camel,
    expected=Expected(count=4_000_000, per_partition=200, size_bytes=220, hottest_share=0.01),
):
    """The costs of a user in a period: a day as ``2026-05-14`` or a month as ``2026-05``."""

    user_id: Id
    period: Period
    total_cost_micros: Count = 0
    request_count: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0

    primary = UserCostSummary.primary.key("USER#{user_id}", "PERIOD#{period}")
    # Every cost changes the sum of the current month, and the other half of all changes is on the
    # current day: each of these two partitions takes half of the writes.
    by_spending = UserCostSummary.top_spenders_index.key(
        "PERIOD#{period}", "{total_cost_micros}", expected=Expected(hottest_share=0.5)
    )


def day_of(moment: datetime) -> str:
    """Return the UTC day of a time."""
    return f"{moment.astimezone(UTC):%Y-%m-%d}"


def month_of(moment: datetime) -> str:
    """Return the UTC month of a time."""
    return f"{moment.astimezone(UTC):%Y-%m}"


@pattern("Summary of a user and period", rate="25/s", fresh=True)
def summary_of(user_id: str, period: str) -> Op[CostSummary | None]:
    """Use a strongly consistent read for the quota check; None if nothing was spent."""
    return CostSummary.get(user_id=user_id, period=period).consistently()


@pattern(
    "Top spenders of a period",
    rate="1/min",
    page=SPENDERS_PAGE,
    where=lambda summary, period: summary.period == period,
    order=lambda summary: summary.total_cost_micros,
    descending=True,
)
def top_spenders(period: str, after: str | None = None) -> Op[Page[CostSummary]]:
    """Return the highest totals first."""
    query = CostSummary.query(CostSummary.by_spending, period=period)
    return query.reverse().page(SPENDERS_PAGE, after)
