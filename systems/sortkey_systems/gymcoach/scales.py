"""Scales of a chart: the ticks of its axes and their labels."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext

_STEPS = (1, 2, 5, 10)
_PLAIN_BELOW = Decimal(10) ** 9
_PLAIN_ABOVE = Decimal(10) ** -6
# Days between the ticks of a time axis; beyond a week, ticks are at the start of months.
_DAYS = (1, 2, 7)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000)
# Not by strftime, which uses the locale of the machine.
_MONTH_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Range:
    """The lowest and highest value of an axis, and its ticks."""

    low: Decimal
    high: Decimal
    ticks: tuple[Decimal, ...]


def value_range(values: Sequence[Decimal], *, from_zero: bool, most_ticks: int = 6) -> Range:
    """Return a range with round ticks that includes all values."""
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, Decimal(0)), max(high, Decimal(0))
    if low == high:
        room = abs(low) / 10 or Decimal(1)
        low, high = low - room, high + room
    with localcontext(prec=60):
        step = _round_step((high - low) / (most_ticks - 1))
        first = (low / step).to_integral_value(ROUND_FLOOR) * step
        last = (high / step).to_integral_value(ROUND_CEILING) * step
        count = int((last - first) / step)
        ticks = tuple(first + step * number for number in range(count + 1))
    return Range(first, last, ticks)


def _round_step(wanted: Decimal) -> Decimal:
    """Return the smallest of 1, 2, 5 and 10 times a power of ten that is at least ``wanted``."""
    power = Decimal(10) ** wanted.adjusted()
    return next(power * factor for factor in _STEPS if power * factor >= wanted)


def shown(value: Decimal) -> str:
    """Format a value for people, without trailing zeros."""
    if value == 0:
        return "0"
    if not _PLAIN_ABOVE <= abs(value) < _PLAIN_BELOW:
        return f"{value.normalize():.3E}".replace("E+", "e").replace("E", "e")
    text = f"{value:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(value: Decimal) -> Decimal:
    """Round a value to a few digits."""
    places = Decimal("0.01") if abs(value) >= 1 else Decimal(10) ** (value.adjusted() - 2)
    return value if value == 0 or abs(value) >= _PLAIN_BELOW else value.quantize(places)


def dates_of(texts: Sequence[str]) -> list[date] | None:
    """Return the texts as days, or None if one is not a day."""
    try:
        return [date.fromisoformat(text[:10]) for text in texts]
    except ValueError:
        return None


def date_ticks(first: date, last: date, most: int) -> list[date]:
    """Return days, Mondays or starts of months in a range, at most ``most``."""
    days = (last - first).days
    for step in _DAYS:
        if days // step < most:
            start = first if step < _DAYS[-1] else first + timedelta(days=-first.weekday() % 7)
            return [start + timedelta(days=n) for n in range(0, (last - start).days + 1, step)]
    for step in _MONTHS:
        ticks = [*_months(first, last, step)]
        if len(ticks) <= most:
            return ticks
    return [first, last]


def _months(first: date, last: date, step: int) -> Iterator[date]:
    number = first.year * 12 + first.month - 1
    number += -number % step
    while number // 12 <= date.max.year:
        day = date(number // 12, number % 12 + 1, 1)
        if day > last:
            return
        if day >= first:
            yield day
        number += step


def date_labels(ticks: Sequence[date]) -> list[str]:
    """Return the labels of ticks, with the year at the first one and wherever it changes."""
    is_one = len(ticks) == 1
    if not is_one and all(day.day == day.month == 1 for day in ticks):
        return [f"{day.year}" for day in ticks]
    is_monthly = not is_one and all(day.day == 1 for day in ticks)
    labels: list[str] = []
    year: int | None = None
    for day in ticks:
        month = _MONTH_NAMES[day.month - 1]
        text = month if is_monthly else f"{day.day} {month}"
        labels.append(text if day.year == year else f"{text} {day.year}")
        year = day.year
    return labels
