"""Plots of a report as SVG: the cost of patterns as data grows, the load of keys as users grow."""

from collections.abc import Iterator, Sequence
from math import log10

from sortkey.document.svg import element, picture, text
from sortkey.prove.curves import Axis
from sortkey.prove.growth import Growth
from sortkey.prove.scale import KeyScaling

_AXES = {Axis.OTHERS: "others", Axis.PARTITION: "partition", Axis.ANSWER: "answer"}
_WIDTH, _HEIGHT = 210, 104
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 8, 10, 20

_WIDE, _TALL = 1000, 360
_LEFT_WIDE, _RIGHT_WIDE, _TOP_WIDE, _BOTTOM_WIDE = 56, 290, 16, 34
_LEAST, _MOST = -3, 4
_LINE = 15
_LABEL = 42
MOST_KEYS = 8


def growth_plot(growth: Growth, name: str) -> str:
    """Units against the records that were added, a line for each axis."""
    highest = max([growth.base.units, *(p.units for c in growth.curves for p in c.points)])
    most = max([1, *(point.records for c in growth.curves for point in c.points)])
    top = _round_up(highest)
    wide, tall = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
    base = _HEIGHT - _BOTTOM

    def place(records: float, units: float) -> tuple[float, float]:
        return _LEFT + wide * records / most, base - tall * units / top

    def parts() -> Iterator[str]:
        yield element("line", x1=_LEFT, y1=base, x2=_WIDTH - _RIGHT, y2=base, class_="axis")
        yield element("line", x1=_LEFT, y1=_TOP, x2=_LEFT, y2=base, class_="axis")
        yield text(_LEFT - 4, _TOP + 4, f"{top:g}", "tick end")
        yield text(_LEFT - 4, base, "0", "tick end")
        yield text(_WIDTH - _RIGHT, _HEIGHT - 6, f"{most:,} records", "tick end")
        # The other axes are drawn above the answer, so that they show if the lines coincide.
        for curve in sorted(growth.curves, key=lambda curve: curve.axis is not Axis.ANSWER):
            points = [(0, growth.base.units), *((p.records, p.units) for p in curve.points)]
            yield _line([place(*point) for point in points], _AXES[curve.axis])

    return picture(_WIDTH, _HEIGHT, f"Units of {name} as data grows", parts())


def _round_up(highest: float) -> float:
    """Return the next 1, 2, 5 or 10 times a power of ten."""
    if highest <= 1:
        return 1.0
    power = 10 ** int(log10(highest))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= highest)


def _line(places: Sequence[tuple[float, float]], class_: str) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return element("polyline", points=points, class_=f"curve {class_}")


def scale_plot(keys: Sequence[tuple[str, KeyScaling]]) -> str:
    """Return a plot of the load of the hottest keys against the users, on logarithmic scales."""
    shown = keys[:MOST_KEYS]
    columns = shown[0][1].columns
    first, last = log10(columns[0].users), log10(columns[-1].users)
    of_users = shown[0][1].users is not None
    wide, tall = _WIDE - _LEFT_WIDE - _RIGHT_WIDE, _TALL - _TOP_WIDE - _BOTTOM_WIDE

    def across(users: float) -> float:
        return _LEFT_WIDE + wide * (log10(users) - first) / (last - first)

    def up(share: float) -> float:
        power = min(max(log10(share) if share else _LEAST, _LEAST), _MOST)
        return _TOP_WIDE + tall * (_MOST - power) / (_MOST - _LEAST)

    def parts() -> Iterator[str]:
        for power in range(_LEAST, _MOST + 1):
            y, limit = up(10.0**power), " limit" if power == 0 else ""
            yield element(
                "line", x1=_LEFT_WIDE, y1=y, x2=_WIDE - _RIGHT_WIDE, y2=y, class_=f"grid{limit}"
            )
            yield text(_LEFT_WIDE - 6, y + 4, _share(power), "tick end")
        for column in columns:
            label = f"{'' if of_users else 'x'}{_short(column.users)}"
            yield text(across(column.users), _TALL - 14, label, "tick middle")
        yield text(_LEFT_WIDE + 6, up(1.0) - 5, "limit of one key", "tick")
        ends = [up(scaling.columns[-1].share) for _, scaling in shown]
        for (name, scaling), place in zip(shown, _apart(ends), strict=True):
            lower = " hot" if scaling.now.share > 1 else ""
            points = [(across(c.users), up(c.share)) for c in scaling.columns]
            yield _line(points, f"key{lower}")
            end = _WIDE - _RIGHT_WIDE
            yield element("line", x1=end, y1=points[-1][1], x2=end + 8, y2=place, class_="lead")
            yield text(end + 11, place + 4, _cut(name), f"label{lower}")

    return picture(_WIDE, _TALL, "Hottest keys as the users grow", parts())


def _apart(places: Sequence[float]) -> list[float]:
    """Return the places of labels, moved down if they would overlap."""
    moved: dict[int, float] = {}
    lowest = 0.0
    for number, place in sorted(enumerate(places), key=lambda pair: pair[1]):
        lowest = moved[number] = max(place, lowest + _LINE if moved else place)
    return [moved[number] for number in range(len(places))]


def _share(power: int) -> str:
    return f"x{10**power:,}" if power > 0 else f"{100 * 10.0**power:g} %"


def _short(number: int) -> str:
    for power, word in ((9, "billion"), (6, "million"), (3, "thousand")):
        if number >= 10**power:
            return f"{number // 10**power} {word}"
    return str(number)


def _cut(name: str) -> str:
    return name if len(name) <= _LABEL else f"{name[: _LABEL - 1]}…"
