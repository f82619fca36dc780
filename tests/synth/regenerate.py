"""Writes the golden files anew: ``python -m tests.synth.regenerate``, or ``make synth-golden``."""

import shutil
from itertools import product
from pathlib import Path

from tests.synth.outputs import output

from sortkey.synth.targets import TARGETS

GOLDEN = Path(__file__).parent / "golden"
# The system with the most kinds of resources, and the one with functions; what is written for the
# others is read back and compared.
SYSTEMS = ("gymcoach", "oneonone")
ENVIRONMENT = "prod"


def golden_files(system: str, target: str) -> dict[Path, str]:
    """The files of a target for a system where they are kept."""
    folder = GOLDEN / system / target
    made = output(target, system, ENVIRONMENT)
    return {folder / kept_as(name): text for name, text in made.items()}


def kept_as(name: str) -> str:
    """A file's name among the golden ones: Python there is no code of this project."""
    return f"{name}.txt" if name.endswith(".py") else name


def main() -> None:
    """Replace every golden file."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for system, target in product(SYSTEMS, TARGETS):
        for path, text in golden_files(system, target).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


if __name__ == "__main__":
    main()
