"""The examples of a rule's page: what they leave out, and how one is run."""

import linecache
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import blake2b
from types import CodeType, ModuleType

from sortkey.check.deployed import NOTHING, deployed_design
from sortkey.check.report import CheckReport
from sortkey.check.runner import check
from sortkey.check.samples.reading import samples_of
from sortkey.design.declaring.design import Design, design_of
from sortkey.design.findings import DesignError
from sortkey.programs.program import WalkedProgram
from sortkey.programs.walking import programs_of

# What every example begins with, so that it can be read at a glance.
PREAMBLE = """\
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from sortkey import *
"""
# Those that speak of an App begin with this too; the index is there where they use it.
APP = """\
class App(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")
"""
_APP_WITHOUT_INDEX = """\
class App(Table):
    pass
"""


# Between what is deployed and what is to take its place, where an example has both.
NOW = "# Now:"


# The variable that holds sample items, where an example has any.
SAMPLES = "samples"

# The module of the handlers, where an example has any.
HANDLERS = "notes"


def report_of(example: str) -> CheckReport:
    """Return the findings in an example that can be loaded."""
    deployed, _, now = example.rpartition(NOW)
    before = deployed_design(design_in_example(deployed)) if deployed else NOTHING
    design = design_in_example(now)
    samples = getattr(design.modules[0], SAMPLES, ())
    return check(design, before, samples_of(samples), _programs_in(design))


def _programs_in(design: Design) -> tuple[WalkedProgram, ...] | None:
    """Return the walked functions of an example, if it contains their handlers."""
    if not any(each.handler.startswith(f"{HANDLERS}:") for each in design.functions):
        return None
    with _known(design.modules[0]):
        return programs_of(design)


def codes_found(example: str) -> set[str]:
    """The codes of all that is found in an example, when it is loaded or when it is checked."""
    try:
        return {found.code for found in report_of(example).found if not found.reason}
    except DesignError as error:
        return {finding.code for finding in error.findings}


def design_in_example(text: str) -> Design:
    """The design that an example declares."""
    module = ModuleType(HANDLERS if f'"{HANDLERS}:' in text else "sortkey_example")
    with _known(module):  # where Pydantic looks annotations up
        exec(_compiled(_whole(text)), module.__dict__)  # noqa: S102 - from our own docstrings
        return design_of("example", [module])


def _compiled(text: str) -> CodeType:
    """Compile an example so that its lines are found as those of a file are."""
    file = f"<example {blake2b(text.encode(), digest_size=8).hexdigest()}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return compile(text, file, "exec")


@contextmanager
def _known(module: ModuleType) -> Generator[None]:
    """Within the block, the module is found by its name."""
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        if before is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = before


def _whole(example: str) -> str:
    """An example with what stands before it."""
    app = APP if "App.gsi1" in example else _APP_WITHOUT_INDEX
    app = app if re.search(r"\bApp\b", example) else ""
    return f"{PREAMBLE}\n\n{app}\n\n{example}"
