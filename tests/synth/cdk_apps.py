"""Runs the app of each folder that is named; starting CDK takes longer than all of them."""

import os
import runpy
import sys
from functools import partial
from pathlib import Path
from typing import Any

import aws_cdk  # pyright: ignore[reportMissingImports]  # in the environment of the tools

cdk: Any = aws_cdk
app = cdk.App
here = Path.cwd()
for name in sys.argv[1:]:
    os.chdir(here / name)
    sys.path.insert(0, str(here / name))
    # As the command `cdk` says by a variable, which is read only once.
    cdk.App = partial(app, outdir=str(here / name / "cdk.out"))
    runpy.run_path("app.py", run_name="__main__")
    sys.path.pop(0)
    own = {path.stem for path in (here / name).glob("*.py")}
    for module in own & sys.modules.keys():
        del sys.modules[module]
