"""The page of the commands, from what each says of itself."""

from collections.abc import Iterator
from inspect import cleandoc

import click

from sortkey.cli.main import COMMANDS, main

_KEPT = "\b\n"


def commands_page() -> str:
    """Every command with its arguments, its options and examples."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "What `sortkey COMMAND --help` says, made from the code."
    yield from ("", "| | |", "|---|---|")
    for name, summary in COMMANDS.items():
        yield f"| [`sortkey {name}`](#{name}) | {summary} |"
    context = click.Context(main, info_name="sortkey")
    for name in COMMANDS:
        command = main.get_command(context, name)
        if command is not None:
            yield from _command(command, click.Context(command, parent=context, info_name=name))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    text, _, example = cleandoc(command.help or "").partition(_KEPT)
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    yield from ("", f"## {context.info_name}", "", "```text", usage, "```")
    for paragraph in text.strip().split("\n\n"):
        yield from ("", " ".join(paragraph.split()))
    options = [each for each in command.params if isinstance(each, click.Option)]
    if options:
        yield from ("", "| option | |", "|---|---|")
        yield from (_option(option, context) for option in options)
    yield from ("", "```console")
    yield from (f"$ {line.strip()}" for line in example.splitlines() if _is_shown(line))
    yield "```"


def _is_shown(line: str) -> bool:
    return line.strip() not in {"", "Example:"}


def _option(option: click.Option, context: click.Context) -> str:
    names, told = option.get_help_record(context) or ("", "")
    cells = [f"`{names}`", " ".join(told.split())]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
