"""What `sortkey run` prints when everything has started."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from sortkey.local.started import Started

_TITLE = 11


def started_text(started: Started) -> str:
    """Return the table of what runs, and how to get a token."""
    head = f"{started.design} runs on this machine, as environment {started.environment}."
    return "\n".join([head, "", *_lines(started), "", "Stop with Ctrl-C."])


def _lines(started: Started) -> Iterator[str]:
    yield from _titled("engine", [started.engine])
    for name, url in started.apis.items():
        yield from _titled("API", [f"{url}  {name}", *_table(_routes(started, name))])
    if started.issuer is not None:
        yield from _titled(
            "tokens",
            [
                f"TOKEN=$(curl -s {started.issuer}/token/ann)",
                "The keys of this issuer are for this machine only.",
            ],
        )
    yield from _titled(
        "schedules",
        _table(
            [(one.expression, one.function, f"next {_time(one.due)}") for one in started.schedules]
        ),
    )
    yield from _titled(
        "changes", _table([(f"of {one.source}", one.function) for one in started.changes])
    )
    yield from _titled(
        "messages", _table([(f"of {one.source}", one.function) for one in started.messages])
    )
    folders = [
        *((f"queue {name}", _shown(path)) for name, path in started.queues.items()),
        *((f"bucket {name}", _shown(path)) for name, path in started.buckets.items()),
    ]
    yield from _titled("folders", _table(folders))
    fakes = [
        (name if number == 0 else "", f"{variable}={_shortened(value)}")
        for name, values in started.fakes.items()
        for number, (variable, value) in enumerate(values.items() or [("", "")])
    ]
    yield from _titled("fakes", _table(fakes))
    yield from _titled("state", [_shown(started.state)])


def _titled(title: str, lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f"{title if number == 0 else '':<{_TITLE}}{line}".rstrip()


def _routes(started: Started, api: str) -> list[tuple[str, ...]]:
    return [
        (one.route.method, one.route.path, one.function, "open" if one.route.open else "")
        for one in started.routes
        if one.api == api
    ]


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "never"
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"


def _shown(path: Path) -> str:
    """Return a path from here, if it is below."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def _shortened(value: str) -> str:
    most = 40
    return value if len(value) <= most else f"{value[: most - 3]}..."
