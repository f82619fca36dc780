"""The page of the commands, from the help text of each."""

from collections.abc import Iterator
from inspect import cleandoc
from textwrap import dedent

import click

from sortkey.cli.main import COMMANDS, main

_KEPT = "\b\n"


def commands_page() -> str:
    """Return every command with its arguments, options and examples."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "The output of `sortkey COMMAND --help`, generated from the code."
    yield from ("", "| | |", "|---|---|")
    for name, summary in COMMANDS.items():
        yield f"| [`sortkey {name}`](#{name}) | {summary} |"
    context = click.Context(main, info_name="sortkey")
    for name in COMMANDS:
        command = main.get_command(context, name)
        if command is not None:
            yield from _command(command, click.Context(command, parent=context, info_name=name))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    text, *examples = cleandoc(command.help or "").split(_KEPT)
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    yield from ("", f"## {context.info_name}", "", "```text", usage, "```")
    for paragraph in text.strip().split("\n\n"):
        yield from ("", " ".join(paragraph.split()))
    options = [each for each in command.params if isinstance(each, click.Option)]
    if options:
        yield from ("", "| option | |", "|---|---|")
        yield from (_option(option, context) for option in options)
    for example in examples:
        yield from _example(example)


def _example(example: str) -> Iterator[str]:
    """Yield an example in a block of its language, which its heading names."""
    heading, _, indented = example.strip().partition("\n")
    lines = dedent(indented).splitlines()
    if heading == "In Python:":
        yield from ("", heading, "", "```python", *lines, "```")
    else:
        yield from ("", "```console", *(f"$ {line}" for line in lines), "```")


def _option(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    cells = [f"`{names}`", " ".join(text.split())]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
