"""The output for a system changes only on purpose."""

import os
import subprocess
import sys

import pytest
from tests.synth.regenerate import GOLDEN, SYSTEMS, golden_files

from sortkey.synth.targets import TARGETS


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("target", TARGETS)
def test_the_output_is_the_golden_one(target: str, system: str) -> None:
    folder = GOLDEN / system / target
    kept = {path: path.read_text() for path in folder.rglob("*") if path.is_file()}

    assert golden_files(system, target) == kept, "make synth-golden writes them anew"


WRITE_EVERYTHING = """
from tests.synth.outputs import output
from sortkey.synth.targets import TARGETS
for target in TARGETS:
    for name, text in output(target, "everything", "prod").items():
        print(name, text)
"""


def written_with(seed: str) -> str:
    """Everything that is written for a design where sets and hashes have this order."""
    done = subprocess.run(
        [sys.executable, "-c", WRITE_EVERYTHING],
        cwd=GOLDEN.parents[2],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_another_run_writes_the_same() -> None:
    written = written_with("1")

    assert "things-prod-things" in written
    assert written_with("2") == written
