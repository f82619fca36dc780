"""The ``sortkey`` command: a table of commands, each imported only when it is called."""

from importlib import import_module
from typing import Any

import click

from sortkey.cli.garbage import kept_for_good
from sortkey.cli.misuse import Misuse
from sortkey.wording.spelling import meant_by

# Name and summary: the module in cli/commands and its command have the same name.
COMMANDS = {
    "show": "Print a design at a glance, or the plan of each of its patterns.",
    "check": "Find what DynamoDB would reject, lose, leak, throttle or overcharge.",
    "prove": "Run every access pattern on generated data and compare it with its specification.",
    "explain": "Explain a rule of `check`, with an example.",
    "docs": "Write the item catalog of a design as Markdown or HTML.",
    "synth": "Write CloudFormation, CDK or Terraform for tables, access policies and functions.",
    "package": "Build the code asset of a design's functions for AWS Lambda.",
    "backfill": "Rewrite stored records in the form that the design writes now.",
    "demo": "Fill a database with the generated data of an example application.",
    "verify": "Find damage in a database file.",
    "forget": "Remove a key from the history of a table, for the erasure of a person.",
    "top": "Show what a server does at the moment: rates, throttling, latency, hot keys, alarms.",
    "run": "Run the functions, APIs, schedules and queues of a design on this machine.",
    "serve": "Run the embedded engine over DynamoDB's HTTP protocol.",
}


class LazyCommands(click.Group):
    """A group that shows its help without importing its commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        with kept_for_good():
            module = import_module(f"sortkey.cli.commands.{cmd_name.replace('-', '_')}")
        return getattr(module, cmd_name.replace("-", "_"))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called; suggest the one that was probably meant."""
        near = meant_by(args[0], COMMANDS)
        if args[0] not in COMMANDS and near:
            ctx.fail(f"No such command '{args[0]}'. Did you mean {near}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; report a file that cannot be read or written as misuse."""
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.filename is None:
                raise
            raise Misuse(f"{error.filename}: {error.strerror}") from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the table of commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sortkey", message="sortkey %(version)s")
def main() -> None:
    """Write your DynamoDB design once. sortkey checks it, proves it, runs it and ships it.

    \b
    Example:
      sortkey show design.py
      sortkey check design.py
      sortkey serve --db app.db
      aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000
    """  # noqa: D301 - \b is click's mark for lines to keep as they are
