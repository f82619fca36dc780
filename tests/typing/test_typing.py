"""Type checkers infer what an application's code means, and see its mistakes.

The cases are user code that is only type-checked. A line that ends in ``# error`` is a mistake,
which each checker must report there; on no other line may it report anything.
"""

import json
import runpy
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from sortkey import DB

pytestmark = pytest.mark.acceptance

CASES = Path(__file__).parent / "cases"
FILES = sorted(CASES.glob("*.py"))

Report = dict[Path, dict[int, str]]


@pytest.fixture
def pyright() -> Report:
    """What pyright reports; its settings stand beside the cases."""
    reported: Report = defaultdict(dict)
    told = _run("pyright", "--project", CASES, "--pythonpath", sys.executable, "--outputjson")
    for found in json.loads(told)["generalDiagnostics"]:
        reported[Path(found["file"])][found["range"]["start"]["line"] + 1] = found["message"]
    return reported


@pytest.fixture
def mypy(pytestconfig: pytest.Config) -> Report:
    """What mypy reports, without the plugin that Pydantic has for it."""
    reported: Report = defaultdict(dict)
    # Other runs of mypy in this folder have settings of their own, and would not share a cache.
    cache = Path(pytestconfig.rootpath, ".pytest_cache", "mypy")
    told = _run("mypy", "--strict", "--config-file=", "--cache-dir", cache, "-O", "json", *FILES)
    for found in map(json.loads, told.splitlines()):
        if found["severity"] == "error":
            reported[CASES / found["file"]][found["line"]] = found["message"]
    return reported


def _run(tool: str, *arguments: str | Path) -> str:
    command = [Path(sys.executable).with_name(tool), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=CASES)
    assert ran.returncode == 1, ran.stdout + ran.stderr  # neither 0, all is well, nor 2, a crash
    return ran.stdout


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_mistakes_are_errors_and_nothing_else_is(
    checker: str, request: pytest.FixtureRequest
) -> None:
    reported: Report = request.getfixturevalue(checker)
    surprises: list[str] = []
    for file in FILES:
        lines = file.read_text().splitlines()
        mistakes = {number for number, line in enumerate(lines, 1) if line.endswith("# error")}
        found = reported[file]
        for number in sorted(mistakes ^ found.keys()):
            told = found.get(number) or f"not an error: {lines[number - 1].strip()}"
            surprises.append(f"{file.name}:{number}: {told}")
    assert not surprises, "\n".join(surprises)


def test_the_design_of_the_cases_is_accepted_when_it_runs() -> None:
    design = runpy.run_path(str(CASES / "design.py"))
    with DB.memory(design["App"]) as db:
        user = db(design["User"](org_id="acme", user_id="u1").create())
        assert db(design["User"].get(org_id="acme", user_id="u1")) == user
