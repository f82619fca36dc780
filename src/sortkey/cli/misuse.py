"""The error of a command that is used wrongly."""

import click


class Misuse(click.ClickException):
    """Print a message to standard error and exit with status 2."""

    exit_code = 2
