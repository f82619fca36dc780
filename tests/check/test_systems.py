"""The systems, and the designs that pages show, come out clean; what is right is acknowledged."""

import subprocess
import sys
from pathlib import Path

import pytest

from sortkey.check.runner import check
from sortkey.design.declaring.loader import load_design
from sortkey.design.findings import Severity

ROOT = Path(__file__).parents[2]
SYSTEMS = sorted(path.parent.name for path in (ROOT / "systems/sortkey_systems").glob("*/design*"))


@pytest.mark.parametrize("system", dict.fromkeys(SYSTEMS))
def test_a_system_comes_out_clean(system: str) -> None:
    # Elsewhere, since tests of other designs load modules of the same names.
    done = subprocess.run(
        [sys.executable, "-m", "sortkey", "check", f"systems/sortkey_systems/{system}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_tutorial_s_design_comes_out_clean() -> None:
    report = check(load_design(ROOT / "docs/tutorial/library.py"))

    assert not report.fails(Severity.WARNING), list(report.open)
