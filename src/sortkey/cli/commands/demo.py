"""``sortkey demo``: fill a database with the generated data of an example application.

An installed distribution offers its systems as entry points of the group ``sortkey.systems``. Each
names a package whose module ``generator`` has the ``TABLES`` and ``records(users, seed=...)``, and
whose module ``api`` has ``trial(db, records)``, for ``--api``.
"""

import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from secrets import token_urlsafe
from socket import create_server, socket
from textwrap import wrap
from typing import Any

import click

from sortkey.access.cursor_encryption import CURSOR_SECRET
from sortkey.access.database import KEYS, OpenOptions
from sortkey.access.db import DB
from sortkey.access.filling import fill
from sortkey.access.secrets.keyring import Keyring
from sortkey.access.secrets.keys import LocalKey
from sortkey.cli.misuse import Misuse
from sortkey.design.tables.table import Table
from sortkey.errors import SortkeyError

GROUP = "sortkey.systems"
# A terminal has at least this many columns; only tokens and addresses may need more.
_COLUMNS = 80
_NOT_INSTALLED = "The example systems are a package of their own: pip install sortkey-systems"


def _system(_ctx: click.Context, _parameter: click.Parameter, name: str) -> EntryPoint:
    """Return the installed system of this name."""
    offered = entry_points(group=GROUP)
    if not offered:
        raise Misuse(_NOT_INSTALLED)
    if name not in offered.names:
        names = ", ".join(sorted(offered.names))
        raise Misuse(f"there is no system {name!r}: the systems are {names}")
    return offered[name]


class _WithSystems(click.Command):
    """A command whose help describes each system."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of systems above the options."""
        with formatter.section("Systems"):
            if offered := sorted(entry_points(group=GROUP)):
                formatter.write_dl([(system.name, _summary(system)) for system in offered])
            else:
                formatter.write_text(_NOT_INSTALLED)
        super().format_options(ctx, formatter)


def _summary(system: EntryPoint) -> str:
    try:
        return (system.load().__doc__ or "").partition("\n")[0]
    except Exception as error:  # noqa: BLE001 - whatever another distribution's package raises
        return f"cannot be imported: {error}"


@click.command(cls=_WithSystems)
@click.argument("system", callback=_system)
@click.option(
    "--users",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    help="The number of users or shops.",
)
@click.option("--seed", default=1, show_default=True, help="The seed of the generated data.")
@click.option("--target", metavar="TARGET", help="A file or a URL.  [default: SYSTEM.db]")
@click.option("--api", is_flag=True, help="Serve the HTTP API, from memory if no TARGET is named.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="The port of the API; 0 picks a free one.",
)
def demo(
    *, system: EntryPoint, users: int, seed: int, target: str | None, api: bool, port: int
) -> None:
    """Fill a database with the generated data of an example application.

    SYSTEM is one of the applications of the package sortkey-systems; its design is
    sortkey_systems.SYSTEM.design. --api serves its HTTP API on loopback until you press Ctrl+C.

    \b
    Example:
      sortkey demo commitcollect --users 1000
      sortkey serve --db commitcollect.db
      sortkey demo oneonone --api
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
    place = target or ("memory" if api else f"{system.name}.db")
    if target is None and Path(place).exists():
        raise Misuse(f"{place} already exists: delete it, or name another file with --target")
    generator = _module(system, "generator")
    trial = _module(system, "api").trial if api else None
    listening = _listening(port) if api else nullcontext()
    made = _new_key(generator.TABLES)
    settings: OpenOptions = {} if made is None else {"secrets": Keyring(made)}
    if api and CURSOR_SECRET not in os.environ:
        settings["cursor_secret"] = token_urlsafe()
    try:
        with listening as door, DB.connect(*generator.TABLES, target=place, **settings) as db:
            db.create_tables()
            written = _written(db, generator.records(users, seed=seed), users)
            _print_counts(written, f"{users:,} users", place, made)
            if trial is None or door is None:
                click.echo(f"To try its HTTP API: sortkey demo {system.name} --api")
            else:
                _serve(trial(db, generator.records(users, seed=seed)), door)
    except SortkeyError as error:
        raise Misuse(str(error)) from error


def _print_counts(written: Counter[str], whose: str, place: str, made: LocalKey | None) -> None:
    click.echo(f"{written.total():,} records of {whose} are in {place}:")
    for name, count in written.most_common():
        click.echo(f"  {count:>10,}  {name}")
    if made is not None and place != "memory":
        click.echo(f"To read their secrets, set {KEYS}={made.name}={made.text}")


def _listening(port: int) -> socket:
    try:
        return create_server(("127.0.0.1", port))
    except OSError as error:
        raise Misuse(f"port {port} is in use: choose another with --port") from error


def _serve(trial: Any, listening: socket) -> None:
    """Serve the system's API until interrupted, and print how to call it."""
    address = f"http://127.0.0.1:{listening.getsockname()[1]}"
    click.echo(f"\nThe API is at {address}\nIts documentation is at {address}/docs\n")
    click.echo("These tokens are for this demo only: their key is made at each start.\n")
    variables = {name: f"TOKEN{number}" for number, name in enumerate(trial.tokens, 1)}
    for name, token in trial.tokens.items():
        click.echo(f"# {name}\n{variables[name]}={token}")
    click.echo("\nTo try:")
    for request in trial.requests:
        says = wrap(f"{request.user_id}: {request.answer}", _COLUMNS - len("# "))
        click.echo("\n" + "\n".join(f"# {line}" for line in says))
        click.echo(curl_command(request, variables[request.user_id], address))
    click.echo("\nPress Ctrl+C to stop.")
    trial.serve(listening)


def curl_command(request: Any, token: str, address: str) -> str:
    """Return the command that sends a request, on several lines if it is long."""
    method = "" if request.method == "GET" else f" -X {request.method}"
    parts = [f'curl{method} -H "authorization: Bearer ${token}"']
    if request.body is not None:
        body = json.dumps(request.body)
        if len(body) > _COLUMNS // 2:
            body = json.dumps(request.body, indent=2)
        parts += ["-H 'content-type: application/json'", f"-d {shlex.quote(body)}"]
    parts.append(shlex.quote(f"{address}{request.path}"))
    whole = " ".join(parts)
    return whole if len(whole) <= _COLUMNS else " \\\n  ".join(parts)


def _module(system: EntryPoint, name: str) -> Any:
    try:
        return import_module(f"{system.module}.{name}")
    except ImportError as error:
        package = system.dist.name if system.dist else system.module
        extra = f"{package}[api]" if name == "api" else package
        raise Misuse(
            f"{system.name} needs more packages: pip install '{extra}' ({error})"
        ) from error


def _new_key(tables: Sequence[type[Table]]) -> LocalKey | None:
    """Return a new key if the records have secrets and the environment names no key."""
    has_secrets = any(kind.secrets for table in tables for kind in table.definition.entities)
    return LocalKey.new("demo") if has_secrets and KEYS not in os.environ else None


def _written(db: DB, groups: Any, users: int) -> Counter[str]:
    """Write the records of each user in turn, with a progress bar."""
    written: Counter[str] = Counter()
    with click.progressbar(groups, length=users, label="Writing", file=sys.stderr) as bar:
        for records in bar:
            written += fill(db, records)
    return written
