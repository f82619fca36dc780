"""When schedules are due, as EventBridge understands ``rate(...)`` and ``cron(...)``.

A rate counts from the moment at which the schedule began. A cron expression has the minutes, hours,
days of the month, months, days of the week and years in which it is due, in UTC. Of the two kinds
of days, one is ``?``. See "Using cron and rate expressions" in EventBridge's user guide.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import Protocol

from sortkey.local.errors import CannotRun

_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_CRON = re.compile(r"cron\((.*)\)")
_UNIT_SECONDS = {"minute": 60, "hour": 3600, "day": 86_400}
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_YEARS = (1970, 2199)
_FIELDS = 6
_WEEK = 7
_FRIDAY = 4
_SATURDAY = 5
_MOST_WEEKS = 5


class Times(Protocol):
    """When a schedule is due, in seconds since 1970."""

    def next_after(self, time: float) -> float | None:
        """Return the first due time after a time, or None if there is none."""
        ...

    def latest(self, time: float) -> float | None:
        """Return the last due time that is not after a time, or None if there is none."""
        ...


def times_of(expression: str, since: float) -> Times:
    """Return when a schedule is due that began at a time.

    Raises:
        CannotRun: EventBridge would refuse the expression.
    """
    if found := _RATE.fullmatch(expression):
        return RateTimes(since, int(found[1]) * _UNIT_SECONDS[found[2]])
    if found := _CRON.fullmatch(expression):
        return CronTimes.parse(expression, found[1])
    raise CannotRun(f"{expression} is neither rate(...) nor cron(...)")


@dataclass(frozen=True, slots=True)
class RateTimes:
    """Due every so many seconds."""

    since: float
    seconds: int

    def next_after(self, time: float) -> float:
        """Return the first due time after a time."""
        return self._at(max(0, int((time - self.since) // self.seconds)) + 1)

    def latest(self, time: float) -> float | None:
        """Return the last due time that is not after a time."""
        number = int((time - self.since) // self.seconds)
        return self._at(number) if number > 0 else None

    def _at(self, number: int) -> float:
        return self.since + number * self.seconds


@dataclass(frozen=True)
class CronTimes:
    """Due at the minutes that match six fields."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: frozenset[int]
    years: tuple[int, ...]
    days: "Days"

    @classmethod
    def parse(cls, expression: str, fields: str) -> "CronTimes":
        """Return a cron expression; its text is shown in errors."""
        parts = fields.upper().split()
        if len(parts) != _FIELDS:
            raise CannotRun(f"{expression} has {len(parts)} fields instead of six")
        minutes, hours, days, months, weekdays, years = parts
        if (days == "?") == (weekdays == "?"):
            raise CannotRun(
                f"{expression}: of the days of the month and of the week, one must be ?"
            )
        reader = _FieldReader(expression)
        return cls(
            tuple(reader.numbers(minutes, 0, 59)),
            tuple(reader.numbers(hours, 0, 23)),
            frozenset(reader.numbers(months, 1, 12, _MONTHS)),
            tuple(reader.numbers(years, *_YEARS)),
            reader.days(days) if weekdays == "?" else reader.weekdays(weekdays),
        )

    def next_after(self, time: float) -> float | None:
        """Return the first due time after a time, or None if there is none."""
        begin = datetime.fromtimestamp(time, UTC)
        for year in (year for year in self.years if year >= begin.year):
            for month in sorted(self.months):
                if (year, month) < (begin.year, begin.month):
                    continue
                for day in self.days.of(year, month):
                    if date(year, month, day) < begin.date():
                        continue
                    for found in self._on(year, month, day):
                        if found > time:
                            return found
        return None

    def latest(self, time: float) -> float | None:
        """Return the last due time that is not after a time, or None if there is none."""
        end = datetime.fromtimestamp(time, UTC)
        for year in (year for year in reversed(self.years) if year <= end.year):
            for month in sorted(self.months, reverse=True):
                if (year, month) > (end.year, end.month):
                    continue
                for day in reversed(self.days.of(year, month)):
                    if date(year, month, day) > end.date():
                        continue
                    found = [one for one in self._on(year, month, day) if one <= time]
                    if found:
                        return found[-1]
        return None

    def _on(self, year: int, month: int, day: int) -> Iterator[float]:
        midnight = datetime(year, month, day, tzinfo=UTC).timestamp()
        return (midnight + seconds for seconds in self._of_day)

    @cached_property
    def _of_day(self) -> tuple[int, ...]:
        """The due times of a day, in seconds since its beginning."""
        return tuple(3600 * hour + 60 * minute for hour in self.hours for minute in self.minutes)


class Days(Protocol):
    """The days of a month at which a schedule is due."""

    def of(self, year: int, month: int) -> list[int]:
        """Return them in order."""
        ...


@dataclass(frozen=True, slots=True)
class MonthDays:
    """Days by their number; ``nearest`` are moved to a working day, ``last`` is the last one."""

    numbers: frozenset[int]
    nearest: frozenset[int]
    last: bool
    last_working: bool

    def of(self, year: int, month: int) -> list[int]:
        """Return the days of a month, in order."""
        length = monthrange(year, month)[1]
        found = {day for day in self.numbers if day <= length}
        found |= {_working(year, month, day) for day in self.nearest if day <= length}
        if self.last:
            found.add(length)
        if self.last_working:
            found.add(_working(year, month, length))
        return sorted(found)


@dataclass(frozen=True, slots=True)
class WeekDays:
    """Days of the week, from Sunday as 1; in every week, in one of the month, or in its last."""

    numbers: frozenset[int]
    numbered: frozenset[tuple[int, int]]
    last: frozenset[int]

    def of(self, year: int, month: int) -> list[int]:
        """Return the days of a month, in order."""
        length = monthrange(year, month)[1]
        found: list[int] = []
        for day in range(1, length + 1):
            weekday = date(year, month, day).isoweekday() % _WEEK + 1
            week = (day - 1) // _WEEK + 1
            is_last = day + _WEEK > length and weekday in self.last
            if weekday in self.numbers or (weekday, week) in self.numbered or is_last:
                found.append(day)
        return found


def _working(year: int, month: int, day: int) -> int:
    """Return the working day that is nearest to a day, within its month."""
    weekday = date(year, month, day).weekday()
    if weekday <= _FRIDAY:
        return day
    step = -1 if weekday == _SATURDAY else 1
    found = date(year, month, day) + timedelta(days=step)
    return found.day if found.month == month else day - 2 * step


@dataclass(frozen=True, slots=True)
class _FieldReader:
    """Reads the fields of one expression."""

    expression: str

    def days(self, field: str) -> MonthDays:
        parts = field.split(",")
        nearest = {part[:-1] for part in parts if re.fullmatch(r"\d+W", part)}
        plain = [part for part in parts if part not in {"L", "LW"} and part[:-1] not in nearest]
        return MonthDays(
            frozenset(self.numbers(",".join(plain), 1, 31) if plain else ()),
            frozenset(self._number(text, 1, 31, ()) for text in nearest),
            "L" in parts,
            "LW" in parts,
        )

    def weekdays(self, field: str) -> WeekDays:
        numbered: set[tuple[int, int]] = set()
        last: set[int] = set()
        plain: list[str] = []
        for part in field.split(","):
            day, hash_mark, week = part.partition("#")
            if hash_mark:
                weekday = self._number(day, 1, _WEEK, _WEEKDAYS)
                numbered.add((weekday, self._number(week, 1, _MOST_WEEKS, ())))
            elif part == "L":
                plain.append("SAT")
            elif part.endswith("L"):
                last.add(self._number(part[:-1], 1, _WEEK, _WEEKDAYS))
            else:
                plain.append(part)
        numbers = self.numbers(",".join(plain), 1, _WEEK, _WEEKDAYS) if plain else ()
        return WeekDays(frozenset(numbers), frozenset(numbered), frozenset(last))

    def numbers(
        self, field: str, least: int, most: int, names: tuple[str, ...] = ()
    ) -> Iterable[int]:
        """Return the numbers that a field means, in order."""
        found: set[int] = set()
        for part in field.split(","):
            span, slash, step = part.partition("/")
            begin, dash, end = span.partition("-")
            if span == "*":
                first, last = least, most
            else:
                first = self._number(begin, least, most, names)
                last = self._number(end, least, most, names) if dash else first
                if slash and not dash:
                    last = most
            every = self._number(step, 1, most, ()) if slash else 1
            # A range may go round: FRI-MON, or 22-4.
            if last < first:
                size = most - least + 1
                found |= {
                    least + (first - least + n) % size
                    for n in range(0, last - first + size + 1, every)
                }
            else:
                found |= set(range(first, last + 1, every))
        return sorted(found)

    def _number(self, text: str, least: int, most: int, names: tuple[str, ...]) -> int:
        number = names.index(text) + least if text in names else -1
        if text.isdecimal():
            number = int(text)
        if not least <= number <= most:
            allowed = f"{least} to {most}" + (f" or {names[0]} to {names[-1]}" if names else "")
            raise CannotRun(f"{self.expression}: {text or 'nothing'} is not {allowed}")
        return number
