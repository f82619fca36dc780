"""A slot writes typed values as text and reads exactly that text back."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.design.records.keys.formats import FormatError
from sortkey.design.records.keys.slots import (
    UNBOUNDED,
    Bounds,
    KeyValueError,
    Slot,
    digits_of,
    slot_format,
)


class Status(StrEnum):
    OPEN = "open"
    SHUT = "shut"


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Colour(Enum):
    RED = "r"
    DARK_RED = "rr"


class Mixed(Enum):
    ONE = 1
    TWO = "two"


class Bits(IntFlag):
    READ = 1
    WRITE = 2


def slot(kind: Any, spec: str = "", delimiters: str = "#") -> Slot:
    return Slot("f", spec, kind, slot_format("f", kind, spec, delimiters))


TEXTS = st.text(
    st.characters(exclude_characters="#\U0010ffff", exclude_categories=["Cs"]), min_size=1
)
INDIA = timezone(timedelta(hours=5, minutes=30))
TIMES = st.datetimes(timezones=st.sampled_from([UTC, INDIA])).filter(
    lambda time: datetime(1, 1, 3, tzinfo=UTC) < time < datetime(9999, 12, 30, tzinfo=UTC)
)
SINCE_1970 = st.datetimes(datetime(1970, 1, 2), datetime(2286, 11, 19), timezones=st.just(UTC))  # noqa: DTZ001
DECIMALS = st.decimals(min_value=0, max_value=Decimal("999999999.99"), places=2)
LOSSLESS: dict[str, tuple[Slot, st.SearchStrategy[Any]]] = {
    "text": (slot(str), TEXTS),
    "unordered": (slot(int, "unordered"), st.integers()),
    "plain": (slot(int), st.integers()),
    "padded": (slot(int, "012d"), st.integers(0, 10**12 - 1)),
    "decimal": (slot(Decimal, "012.2f"), DECIMALS),
    "datetime": (slot(datetime), TIMES),
    "by day of the year": (slot(datetime, "%Y%j%H%M%S%f"), TIMES),
    "by week": (slot(date, "%G-W%V-%u"), st.dates()),
    "backwards": (slot(date, "%d.%m.%Y"), st.dates()),
    "date": (slot(date), st.dates()),
    "uuid": (slot(UUID), st.uuids()),
    "text enum": (slot(Status), st.sampled_from(Status)),
    "uneven enum": (slot(Colour), st.sampled_from(Colour)),
    "number enum": (slot(Level), st.sampled_from(Level)),
    "padded enum": (slot(Level, "03d"), st.sampled_from(Level)),
    "literal": (slot(Literal["a", "b"]), st.sampled_from(["a", "b"])),
}
LOSSY = [
    (slot(datetime, "%Y-%m-%d"), TIMES),
    (slot(datetime, "%Y-%m-%dT%H:%M:%SZ"), TIMES),
    (slot(datetime, "%H:%M"), TIMES),
    (slot(datetime, "%s"), SINCE_1970),
    (slot(date, "%m/%d"), st.dates()),
    (slot(date, "%V"), st.dates()),
    (slot(date, "%j"), st.dates()),
    (slot(date, "%y-%j"), st.dates()),
    (slot(date, "%y %Y"), st.dates()),
]


def _order(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


@pytest.mark.parametrize("name", LOSSLESS)
@given(data=st.data())
def test_what_is_written_reads_back(name: str, data: st.DataObject) -> None:
    place, values = LOSSLESS[name]
    value = data.draw(values)
    assert not place.lossy
    text = place.write(value)
    assert place.read(text) == value
    assert place.width in (None, len(text))


@pytest.mark.parametrize("name", [name for name, (place, _) in LOSSLESS.items() if place.ordered])
@given(data=st.data())
def test_texts_of_an_ordered_slot_sort_as_its_values(name: str, data: st.DataObject) -> None:
    place, values = LOSSLESS[name]
    one, other = data.draw(values), data.draw(values)
    assert (place.write(one).encode() < place.write(other).encode()) == (
        _order(one) < _order(other)
    )


@pytest.mark.parametrize(("place", "values"), LOSSY, ids=[str(place) for place, _ in LOSSY])
@given(data=st.data())
def test_a_lossy_slot_reads_a_time_that_it_writes_the_same(
    place: Slot, values: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    text = place.write(data.draw(values))
    assert place.lossy
    assert place.write(place.read(text)) == text


@given(st.sampled_from(["%Y", "%Y%m", "%Y-%m-%d", "%Y-%m-%dT%H", "%G-W%V", "%Y%j"]), TIMES, TIMES)
def test_a_time_cut_short_still_never_sorts_the_wrong_way(
    spec: str, one: datetime, other: datetime
) -> None:
    place = slot(datetime, spec)
    assert place.ordered
    if one <= other:
        assert place.write(one) <= place.write(other)
    assert place.read(place.write(one)) <= one


@given(SINCE_1970, SINCE_1970)
def test_seconds_since_1970_sort_as_time_passes(one: datetime, other: datetime) -> None:
    place = slot(datetime, "%s")
    if one <= other:
        assert place.write(one) <= place.write(other)
    assert place.read(place.write(one)) == one.replace(microsecond=0)
    assert int(place.write(one)) == int(one.timestamp())


@given(st.sampled_from(sorted(LOSSLESS)), st.text())
def test_reading_accepts_only_what_writing_makes(name: str, text: str) -> None:
    place, _ = LOSSLESS[name]
    try:
        value = place.read(text)
    except ValueError:
        return
    assert place.write(value) == text


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (slot(int), "007"),
        (slot(int), "+7"),
        (slot(int), "1_000"),
        (slot(int), "٣"),
        (slot(int, "03d"), "1234"),
        (slot(int, "03d"), "12"),
        (slot(Decimal, "06.2f"), "00001."),
        (slot(Decimal, "06.2f"), "abc.de"),
        (slot(UUID), "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"),
        (slot(date), "2024-02-30"),
        (slot(date), "0000-01-01"),
        (slot(date), "2024/01/01"),
        (slot(date, "%Y%j"), "0001000"),
        (slot(date, "%Y%j"), "2023366"),
        (slot(datetime), "2024-01-01T00:00:00.000000+"),
        (slot(Status), "OPEN"),
        (slot(str), ""),
        (slot(str), "a#b"),
    ],
)
def test_text_that_no_value_has_is_not_read(place: Slot, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - read promises no more
        place.read(text)


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (slot(str), "", "empty"),
        (slot(str), "a#b", "'#', which separates"),
        (slot(str, "", "#-"), "a-b", "'-', which separates"),
        (slot(str, "", ""), "\U0010ffff", "U+10FFFF"),
        (slot(str, "", ""), "\ud800", "surrogate"),
        (slot(str), None, "no value"),
        (slot(str), 7, "of type int: pass a str"),
        (slot(int, "03d"), -1, "negative"),
        (slot(int, "03d"), 1000, "more than 3 digits"),
        (slot(int, "03d"), True, "of type bool"),
        (slot(int, "03d"), "7", "of type str"),
        (slot(Decimal, "06.2f"), Decimal("1.234"), "more than 2 decimal places"),
        (slot(Decimal, "06.2f"), Decimal(1000), "more than 6 characters"),
        (slot(Decimal, "06.2f"), Decimal(-1), "from zero up"),
        (slot(Decimal, "06.2f"), Decimal("NaN"), "from zero up"),
        (slot(Decimal, "06.2f"), 1.5, "of type float"),
        (slot(datetime), datetime(2024, 1, 1), "no time zone"),  # noqa: DTZ001 - the point
        (slot(datetime), date(2024, 1, 1), "of type date"),
        (slot(datetime), datetime.min.replace(tzinfo=timezone(timedelta(hours=1))), "outside"),
        (slot(date), datetime(2024, 1, 1, tzinfo=UTC), "of type datetime"),
        (slot(datetime, "%s"), datetime(1969, 12, 31, tzinfo=UTC), "1970 to 2286"),
        (slot(datetime, "%s"), datetime(2286, 11, 21, tzinfo=UTC), "1970 to 2286"),
        (slot(datetime, "%s"), datetime(2024, 1, 1), "no time zone"),  # noqa: DTZ001 - the point
        (slot(datetime, "%s"), 7, "of type int"),
        (slot(UUID), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "of type str"),
        (slot(Status), "none", "not a value of Status: use one of 'open', 'shut'"),
        (slot(Status), Colour.RED, "not a value of Status"),
        (slot(Level), True, "not a value of Level"),
        (slot(Literal["a"]), [], "use one of 'a'"),
    ],
)
def test_a_value_that_cannot_be_in_a_key_is_refused_with_its_field_and_the_reason(
    place: Slot, value: Any, why: str
) -> None:
    with pytest.raises(KeyValueError) as caught:
        place.write(value)
    assert why in str(caught.value)
    assert str(caught.value).startswith('"f" = ')
    assert caught.value.field == "f"


def test_a_long_value_is_shown_in_short() -> None:
    with pytest.raises(KeyValueError) as caught:
        slot(str).write("#" * 5000)
    assert len(str(caught.value)) < 300


def test_a_number_too_long_for_python_to_write_is_refused() -> None:
    with pytest.raises(KeyValueError, match='"f" = <a long int>'):
        slot(int).write(10**5000)


def test_a_time_is_written_in_utc_at_full_width() -> None:
    assert slot(datetime).write(datetime(999, 1, 2, 5, 30, tzinfo=INDIA)) == (
        "0999-01-02T00:00:00.000000Z"
    )


def test_a_percent_sign_can_stand_in_a_time_format() -> None:
    assert slot(date, "%%%Y%%").write(date(2024, 1, 1)) == "%2024%"


def test_an_enum_is_written_by_value_and_takes_its_value_too() -> None:
    assert slot(Status).write(Status.OPEN) == slot(Status).write("open") == "open"
    assert slot(Status).read("open") is Status.OPEN


def test_a_text_field_takes_an_enum_member_as_its_value() -> None:
    assert slot(str).write(Status.OPEN) == "open"


def test_a_negative_zero_is_zero() -> None:
    assert slot(Decimal, "06.2f").write(Decimal("-0")) == "000.00"


@pytest.mark.parametrize(
    ("kind", "spec", "ordered", "width"),
    [
        (str, "", True, None),
        (int, "", False, None),
        (int, "unordered", False, None),
        (int, "012d", True, 12),
        (datetime, "", True, 27),
        (datetime, "%Y%m", True, 6),
        (datetime, "%s", True, 10),
        (datetime, "%m%Y", False, 6),
        (datetime, "%Y-%d", False, 7),
        (datetime, "%H:%M", False, 5),
        (datetime, "%y-%m-%d", False, 8),
        (date, "", True, 10),
        (UUID, "", True, 36),
        (Status, "", True, 4),
        (Colour, "", True, None),
        (Level, "", True, None),
        (Level, "02d", True, 2),
        (Literal[2, 10], "", False, None),
    ],
)
def test_a_slot_knows_its_order_and_its_width(
    kind: Any, spec: str, ordered: bool, width: int | None
) -> None:
    assert (slot(kind, spec).ordered, slot(kind, spec).width) == (ordered, width)


@pytest.mark.parametrize(
    ("kind", "spec", "why"),
    [
        (bool, "", "is a bool"),
        (float, "", "of type float"),
        (bytes, "", "of type bytes"),
        (Bits, "", "of type Bits"),
        (list[str], "", "which a key cannot contain"),
        (str | None, "", "which a key cannot contain"),
        (Decimal, "", "{f:012.2f}"),
        (Decimal, "03.2f", "{f:012.2f}"),
        (int, "12d", "{f:020d}"),
        (int, "0d", "{f:020d}"),
        (str, "20", "write {f}"),
        (UUID, "hex", "write {f}"),
        (datetime, "%b", "%b does not have a fixed number of digits"),
        (datetime, "%", "use %Y"),
        (datetime, "unordered", "writes no part of the time"),
        (datetime, "%Y-W%V", "mixes calendars"),
        (date, "%H", "a date has no %H"),
        (Mixed, "", "not all texts or all whole numbers"),
        (Literal["a#b"], "", "\"f\" may be 'a#b': it contains '#'"),
        (Literal[""], "", "empty"),
        (Literal[100], "02d", "more than 2 digits"),
        (Literal[True], "", "not all texts"),
    ],
)
def test_a_type_or_format_that_has_no_text_is_refused_with_advice(
    kind: Any, spec: str, why: str
) -> None:
    with pytest.raises(FormatError) as caught:
        slot(kind, spec)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("bounds", "width"),
    [
        ((1900, 9999), 4),
        ((0, 9), 1),
        ((0, 10), None),
        ((999, 1000), None),
        ((-9, 9), None),
        ((-9, -1), None),
        ((None, 9), None),
        ((1, None), None),
    ],
)
def test_bounds_that_fix_the_number_of_digits_make_a_number_sort(
    bounds: Bounds, width: int | None
) -> None:
    form = slot_format("f", int, "", "#", bounds)

    assert (form.ordered, form.width) == (width is not None, width)
    assert not slot_format("f", int, "unordered", "#", bounds).ordered


def test_a_number_of_fixed_digits_is_read_back_and_refuses_others() -> None:
    form = slot_format("f", int, "", "#", (1900, 9999))

    assert form.read(form.write(2024)) == 2024
    for other in (0, 999, 10_000, -999):
        with pytest.raises(FormatError, match="give it 4 digits"):
            form.write(other)


@pytest.mark.parametrize(
    ("name", "bounds", "digits"),
    [
        ("timestamp_ms", UNBOUNDED, 13),
        ("createdAtMs", UNBOUNDED, 13),
        ("created_at", UNBOUNDED, 13),
        ("epoch_seconds", UNBOUNDED, 10),
        ("at_us", UNBOUNDED, 16),
        ("time_ns", UNBOUNDED, 19),
        ("items", UNBOUNDED, 20),
        ("items", (0, 500), 3),
        ("timestamp_ms", (None, 99), 2),
    ],
)
def test_a_number_is_padded_as_wide_as_its_field_can_be(
    name: str, bounds: Bounds, digits: int
) -> None:
    assert digits_of(name, bounds) == digits
