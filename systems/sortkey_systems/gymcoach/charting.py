"""Draw a stored progress chart as SVG, without other libraries.

Values are decimals; only coordinates are floats.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import blake2b
from itertools import count, pairwise
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

from sortkey import DB
from sortkey_systems.gymcoach.crud import find_own
from sortkey_systems.gymcoach.design.progress import ChartPoint, ProgressChart, progress_charts
from sortkey_systems.gymcoach.scales import (
    Range,
    date_labels,
    date_ticks,
    dates_of,
    rounded,
    shown,
    value_range,
)

# Amounts of a period are bars from zero; everything else is a line.
BAR_CHARTS = frozenset(
    {"calories", "consistency", "training_volume", "volume", "workout_count", "workout_frequency"}
)

WIDTH, HEIGHT = 800, 450
_TOP, _RIGHT, _BOTTOM, _LEFT = 88, 48, 72, 44
_INSET = 0.025  # of the width, between the axis and the first dot
_LETTER = 6.8  # average width of a letter on the axes
_TITLE_LETTER = 12.5
_DESCRIPTION_LETTER = 7.6
_WIDE = 1.8  # width of a Chinese, Japanese or Korean character, in letters
_LONGEST_LABEL = 18
_MOST_DOTS = 60
_WIDEST_BAR = 64.0
_INK, _MUTED, _GRID, _ACCENT, _SHADE = "#1f2937", "#5b6472", "#e5e7eb", "#0f766e", "#ccfbf1"
# Characters that XML cannot contain.
_UNWRITABLE = {code: "\ufffd" for code in range(32) if code not in (9, 10, 13)} | {
    0xFFFE: "\ufffd",
    0xFFFF: "\ufffd",
}


def picture(db: DB, user_id: str, chart_id: str) -> str:
    """Return a stored chart as SVG."""
    return draw(find_own(db, user_id, progress_charts, chart_id))


def draw(chart: ProgressChart) -> str:
    """Return a chart as SVG, with a title and a description for screen readers."""
    name = blake2b(chart.chart_id.encode(), digest_size=6).hexdigest()
    drawn = _drawing(chart) if chart.data_points else _nothing()
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-labelledby="title-{name} desc-{name}" '
        'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
    )
    lines = [
        opening,
        f'<title id="title-{name}">{_escaped(chart.title)}</title>',
        f'<desc id="desc-{name}">{_escaped(_described(chart))}</desc>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_heading(chart),
        *drawn,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _described(chart: ProgressChart) -> str:
    points = chart.data_points
    intro = f"{chart.description} " if chart.description else ""
    if not points:
        return f"{intro}There are no values yet."
    values = [point.y_value for point in points]
    kind = "Bar chart" if _is_bar(chart) else "Line chart"
    count = "one value" if len(points) == 1 else f"{len(points)} values"
    return (
        f"{intro}{kind} of {count}, {chart.y_axis_label} by {chart.x_axis_label}, from "
        f"{points[0].x_value} to {points[-1].x_value}: lowest {shown(min(values))}, "
        f"highest {shown(max(values))}, last {shown(values[-1])}."
    )


def _is_bar(chart: ProgressChart) -> bool:
    return chart.chart_type in BAR_CHARTS


def _heading(chart: ProgressChart) -> Iterator[str]:
    title = _cut(chart.title, int((WIDTH - 2 * _LEFT) / _TITLE_LETTER))
    yield _text(_LEFT, 38, title, size=20, weight=600)
    if chart.description:
        described = _cut(chart.description, int((WIDTH - 2 * _LEFT) / _DESCRIPTION_LETTER))
        yield _text(_LEFT, 60, described, size=13, fill=_MUTED)


def _nothing() -> Iterator[str]:
    yield (
        f'<rect x="{_LEFT}" y="{_TOP}" width="{WIDTH - 2 * _LEFT}" '
        f'height="{HEIGHT - _TOP - _LEFT}" fill="none" stroke="{_GRID}" rx="6"/>'
    )
    middle = (_TOP + HEIGHT - _LEFT) / 2
    yield _text(WIDTH / 2, middle, "No values yet", size=15, fill=_MUTED, at="middle")


@dataclass(frozen=True, slots=True)
class _Plot:
    """The area between the axes."""

    left: float
    values: Range

    @property
    def right(self) -> float:
        return WIDTH - _RIGHT

    @property
    def bottom(self) -> float:
        return HEIGHT - _BOTTOM

    @property
    def width(self) -> float:
        return self.right - self.left

    def x(self, share: float) -> float:
        """Return the coordinate of a share of the width, from 0 to 1."""
        return self.left + share * self.width

    def y(self, value: Decimal) -> float:
        """Return the coordinate of a value."""
        span = self.values.high - self.values.low
        return self.bottom - float((value - self.values.low) / span) * (self.bottom - _TOP)


@dataclass(frozen=True, slots=True)
class _Tick:
    """A label of the time axis, and its coordinate."""

    x: float
    label: str


def _drawing(chart: ProgressChart) -> Iterator[str]:
    values = value_range([p.y_value for p in chart.data_points], from_zero=_is_bar(chart))
    widest = max(len(shown(tick)) for tick in values.ticks)
    plot = _Plot(_LEFT + 16 + widest * _LETTER, values)
    yield from _value_axis(plot, chart.y_axis_label)
    drawing = _bars(plot, chart.data_points) if _is_bar(chart) else _line(plot, chart.data_points)
    yield from drawing
    yield _text(plot.x(0.5), HEIGHT - 18, chart.x_axis_label, size=13, fill=_MUTED, at="middle")


def _value_axis(plot: _Plot, label: str) -> Iterator[str]:
    # The base line: zero if it is visible, else the lowest tick.
    ground = max(plot.values.low, min(Decimal(0), plot.values.high))
    for tick in plot.values.ticks:
        y = plot.y(tick)
        colour = _MUTED if tick == ground else _GRID
        yield _rule(plot.left, y, plot.right, y, colour)
        yield _text(plot.left - 10, y + 4, shown(tick), size=12, fill=_MUTED, at="end")
    middle = (_TOP + plot.bottom) / 2
    yield _text(20, middle, label, size=13, fill=_MUTED, at="middle", turned=True)


def _time_axis(plot: _Plot, ticks: Sequence[_Tick]) -> Iterator[str]:
    for tick in ticks:
        yield _rule(tick.x, plot.bottom, tick.x, plot.bottom + 5, _MUTED)
        yield _text(tick.x, plot.bottom + 21, tick.label, size=12, fill=_MUTED, at="middle")


# Lines.


def _line(plot: _Plot, points: Sequence[ChartPoint]) -> Iterator[str]:
    ordered, places, ticks = _in_time(plot, points)
    yield from _time_axis(plot, ticks)
    path = [(x, plot.y(point.y_value)) for x, point in zip(places, ordered, strict=True)]
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in path)
    if len(path) > 1:
        base = f"{path[-1][0]:.1f},{plot.bottom:.1f} {path[0][0]:.1f},{plot.bottom:.1f}"
        yield f'<polygon points="{corners} {base}" fill="{_SHADE}" fill-opacity="0.55"/>'
        yield (
            f'<polyline points="{corners}" fill="none" stroke="{_ACCENT}" stroke-width="2.5" '
            'stroke-linejoin="round" stroke-linecap="round"/>'
        )
    dotted = range(len(path)) if len(path) <= _MOST_DOTS else (len(path) - 1,)
    for number in dotted:
        (x, y), label = path[number], _escaped(_label(ordered[number]))
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#ffffff" stroke="{_ACCENT}" '
            f'stroke-width="2"><title>{label}</title></circle>'
        )
    yield from _last_value(plot, path, ordered[-1].y_value)


def _last_value(plot: _Plot, path: Sequence[tuple[float, float]], value: Decimal) -> Iterator[str]:
    """Write the last value beside its dot, away from the line."""
    text = shown(rounded(value))
    x, y = path[-1]
    falls = len(path) > 1 and path[-2][1] < y
    below, above = y + 20, y - 12
    is_below = (falls and below < plot.bottom - 4) or above < _TOP - 14
    half = _letters(text) * _LETTER / 2 + 8
    yield _text(min(x, WIDTH - half), below if is_below else above, text, weight=600, at="middle")


def _in_time(
    plot: _Plot, points: Sequence[ChartPoint]
) -> tuple[Sequence[ChartPoint], list[float], list[_Tick]]:
    """Return the points from left to right, their coordinates, and the ticks below them."""
    days = dates_of([point.x_value for point in points])
    if days is None:
        places = [plot.x((number + 0.5) / len(points)) for number in range(len(points))]
        return points, places, _every_nth(places, [point.x_value for point in points])
    ordered = [points[n] for n in sorted(range(len(points)), key=lambda n: days[n])]
    own = sorted({*days})
    first, span = own[0], (own[-1] - own[0]).days

    def place(day: date) -> float:
        return plot.x(_INSET + (1 - 2 * _INSET) * (day - first).days / span if span else 0.5)

    ticks = _ticks(own, place)
    if not _fit(ticks):
        ticks = _ticks(date_ticks(first, own[-1], int(plot.width / 80)), place)
    return ordered, [place(day) for day in sorted(days)], ticks


def _ticks(days: Sequence[date], place: Callable[[date], float]) -> list[_Tick]:
    return [_Tick(place(day), label) for day, label in zip(days, date_labels(days), strict=True)]


def _fit(ticks: Sequence[_Tick]) -> bool:
    """Return whether no two labels overlap."""
    return all(
        later.x - earlier.x >= (_letters(earlier.label) + _letters(later.label)) * _LETTER / 2 + 8
        for earlier, later in pairwise(ticks)
    )


def _every_nth(places: Sequence[float], labels: Sequence[str]) -> list[_Tick]:
    """Return as many labels as fit, evenly spaced."""
    ticks = [_Tick(x, _cut(label, _LONGEST_LABEL)) for x, label in zip(places, labels, strict=True)]
    return next(kept for step in count(1) if _fit(kept := ticks[::step]))


# Bars.


def _bars(plot: _Plot, points: Sequence[ChartPoint]) -> Iterator[str]:
    band = plot.width / len(points)
    places = [plot.left + band * (number + 0.5) for number in range(len(points))]
    days = dates_of([point.x_value for point in points])
    labels = [point.x_value for point in points] if days is None else date_labels(days)
    yield from _time_axis(plot, _every_nth(places, labels))
    width = min(_WIDEST_BAR, band * 0.7)
    zero = plot.y(Decimal(0))
    written = [shown(rounded(point.y_value)) for point in points]
    widest = max(map(len, written)) * _LETTER
    for x, point, value in zip(places, points, written, strict=True):
        end = plot.y(point.y_value)
        yield (
            f'<rect x="{x - width / 2:.1f}" y="{min(end, zero):.1f}" width="{width:.1f}" '
            f'height="{abs(end - zero):.1f}" rx="2" fill="{_ACCENT}">'
            f"<title>{_escaped(_label(point))}</title></rect>"
        )
        if widest + 4 < band:
            outside = end - 6 if point.y_value >= 0 else end + 15
            yield _text(x, outside, value, at="middle")


# Text.


def _label(point: ChartPoint) -> str:
    text = f"{point.x_value}: {shown(point.y_value)}"
    return f"{text} ({point.label})" if point.label else text


def _cut(text: str, most: int) -> str:
    """Return the text, cut to the width of this many letters."""
    if _letters(text) <= most:
        return text
    kept = next(n for n in count(1) if _letters(text[: n + 1]) > most - 1)
    return f"{text[:kept].rstrip()}…"


def _letters(text: str) -> float:
    """Return the width of a text, in letters."""
    return sum(_WIDE if east_asian_width(character) in "WF" else 1 for character in text)


def _escaped(text: str) -> str:
    return escape(text.translate(_UNWRITABLE))


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    fill: str = _INK,
    weight: int = 400,
    at: str = "start",
    turned: bool = False,
) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" '
        f'fill="{fill}" text-anchor="{at}"{turn}>{_escaped(text)}</text>'
    )


def _rule(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
