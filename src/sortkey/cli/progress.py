"""Progress of long work, on a terminal only."""

import sys
from collections.abc import Callable

import click


def count_shown(line: str) -> Callable[[int], None]:
    """Return a function that shows a number on a terminal, always in the same line."""

    def show(number: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{line.format(number)}", err=True, nl=False)

    return show
