"""How a command says that it cannot do what was asked."""

import click


class Misuse(click.ClickException):
    """What is wrong, on standard error, and exit status 2."""

    exit_code = 2
