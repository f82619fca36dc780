"""The design that a command was given."""

import sys
from contextlib import redirect_stdout

from sortkey.cli.garbage import collect_rarely, kept_for_good
from sortkey.cli.misuse import Misuse
from sortkey.design.design import Design
from sortkey.design.loader import LoadError, load_design


def design_in(source: str) -> Design:
    """Return the design in a file, folder or module; refuse one that cannot be used."""
    try:
        return loaded(source)
    except LoadError as error:
        raise Misuse(str(error)) from error


def loaded(source: str) -> Design:
    """Return the design in a file, folder or module.

    Raises:
        LoadError: It cannot be loaded.
        Misuse: There is nothing in it.
    """
    collect_rarely()
    # What the design's own modules print is no part of the answer.
    with redirect_stdout(sys.stderr), kept_for_good():
        design = load_design(source)
    if not (design.tables or design.patterns):
        raise Misuse(
            f"there is no table, entity or pattern in {source}: name the file that declares them"
        )
    return design
