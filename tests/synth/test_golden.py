"""What is written for the five systems changes only when somebody means it to."""

import pytest
from tests.synth.regenerate import GOLDEN, SYSTEMS, golden_files

from sortkey.synth.targets import TARGETS


@pytest.mark.parametrize("design", SYSTEMS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_output_of_a_system_is_the_golden_one(target: str, design: str) -> None:
    folder = GOLDEN / design / target
    kept = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}

    assert golden_files(design, target) == kept, "make synth-golden writes them anew"
