"""Measuring: compare the costs of a user with a limit, exact to the micro."""

from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal

from sortkey import DB, utc_now
from sortkey_systems.agentcore.design.quotas import PeriodType
from sortkey_systems.agentcore.design.summaries import day_of, month_of, summary_of

_MICROS = Decimal(1_000_000)
_HUNDREDTH = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Usage:
    """The costs of a period and its limit; None means no limit."""

    period: str
    spent: Decimal
    limit: Decimal | None

    @property
    def percentage(self) -> Decimal:
        """The used percentage of the limit, rounded down to 0.01; 0 without a limit."""
        if self.limit is None:
            return Decimal(0)
        return (self.spent * 100 / self.limit).quantize(_HUNDREDTH, ROUND_DOWN)

    def reaches(self, percentage: int) -> bool:
        """Return whether at least this percentage of the limit is used, compared exactly."""
        return self.limit is not None and self.spent * 100 >= self.limit * percentage


def usage_of(db: DB, user_id: str, period_type: PeriodType, limit: Decimal | None) -> Usage:
    """Return the usage of the current period."""
    moment = utc_now()
    period = day_of(moment) if period_type is PeriodType.DAILY else month_of(moment)
    summary = db(summary_of(user_id, period))
    spent = 0 if summary is None else summary.total_cost_micros
    return Usage(period, spent / _MICROS, limit)
