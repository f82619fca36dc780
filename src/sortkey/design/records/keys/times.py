"""Times and dates in keys: a fixed width, always in UTC, so that their text can sort.

Python's own strftime depends on the machine's locale and writes the year 999 with three digits;
this one has only the directives that are digits of one fixed width everywhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sortkey.design.records.keys.characters import DIGITS, CharacterRun, Shape, one_of
from sortkey.design.records.keys.formats import FormatError

DATETIME_SPEC = "%Y-%m-%dT%H:%M:%S.%fZ"
DATE_SPEC = "%Y-%m-%d"
EPOCH_SPEC = "%s"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Directive:
    """One part of a time: which digits it may have at each place, and where it comes from."""

    digits: tuple[str, ...]
    of: Callable[[Any], int]


_DIRECTIVES: Mapping[str, _Directive] = {
    "Y": _Directive((DIGITS,) * 4, lambda day: day.year),
    "y": _Directive((DIGITS,) * 2, lambda day: day.year % 100),
    "m": _Directive(("01", DIGITS), lambda day: day.month),
    "d": _Directive(("0123", DIGITS), lambda day: day.day),
    "j": _Directive(("0123", DIGITS, DIGITS), lambda day: day.timetuple().tm_yday),
    "G": _Directive((DIGITS,) * 4, lambda day: day.isocalendar().year),
    "V": _Directive(("012345", DIGITS), lambda day: day.isocalendar().week),
    "u": _Directive(("1234567",), lambda day: day.isoweekday()),
    "H": _Directive(("012", DIGITS), lambda time: time.hour),
    "M": _Directive(("012345", DIGITS), lambda time: time.minute),
    "S": _Directive(("012345", DIGITS), lambda time: time.second),
    "f": _Directive((DIGITS,) * 6, lambda time: time.microsecond),
}
_CLOCK = "HMSf"
# A day by month, by number in the year, or by week; %Y with %V is a week in the wrong year.
_CALENDARS = ("Yymd", "Yyj", "GVu")
_COARSE_TO_FINE = ("YmdHMSf", "YjHMSf", "GVuHMSf")
_WHOLE_DAYS = ("Ymd", "Yj", "GVu")
# For formats without a year: a leap year with 53 weeks has every day and week there can be.
_ANY_YEAR = 2004


class _TimeText:
    """The text that a spec makes of a time, and the parts of a time that such a text holds."""

    def __init__(self, spec: str, *, clock: bool) -> None:
        self._places: dict[str, slice] = {}
        self.letters = ""
        runs: list[CharacterRun] = []
        written: list[str] = []
        for letter, text in _pieces(spec):
            if letter is None:
                runs.append(one_of(text))
                written.append(text.replace("%", "%%"))
                continue
            directive = _known(letter, clock=clock)
            self._places[letter] = slice(len(runs), len(runs) + len(directive.digits))
            runs.extend(map(one_of, directive.digits))
            written.append(f"%0{len(directive.digits)}d")
            self.letters += letter
        if not self.letters:
            raise FormatError(
                f"the time format {spec!r} writes no part of the time: use {DATE_SPEC}"
            )
        days = set(self.letters) - set(_CLOCK)
        if not any(days <= set(calendar) for calendar in _CALENDARS):
            raise FormatError(
                f"the time format {spec!r} mixes calendars: "
                "a week (%V, %u) belongs to the year %G, a month or a day to %Y"
            )
        self.shape: Shape = (tuple(runs),)
        self.width = len(runs)
        self._template = "".join(written)
        self._parts = tuple(_DIRECTIVES[letter].of for letter in self.letters)

    @property
    def ordered(self) -> bool:
        """Whether the spec goes from coarse to fine and leaves nothing out on the way."""
        return any(chain.startswith(self.letters) for chain in _COARSE_TO_FINE)

    @property
    def names_a_day(self) -> bool:
        """Whether the text identifies the day."""
        return any(set(days) <= set(self.letters) for days in _WHOLE_DAYS)

    def write(self, time: date) -> str:
        """The text of the time."""
        return self._template % tuple([part(time) for part in self._parts])

    def read(self, text: str) -> datetime:
        """The earliest time that is written so."""
        if len(text) != self.width:
            raise ValueError(f"not of {self.width} characters")
        parts = {letter: int(text[place]) for letter, place in self._places.items()}
        clock = (parts.get("H", 0), parts.get("M", 0), parts.get("S", 0), parts.get("f", 0))
        try:
            day = _day(parts)
        except OverflowError:
            raise ValueError("not a day of the calendar") from None
        return datetime(day.year, day.month, day.day, *clock, tzinfo=UTC)


def _aware(value: Any) -> datetime:
    """The value, if it is a time that one zone makes certain."""
    if not isinstance(value, datetime):
        raise FormatError(f"it is of type {type(value).__name__}: pass a datetime with a time zone")
    if value.utcoffset() is None:
        raise FormatError("it has no time zone: add one, such as datetime.now(UTC)")
    return value


class DatetimeFormat:
    """An aware datetime, written in UTC."""

    def __init__(self, spec: str) -> None:
        self._text = _TimeText(spec or DATETIME_SPEC, clock=True)
        self.shape = self._text.shape
        self.width = self._text.width
        self.ordered = self._text.ordered
        self.lossy = not (self._text.names_a_day and set(_CLOCK) <= set(self._text.letters))

    def write(self, value: Any) -> str:
        """The text of the time, cut to what the format keeps."""
        moment = _aware(value)
        try:
            return self._text.write(moment.astimezone(UTC))
        except OverflowError:
            raise FormatError("in UTC it is outside the years 1 to 9999") from None

    def read(self, text: str) -> datetime:
        """The earliest time that is written so, in UTC."""
        return self._text.read(text)


class EpochFormat:
    """An aware datetime as ten digits: the whole seconds since 1970, up to the year 2286."""

    ordered = True
    lossy = True  # it keeps no part of a second
    width = 10
    shape: Shape = ((one_of(DIGITS),) * width,)

    def write(self, value: Any) -> str:
        """The seconds, with zeros in front."""
        seconds = (_aware(value) - _EPOCH) // timedelta(seconds=1)
        if not 0 <= seconds < 10**self.width:
            raise FormatError(
                "its seconds since 1970 do not fit ten digits (1970 to 2286): write it as "
                f"{DATETIME_SPEC}"
            )
        return f"{seconds:0{self.width}d}"

    def read(self, text: str) -> datetime:
        """The beginning of that second, in UTC."""
        return _EPOCH + timedelta(seconds=int(text))


class DateFormat:
    """A date."""

    def __init__(self, spec: str) -> None:
        self._text = _TimeText(spec or DATE_SPEC, clock=False)
        self.shape = self._text.shape
        self.width = self._text.width
        self.ordered = self._text.ordered
        self.lossy = not self._text.names_a_day

    def write(self, value: Any) -> str:
        """The text of the date, cut to what the format keeps."""
        if not isinstance(value, date) or isinstance(value, datetime):
            raise FormatError(f"it is of type {type(value).__name__}: pass a date")
        return self._text.write(value)

    def read(self, text: str) -> date:
        """The earliest date that is written so."""
        return self._text.read(text).date()


def _pieces(spec: str) -> list[tuple[str | None, str]]:
    """Each directive's letter, and between them single characters of plain text."""
    pieces: list[tuple[str | None, str]] = []
    characters = iter(spec)
    for character in characters:
        if character != "%":
            pieces.append((None, character))
            continue
        letter = next(characters, "")
        pieces.append((None, "%") if letter == "%" else (letter, ""))
    return pieces


def _known(letter: str, *, clock: bool) -> _Directive:
    known = {
        name: directive for name, directive in _DIRECTIVES.items() if clock or name not in _CLOCK
    }
    if letter in known:
        return known[letter]
    names = " ".join(f"%{name}" for name in known)
    if letter in _DIRECTIVES:
        raise FormatError(f"a date has no %{letter}: use {names}")
    raise FormatError(
        f"%{letter} does not have a fixed number of digits on every platform: use {names}"
    )


def _day(parts: Mapping[str, int]) -> date:
    if not parts.keys().isdisjoint("GVu"):
        return date.fromisocalendar(parts.get("G", _ANY_YEAR), parts.get("V", 1), parts.get("u", 1))
    year = parts.get("Y", 2000 + parts["y"] if "y" in parts else _ANY_YEAR)
    if "j" in parts:
        return date(year, 1, 1) + timedelta(days=parts["j"] - 1)
    return date(year, parts.get("m", 1), parts.get("d", 1))
