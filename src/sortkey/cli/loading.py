"""Loading the design that a command names."""

import sys
from contextlib import redirect_stdout

from sortkey.cli.garbage import collect_rarely, kept_for_good
from sortkey.cli.misuse import Misuse
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.loader import LoadError, load_design


def design_in(source: str) -> Design:
    """Return the design in a file, folder or module.

    Raises:
        Misuse: It cannot be loaded, or is empty.
    """
    try:
        return loaded(source)
    except LoadError as error:
        raise Misuse(str(error)) from error


def loaded(source: str) -> Design:
    """Return the design in a file, folder or module.

    Raises:
        LoadError: It cannot be loaded.
        Misuse: It is empty.
    """
    collect_rarely()
    # The output of the design's own modules must not mix with the command's.
    with redirect_stdout(sys.stderr), kept_for_good():
        design = load_design(source)
    if not (design.tables or design.patterns):
        raise Misuse(
            f"there is no table, entity or pattern in {source}: name the file that declares them"
        )
    return design
