"""``sortkey run``: everything of one design on this machine."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Literal

import click

from sortkey.cli.loading import design_in
from sortkey.cli.misuse import Misuse
from sortkey.cli.text.run import started_text
from sortkey.engine.weather import SCENARIOS, Scenario, ScenarioError, scenario
from sortkey.errors import SortkeyError
from sortkey.local.roots import folder_of
from sortkey.local.run import Run, RunSettings

_BAD_DAYS = [name for name in SCENARIOS if name != "fair"]


@click.command()
@click.argument("design")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder with the data, queues, buckets and keys; a later run continues with it.  "
    "[default: .sortkey/DESIGN-ENV]",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port of the engine; the APIs and the issuer of tokens have the next ones. 0 picks "
    "free ones, and the same again in a later run.",
)
@click.option(
    "--env", default="dev", show_default=True, help="The environment: ENVIRONMENT of the functions."
)
@click.option(
    "--movable-clock",
    is_flag=True,
    help="Let tests move the clock of everything with the request Sortkey.MoveClock; a later run "
    "with this state continues at the time that it had.",
)
@click.option(
    "--real",
    multiple=True,
    metavar="SERVICE",
    help="Call this service itself instead of its fake; its settings come from the environment or "
    ".env. May be repeated.",
)
@click.option(
    "--weather",
    metavar="SCENARIO",
    help=f"Let the engine behave as DynamoDB on a bad day: {', '.join(_BAD_DAYS)}, or a .toml "
    "file.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: print one line with all addresses when everything has started, and the log to "
    "standard error.",
)
def run(
    *,
    design: str,
    state: Path | None,
    port: int,
    env: str,
    movable_clock: bool,
    real: tuple[str, ...],
    weather: str | None,
    form: Literal["text", "json"],
) -> None:
    """Run the functions, APIs, schedules and queues of a design on this machine.

    DESIGN declares its functions, beside its tables. The engine, the HTTP APIs, schedules,
    consumers of streams and queues, and fakes of other services start together; queues and
    buckets are folders. There is one log, and Ctrl-C ends it all.

    Each function runs as AWS Lambda runs it: in a process of its own, with the variables that it
    declares and no others, with its timeout and its concurrency. Settings come from the
    environment, else from the file .env beside the design, else from their defaults. An issuer of
    tokens without a value is replaced by one on this machine, which gives a token to any caller:
    curl http://127.0.0.1:8002/token/ann

    \b
    Example:
      sortkey run design.py
      sortkey run design.py --port 0 --format json --movable-clock
      sortkey top http://127.0.0.1:8000 --design design.py
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    found = design_in(design)
    settings = RunSettings(
        state=state or Path(".sortkey") / f"{found.name}-{env}",
        folder=folder_of(found),
        environment=env,
        port=port,
        movable_clock=movable_clock,
        weather=_weather(weather),
        real=real,
    )
    running = Run(found, settings, sys.stdout if form == "text" else sys.stderr)
    try:
        _run(running, form)
    except SortkeyError as error:
        raise Misuse(str(error)) from error


def _run(running: Run, form: Literal["text", "json"]) -> None:
    def end(_number: int, _frame: FrameType | None) -> None:
        running.end()

    # Until everything has started, Ctrl-C interrupts the start.
    try:
        started = running.start()
    except KeyboardInterrupt:
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        if form == "json":
            click.echo(json.dumps(started.as_json()))
        else:
            click.echo(started_text(started))
        running.wait()
    finally:
        # A second Ctrl-C does not wait.
        for number, handler in before.items():
            signal.signal(number, handler)
        with suppress(KeyboardInterrupt):
            try:
                if form == "text":
                    _say_stopping()
            finally:
                running.stop()


def _say_stopping() -> None:
    try:
        click.echo("Stopping.")
    except OSError:
        # Nobody reads any more, as with `| head`; at the exit, Python would fail for it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _weather(name: str | None) -> Scenario | None:
    try:
        return None if name is None else scenario(name)
    except ScenarioError as error:
        raise Misuse(str(error)) from error
