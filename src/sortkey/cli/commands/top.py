"""``sortkey top``: what a server does at the moment, as a live screen."""

import json
import shutil
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

import click

from sortkey.access.targets import endpoint_target
from sortkey.access.transports.transport import Transport
from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.top import top_text
from sortkey.engine.weather import WeatherEvent
from sortkey.errors import SortkeyError
from sortkey.synth.firing import firing
from sortkey.synth.model import Alarm
from sortkey.synth.stack import stack_of
from sortkey.wire.errors import (
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnknownOperationException,
    UnrecognizedClientException,
)
from sortkey.wire.messages import Request

_CLEAR = "\x1b[H\x1b[J"


@click.command()
@click.argument("endpoint", default="http://127.0.0.1:8000")
@click.option(
    "--design",
    metavar="DESIGN",
    help="Show which alarms of this design would go off, as `synth` writes them.",
)
@click.option(
    "--env", default="dev", show_default=True, help="The environment of the design's tables."
)
@click.option(
    "--interval",
    type=click.FloatRange(min=0.1, max=3600),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Seconds between two screens, and over which rates are computed.",
)
@click.option("--once", is_flag=True, help="Print one screen and exit; it takes one interval.")
@click.option(
    "--events",
    is_flag=True,
    help="Print what the weather did instead: the latest 10,000 events, one a line.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Print a screen for people, or all metrics as JSON for programs, which implies --once.",
)
def top(
    *,
    endpoint: str,
    design: str | None,
    env: str,
    interval: float,
    once: bool,
    events: bool,
    form: Literal["text", "json"],
) -> None:
    """Show what a server does at the moment: rates, throttling, latency, hot keys, alarms.

    The server counts if it was started with weather; --weather fair counts and does nothing else.
    The metrics have CloudWatch's names, and the path /metrics of the server has them for
    Prometheus.

    \b
    Example:
      sortkey serve --db app.db --weather fair
      sortkey top
      sortkey top http://127.0.0.1:8000 --design design.py --once
      sortkey top --events
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    try:
        alarms = () if design is None else _alarms_of(design, env)
        transport = endpoint_target(endpoint).open()
        try:
            if events:
                _show_events(transport, endpoint, is_json=form == "json")
                return
            _show(
                transport,
                endpoint,
                alarms,
                interval,
                once=once or not sys.stdout.isatty(),
                is_json=form == "json",
            )
        finally:
            transport.close()
    except KeyboardInterrupt:
        click.echo()
    except SortkeyError as error:
        raise Misuse(str(error)) from error


def _alarms_of(design: str, env: str) -> tuple[Alarm, ...]:
    alarms = stack_of(design_in(design), env).alarms
    if not alarms:
        raise Misuse(
            f"{design} has no alarms in the environment {env}: declare them with "
            "Settings(alarms=Alarms()), or leave --design out"
        )
    return alarms


def _show(
    transport: Transport,
    endpoint: str,
    alarms: tuple[Alarm, ...],
    interval: float,
    *,
    once: bool,
    is_json: bool,
) -> None:
    before = _meters(transport, endpoint)
    if is_json:
        names = [alarm.name for alarm in firing(alarms, before)]
        click.echo(json.dumps({"version": 1, **before, "Firing": names}, indent=2))
        return
    while True:
        time.sleep(interval)
        meters = _meters(transport, endpoint)
        fired = [alarm.name for alarm in firing(alarms, meters)] if alarms else None
        if once:
            click.echo(top_text(endpoint, before, meters, interval, fired))
            return
        size = shutil.get_terminal_size()
        # The line after the last one belongs to the screen too.
        screen = top_text(endpoint, before, meters, interval, fired, height=size.lines - 1)
        click.echo(_CLEAR + "\n".join(line[: size.columns] for line in screen.splitlines()))
        before = meters


def _show_events(transport: Transport, endpoint: str, *, is_json: bool) -> None:
    weather = _described("DescribeWeather", "Events", transport, endpoint)
    if is_json:
        click.echo(json.dumps({"version": 1, **weather}, indent=2))
        return
    for each in weather["Events"]:
        event = WeatherEvent(**each)
        at = datetime.fromtimestamp(event.at, UTC)
        click.echo(f"{at:%Y-%m-%d %H:%M:%S} {event.shown()}")


def _meters(transport: Transport, endpoint: str) -> Mapping[str, Any]:
    return _described("DescribeMeters", "Metrics", transport, endpoint)


def _described(
    operation: str, member: str, transport: Transport, endpoint: str
) -> Mapping[str, Any]:
    another = f"{endpoint} is not a server of sortkey."
    try:
        meters = transport.send(Request(operation, {}))
    except UnknownOperationException:
        raise Misuse(another) from None
    except (
        InvalidSignatureException,
        MissingAuthenticationTokenException,
        UnrecognizedClientException,
    ) as error:
        raise Misuse(
            f"{endpoint} requires signatures: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY "
            f"to its access key and secret ({error})"
        ) from error
    if meters and member not in meters:
        raise Misuse(another)
    if not meters:
        raise Misuse(
            f"{endpoint} does not count what it does. Start it with weather, such as: "
            "sortkey serve --weather fair"
        )
    return meters
