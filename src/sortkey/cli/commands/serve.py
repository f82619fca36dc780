"""``sortkey serve``: the embedded engine over DynamoDB's HTTP protocol."""

import os
import stat
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from sortkey.cli.misuse import Misuse
from sortkey.engine.weather import Scenario, ScenarioError, scenario
from sortkey.errors import SortkeyError
from sortkey.server import ServerSettings
from sortkey.server import serve as run_server
from sortkey.server.callers import Callers
from sortkey.server.signing import KeyPair
from sortkey.wording.prose import counted

_ACCESS_KEY = "SORTKEY_ACCESS_KEY"
_SECRET_KEY = "SORTKEY_SECRET_KEY"  # noqa: S105 - the name of a variable
_MOST_SECRET_BYTES = 4096
_LONGEST_DELAY_SECONDS = 30 * 24 * 3600

# Measured side by side: 1.09 times the GetItem and 1.13 times the PutItem of a second of CPU.
_WITHOUT_UVLOOP = (
    "uvloop is not installed. With it, serve answers about 10 % more requests a second: "
    "pip install 'sortkey[serve]'"
)


@click.command()
@click.option(
    "--db",
    type=click.Path(path_type=Path),
    help="The database file, created if missing. Without it, data is lost when the server stops.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    help="The port to listen on; 0 picks a free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The loopback address to listen on; others are rejected.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="The number of processes that serve the database. A second one helps reads, not writes.",
)
@click.option(
    "--durability",
    type=click.Choice(["normal", "full"]),
    default="normal",
    show_default=True,
    help="What acknowledged writes survive: a killed process (normal), or also power loss (full).",
)
@click.option(
    "--access-key",
    help="Accept only requests signed with this key and its secret; without it, all. "
    f"Default: ${_ACCESS_KEY}.",
)
@click.option(
    "--secret-key-file",
    type=click.Path(path_type=Path),
    help=f"The file that holds the secret of the access key. Default: ${_SECRET_KEY}.",
)
@click.option(
    "--secret-key",
    help="The secret itself, instead of a file. Every user of this machine can read it in the "
    "list of processes.",
)
@click.option(
    "--allow-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    help="Answer pages of this origin, such as http://localhost:5173; * for any. Repeatable.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="HOST",
    help="Answer requests that name the server like this, such as db.internal. Repeatable.",
)
@click.option(
    "--movable-clock",
    is_flag=True,
    help="Let tests move the engine's clock with the request Sortkey.MoveClock.",
)
@click.option(
    "--ttl-delay",
    type=click.IntRange(0, _LONGEST_DELAY_SECONDS),
    default=0,
    show_default=True,
    metavar="SECONDS",
    help="Delete expired items this long after their time; until then, reads return them. DynamoDB "
    "takes up to two days.",
)
@click.option(
    "--weather",
    metavar="SCENARIO",
    help="Behave as DynamoDB does on a bad day: hot-day, small-partitions, slow-changes, "
    "slow-transactions, lagging-indexes, bad-network, or a .toml file. With any weather, the "
    "server counts what it does, for `sortkey top`; fair does nothing else.",
)
@click.option(
    "--buckets",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Let requests export tables to buckets and import them: each folder in DIR is a bucket. "
    "Nothing outside of DIR is read or written.",
)
@click.option("--quiet", is_flag=True, help="Print nothing when the server has started.")
def serve(
    *,
    db: Path | None,
    port: int,
    host: str,
    workers: int,
    durability: Literal["normal", "full"],
    access_key: str | None,
    secret_key_file: Path | None,
    secret_key: str | None,
    origins: tuple[str, ...],
    hosts: tuple[str, ...],
    movable_clock: bool,
    ttl_delay: int,
    weather: str | None,
    buckets: Path | None,
    quiet: bool,
) -> None:
    """Run the embedded engine over DynamoDB's HTTP protocol.

    Any AWS SDK can use it: point its endpoint here and give it any region and credentials, or
    those of --access-key.

    \b
    Example:
      sortkey serve --db app.db --port 8000
      aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000

    \b
    In Python:
      boto3.client("dynamodb", endpoint_url="http://127.0.0.1:8000",
                   region_name="us-east-1", aws_access_key_id="any",
                   aws_secret_access_key="any")
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    settings = ServerSettings(
        db=db,
        host=host,
        port=port,
        workers=workers,
        durability=durability,
        keys=_keys(access_key, secret_key_file, secret_key),
        callers=_callers(origins, hosts),
        movable_clock=movable_clock,
        ttl_delay=ttl_delay,
        weather=_weather(weather),
        buckets=buckets,
    )

    def greet(address: str) -> None:
        if not quiet:
            count = counted(workers, "worker")
            place = db or ("in memory" if workers == 1 else "in a temporary file")
            click.echo(f"sortkey engine on {address} ({place}; {count}). Stop with Ctrl-C.")
            if sys.platform != "win32" and find_spec("uvloop") is None:
                click.echo(_WITHOUT_UVLOOP, err=True)

    try:
        run_server(settings, greet)
    except SortkeyError as error:
        raise Misuse(str(error)) from error


def _callers(origins: tuple[str, ...], hosts: tuple[str, ...]) -> Callers:
    try:
        return Callers.named(origins, hosts)
    except ValueError as error:
        raise Misuse(str(error)) from error


def _keys(
    access_key: str | None, secret_key_file: Path | None, secret_key: str | None
) -> KeyPair | None:
    """Return the keys; options come before the environment."""
    if secret_key_file is not None and secret_key is not None:
        raise Misuse("Give --secret-key-file or --secret-key, not both.")
    access = os.environ.get(_ACCESS_KEY) if access_key is None else access_key
    secret = os.environ.get(_SECRET_KEY) if secret_key is None else secret_key
    if secret_key_file is not None:
        secret = _secret_in(secret_key_file)
    if access is None and secret is None:
        return None
    if access is None:
        raise Misuse(f"A secret key needs an access key: give --access-key or set {_ACCESS_KEY}.")
    if secret is None:
        raise Misuse(
            f"An access key needs its secret: give --secret-key-file or set {_SECRET_KEY}."
        )
    if not access or not secret:
        raise Misuse("The access key and its secret may not be empty.")
    return KeyPair(access, secret)


def _secret_in(path: Path) -> str:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        content = file.read(_MOST_SECRET_BYTES)
    try:
        secret = content.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        secret = ""
    if not secret or not secret.isprintable() or len(content) == _MOST_SECRET_BYTES:
        raise Misuse(f"{path} must hold the secret key and nothing else, in one line of text.")
    if sys.platform != "win32" and mode & stat.S_IROTH and stat.S_ISREG(mode):
        click.echo(
            f"Warning: every user of this machine can read {path}. Run: chmod 600 {path}", err=True
        )
    return secret


def _weather(name: str | None) -> Scenario | None:
    try:
        return None if name is None else scenario(name)
    except ScenarioError as error:
        raise Misuse(str(error)) from error
