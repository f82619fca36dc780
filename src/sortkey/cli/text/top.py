"""The screen of ``sortkey top``."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from sortkey.cli.text.layout import WIDTH
from sortkey.wording.prose import counted

_NAME = 28
_MOST_KEYS = 8
_MOST_PARTITIONS = 4
_HASHES = 1 << 32

# The sum and the number of values, by name, table, index and operation.
_Totals: TypeAlias = dict[tuple[str, str, str, str], tuple[float, float]]


def top_text(
    endpoint: str,
    before: Mapping[str, Any],
    meters: Mapping[str, Any],
    seconds: float,
    fired: Sequence[str] | None = None,
    *,
    height: int | None = None,
) -> str:
    """Return the screen: what changed between two responses to DescribeMeters.

    If it has more than ``height`` lines, tables and indexes without requests are left out, and
    then what is below.
    """
    rates = _rates(_totals(before), _totals(meters), seconds)
    top, below = [*_header(endpoint, meters), ""], [*_operations(rates, meters)]
    below += [*_functions(before, meters, seconds), *_queues(meters)]
    below += [*_heat(meters), *_alarms(fired)]
    lines = [*top, *_tables(rates), *below]
    if height is not None and len(lines) > height:
        lines = [*top, *_tables(rates, only_busy=True), *below]
    if height is not None and len(lines) > height:
        hidden = counted(len(lines) - height + 1, "more line")
        lines[height - 1 :] = [f"{hidden}; `sortkey top --once` prints them all."]
    return "\n".join(lines)


def _totals(meters: Mapping[str, Any]) -> _Totals:
    return {
        (
            each["MetricName"],
            each["Dimensions"].get("TableName", ""),
            each["Dimensions"].get("GlobalSecondaryIndexName", ""),
            each["Dimensions"].get("Operation", ""),
        ): (each["Total"]["Sum"], each["Total"]["SampleCount"])
        for each in meters["Metrics"]
    }


def _rates(before: _Totals, after: _Totals, seconds: float) -> _Totals:
    """Return sums and numbers of values a second."""
    found: _Totals = {}
    for series, (total, count) in after.items():
        old_total, old_count = before.get(series, (0.0, 0))
        if count < old_count:
            # The server was started again, and counts from 0.
            old_total, old_count = 0.0, 0
        found[series] = (total - old_total) / seconds, (count - old_count) / seconds
    return found


def _header(endpoint: str, meters: Mapping[str, Any]) -> Iterator[str]:
    at = datetime.fromtimestamp(meters["Time"], UTC)
    weather = f"weather {meters['Scenario']}, {at:%Y-%m-%d %H:%M:%S} UTC"
    yield f"{endpoint}{weather:>{max(len(weather) + 2, WIDTH - len(endpoint))}}"


def _tables(rates: _Totals, *, only_busy: bool = False) -> Iterator[str]:
    places = sorted({(table, index) for _, table, index, _ in rates if table})
    if not places:
        yield "No table has been used yet."
        return
    busy = {(table, index) for (_, table, index, _), changed in rates.items() if any(changed)}
    # An index is shown below its table, which may have no requests of its own.
    busy |= {(table, "") for table, _ in busy}
    idle_count = len(places) - len(busy.intersection(places))
    yield _row("TABLE, index", "read/s", "write/s", "throttled/s", "conflicts/s")
    for table, index in places:
        if only_busy and (table, index) not in busy:
            continue

        def of(name: str, table: str = table, index: str = index) -> float:
            return rates.get((name, table, index, ""), (0.0, 0.0))[0]

        yield _row(
            f"  {index}" if index else table,
            _number(of("ConsumedReadCapacityUnits")),
            _number(of("ConsumedWriteCapacityUnits")),
            _number(of("ReadThrottleEvents") + of("WriteThrottleEvents")),
            "" if index else _number(of("TransactionConflict")),
        )
    if only_busy and idle_count:
        yield f"{idle_count} without requests"


def _operations(rates: _Totals, meters: Mapping[str, Any]) -> Iterator[str]:
    latest = {
        (each["Dimensions"]["TableName"], each["Dimensions"]["Operation"]): each["Datapoints"][-1]
        for each in meters["Metrics"]
        if each["MetricName"] == "SuccessfulRequestLatency"
    }
    active = {
        (table, operation)
        for (_, table, _, operation), changed in rates.items()
        if operation and any(changed)
    }
    if not active:
        return

    def of(name: str, place: tuple[str, str]) -> tuple[float, float]:
        table, operation = place
        return rates.get((name, table, "", operation), (0.0, 0.0))

    def count(place: tuple[str, str]) -> float:
        return of("SuccessfulRequestLatency", place)[1]

    yield ""
    yield _row("OPERATION", "requests/s", "mean ms", "max ms", "failed/s")
    for place in sorted(active, key=lambda each: (-count(each), each)):
        table, operation = place
        point = latest[place] if count(place) else None
        yield _row(
            f"{operation} {table}",
            _number(count(place)),
            f"{point['Sum'] / point['SampleCount']:.2f}" if point else "",
            f"{point['Maximum']:.2f}" if point else "",
            _number(of("ThrottledRequests", place)[0] + of("SystemErrors", place)[0]),
        )


def _functions(
    before: Mapping[str, Any], after: Mapping[str, Any], seconds: float
) -> Iterator[str]:
    """Yield the calls of functions, which `sortkey run` counts beside the engine."""
    totals = [_totals_of("FunctionName", each) for each in (before, after)]
    names = sorted({name for name, _ in totals[1]})
    if not names:
        return
    yield ""
    yield _row("FUNCTION", "calls/s", "mean ms", "failed/s", "throttled/s")
    for name in names:

        def changed(metric: str, name: str = name) -> tuple[float, float]:
            (old_sum, old_count), (new_sum, new_count) = (
                each.get((name, metric), (0.0, 0)) for each in totals
            )
            return new_sum - old_sum, new_count - old_count

        total, count = changed("Duration")
        yield _row(
            name,
            _number(changed("Invocations")[0] / seconds),
            f"{total / count:.0f}" if count else "",
            _number(changed("Errors")[0] / seconds),
            _number(changed("Throttles")[0] / seconds),
        )


def _queues(meters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the depth of queues and of dead letters."""
    levels = {
        (each["Dimensions"]["QueueName"], each["MetricName"]): each["Datapoints"][-1]["Maximum"]
        for each in meters["Metrics"]
        if "QueueName" in each["Dimensions"] and each["MetricName"].startswith("Approximate")
    }
    names = sorted({name for name, _ in levels})
    if not names:
        return
    yield ""
    yield _row("QUEUE", "visible", "invisible", "oldest s")
    for name in names:
        shown = ("NumberOfMessagesVisible", "NumberOfMessagesNotVisible", "AgeOfOldestMessage")
        yield _row(
            name, *(_number(levels.get((name, f"Approximate{metric}"), 0.0)) for metric in shown)
        )


def _totals_of(
    dimension: str, meters: Mapping[str, Any]
) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the sum and the number of values, by name and metric."""
    return {
        (each["Dimensions"][dimension], each["MetricName"]): (
            each["Total"]["Sum"],
            each["Total"]["SampleCount"],
        )
        for each in meters["Metrics"]
        if dimension in each["Dimensions"]
    }


def _heat(meters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the hottest partition keys, and the partitions of tables that have several."""
    keys = [
        (key["Units"], _place(each), key["PartitionKey"])
        for each in meters["Heat"]
        for key in each["HottestKeys"]
    ]
    if keys:
        yield ""
        yield _key_row("HOTTEST KEYS, two minutes", "units", "of its table or index")
        totals = {_place(each): _units(each["Partitions"]) for each in meters["Heat"]}
        for units, place, key in sorted(keys, reverse=True)[:_MOST_KEYS]:
            share = units / totals[place] if totals[place] else 0.0
            yield _key_row(key, _number(units), f"{share:.0%} of {_cut_place(place)}")
    for each in meters["Heat"]:
        partitions = sorted(each["Partitions"], key=lambda one: -_units([one]))
        if len(partitions) > 1:
            yield ""
            yield _row(f"PARTITIONS of {_place(each)}", "read", "write")
            for one in partitions[:_MOST_PARTITIONS]:
                yield _row(
                    f"from {one['FirstHash'] / _HASHES:.1%} of the hashes",
                    _number(one["ReadUnits"]),
                    _number(one["WriteUnits"]),
                )


def _alarms(fired: Sequence[str] | None) -> Iterator[str]:
    if fired is None:
        return
    yield ""
    yield "No alarm." if not fired else f"{counted(len(fired), 'alarm')}:"
    yield from (f"  {name}" for name in fired)


def _place(heat: Mapping[str, Any]) -> str:
    return "/".join(heat[name] for name in ("TableName", "IndexName") if name in heat)


def _units(partitions: Sequence[Mapping[str, float]]) -> float:
    return sum(one["ReadUnits"] + one["WriteUnits"] for one in partitions)


def _number(value: float) -> str:
    if not value:
        return ""
    return f"{value:,.0f}" if value >= 10 else f"{value:,.1f}"  # noqa: PLR2004 - two digits


def _cut(text: str) -> str:
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= _NAME else f"{shown[: _NAME - 3]}..."


def _cut_place(place: str) -> str:
    """Cut a table's name before that of its index, so that its indexes differ."""
    table, slash, index = place.partition("/")
    room = _NAME - len(f".../{index}")
    if not slash or len(place) <= _NAME or room < 0:
        return _cut(place)
    return f"{table[:room]}.../{index}"


def _row(name: str, *numbers: str) -> str:
    """Return a line with a name and numbers."""
    return f"{_cut(name):<{_NAME}}{''.join(f'{number:>12}' for number in numbers)}".rstrip()


def _key_row(key: str, units: str, share: str) -> str:
    """Return a line with a key, its units, and what share of a table they are."""
    return f"{_row(key, units)}  {share}"
