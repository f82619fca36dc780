"""The design that a command was given."""

import sys
from contextlib import redirect_stdout

from sortkey.cli.misuse import Misuse
from sortkey.design.design import Design
from sortkey.design.loader import LoadError, load_design


def design_in(source: str) -> Design:
    """The design in a file, folder or module; one with nothing in it is refused."""
    try:
        return loaded(source)
    except LoadError as error:
        raise Misuse(str(error)) from error


def loaded(source: str) -> Design:
    """The same; a `LoadError` tells what is wrong with one that cannot be loaded."""
    # What the design's own modules print is no part of the answer.
    with redirect_stdout(sys.stderr):
        design = load_design(source)
    if not (design.tables or design.patterns):
        raise Misuse(
            f"there is no table, entity or pattern in {source}: name the file that declares them"
        )
    return design
