"""Handlers run from an unpacked asset, where nothing but it and Python itself can be imported."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

_CALL = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
module, _, name = sys.argv[2].partition(":")
handler = getattr(importlib.import_module(module), name)
answer = json.dumps(handler(json.load(sys.stdin), None))
files = [getattr(module, "__file__", None) or "" for module in sys.modules.values()]
assert not [file for file in files if "site-packages" in file]
print()  # what the application printed ends here
print(answer)
"""


def unpack(archive: Path, home: Path) -> Path:
    """Unpack an asset as Lambda does, and return the folder."""
    with ZipFile(archive) as packed:
        packed.extractall(home)
    return home


def run_handler(
    home: Path, handler: str, event: Mapping[str, Any], variables: Mapping[str, str]
) -> Any:
    """Return the answer of a handler to an event, in a fresh process with only these variables."""
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", _CALL, str(home), handler],
        input=json.dumps(event),
        env=dict(variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])
