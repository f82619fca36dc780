"""Writes the golden files anew: ``python -m tests.synth.regenerate``, or ``make synth-golden``."""

import shutil
from pathlib import Path

from tests.synth.outputs import DESIGNS, output

from sortkey.synth.targets import TARGETS

GOLDEN = Path(__file__).parent / "golden"
SYSTEMS = [design for design in DESIGNS if design != "everything"]
ENVIRONMENT = "prod"


def golden_files(design: str, target: str) -> dict[Path, str]:
    """The files of one output where they are kept."""
    folder = GOLDEN / design / target
    made = output(target, design, ENVIRONMENT)
    return {folder / kept_as(name): text for name, text in made.items()}


def kept_as(name: str) -> str:
    """A file's name among the golden ones: Python there is no code of this project."""
    return f"{name}.txt" if name.endswith(".py") else name


def main() -> None:
    """Replace every golden file."""
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for design in SYSTEMS:
        for target in TARGETS:
            for path, text in golden_files(design, target).items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)


if __name__ == "__main__":
    main()
