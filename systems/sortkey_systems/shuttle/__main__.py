"""``python -m sortkey_systems.shuttle move-sessions`` moves sessions out of the former store."""

import sys

import click

from sortkey import DB, SortkeyError
from sortkey_systems.shuttle.design.sessions import SessionMove
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.errors import ShuttleError
from sortkey_systems.shuttle.moving_sessions import (
    BATCH,
    Verification,
    move_sessions,
    verify_sessions,
)

try:
    from sqlalchemy.exc import SQLAlchemyError

    from sortkey_systems.shuttle.relational_sessions import RelationalSessions
except ModuleNotFoundError as error:
    click.echo("Error: the move needs SQLAlchemy: pip install 'sortkey-systems[shuttle]'", err=True)
    raise SystemExit(2) from error


@click.group()
def main() -> None:
    """Commands for operators of the Inavor Shuttle."""


@main.command("move-sessions")
@click.option(
    "--from",
    "url",
    required=True,
    envvar="SHUTTLE_FORMER",
    show_envvar=True,
    help="SQLAlchemy URL of the former store.",
)
@click.option(
    "--to",
    "target",
    metavar="TARGET",
    help="Database of the table: a file or a URL.  [default: SORTKEY_TARGET]",
)
@click.option(
    "--batch",
    type=click.IntRange(1, BATCH),
    default=BATCH,
    show_default=True,
    help="Rows in one transaction.",
)
def move(*, url: str, target: str | None, batch: int) -> None:
    """Copy all sessions from the former store, then compare each row with its copy.

    You can stop the command and start it again. The exit status is 1 if a row is missing, differs
    from its copy or cannot be copied.
    """
    moved, verified = None, Verification()
    try:
        with DB.connect(Shuttle, target=target) as db, RelationalSessions(url) as former:
            db.create_tables()
            rows = former.count()
            with click.progressbar(length=rows, label="Moving", file=sys.stderr) as bar:
                for moved in move_sessions(db, former, batch=batch):
                    bar.update(_done(moved) - bar.pos)
            with click.progressbar(length=rows, label="Verifying", file=sys.stderr) as bar:
                for verified in verify_sessions(db, former):
                    bar.update(verified.rows - bar.pos)
    except (SortkeyError, ShuttleError, SQLAlchemyError) as error:
        raise click.ClickException(str(error)) from error
    if moved is not None:
        click.echo(
            f"{moved.copied:,} copied, {moved.updated:,} updated, {moved.already_there:,} already "
            f"there, {moved.expired:,} expired, {moved.signed_out:,} signed out, "
            f"{moved.rejected:,} rejected."
        )
    _report(verified)
    sys.exit(0 if verified.is_complete else 1)


def _done(move: SessionMove) -> int:
    copied = move.copied + move.updated + move.already_there
    return copied + move.expired + move.signed_out + move.rejected


def _report(verified: Verification) -> None:
    click.echo(
        f"{verified.rows:,} rows: {verified.equal:,} equal to their sessions, "
        f"{verified.newer:,} older, {verified.expired:,} expired, {verified.signed_out:,} ended."
    )
    for session_id in verified.missing:
        click.echo(f"{session_id} is missing: run the command again")
    for session_id, names in verified.different.items():
        click.echo(f"{session_id} differs in {', '.join(names)}")
    for session_id, reason in verified.rejected.items():
        click.echo(f"{session_id} cannot be copied: {reason}")


if __name__ == "__main__":
    main()
