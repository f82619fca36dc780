"""Importing handlers in a fresh process, to see that they can be, and what they load."""

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortkey.assets.errors import AssetError
from sortkey.assets.processes import run
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.services import Setting
from sortkey.wording.prose import listed

_SECONDS = 120
# Lambda sets it, and `lambda_handler` then opens its database at once.
_ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME"

_PROGRAM = """
import importlib, json, os, sys, traceback

result = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what the application prints is no part of the result
asked = json.load(sys.stdin)
sys.path[:] = asked["places"] + (sys.path if asked["isolated"] else [])
before = set(sys.modules)
failures = []
for handler in asked["handlers"]:
    module, _, name = handler.partition(":")
    try:
        if not callable(getattr(importlib.import_module(module), name)):
            failures.append([handler, "", f"{name} is not callable", True, ""])
    except BaseException as error:
        lines = traceback.extract_tb(error.__traceback__)
        own = [each for each in lines[1:] if not each.filename.startswith("<frozen")]
        own = [each for each in own if not each.filename.endswith("importlib/__init__.py")]
        place = f"{own[-1].filename}:{own[-1].lineno}" if own else ""
        if isinstance(error, SyntaxError) and error.filename:
            place = f"{error.filename}:{error.lineno}"
        final = isinstance(error, (ImportError, SyntaxError)) or not own
        missing = getattr(error, "name", None) if isinstance(error, ImportError) else None
        text = f"{type(error).__name__}: {error}"
        failures.append([handler, place, text, final, missing or ""])
        if not isinstance(error, Exception):
            break
loaded = sorted(set(sys.modules) - before)
json.dump({"loaded": loaded, "failures": failures}, result)
result.close()
os._exit(0)  # threads that the application started do not keep it
"""


@dataclass(frozen=True, slots=True)
class FailedImport:
    """A handler whose import failed: where, and why.

    It is final if no value of a variable can help. ``missing`` names the module that was not
    found, if that is the reason.
    """

    handler: str
    place: str
    message: str
    is_final: bool
    missing: str

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return f"{self.handler} cannot be imported: {self.message}{place}"


def grouped(failures: Iterable[FailedImport]) -> Iterator[tuple[str, str]]:
    """Yield each message with its handlers: those of one module fail together."""
    handlers: dict[tuple[str, str], list[str]] = {}
    for each in failures:
        handlers.setdefault((each.place, each.message), []).append(each.handler)
    for (_, message), names in handlers.items():
        yield listed(names, 1), message


@dataclass(frozen=True, slots=True)
class Loaded:
    """The modules that handlers loaded, and the failures."""

    modules: tuple[str, ...]
    failures: tuple[FailedImport, ...]


def load(python: Path, design: Design, places: Iterable[str], *, isolated: bool = False) -> Loaded:
    """Import the handlers of a design's functions with an interpreter, and nothing else.

    Modules are looked for in these places; if ``isolated``, also in the standard library, and in
    no other place. The variables that functions have in AWS are set, except settings without a
    default.

    Raises:
        AssetError: The interpreter ended, or took too long.
    """
    handlers = [*dict.fromkeys(function.handler for function in design.functions)]
    asked = {"places": [*places], "handlers": handlers, "isolated": isolated}
    options = ["-I", "-B", *(["-S"] if isolated else [])]
    try:
        ran = run(
            [python, *options, "-c", _PROGRAM],
            given=json.dumps(asked),
            environment=_environment(design),
            seconds=_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise AssetError(
            f"the handlers were not imported within {_SECONDS} seconds: is there a module that "
            "waits when it is imported?"
        ) from None
    if ran.returncode != 0 or not ran.stdout:
        raise AssetError(
            f"the interpreter ended with status {ran.returncode} while it imported the handlers:\n"
            f"{ran.stderr.strip()[-2000:]}"
        )
    answer: dict[str, Any] = json.loads(ran.stdout)
    return Loaded(
        tuple(answer["loaded"]), tuple(FailedImport(*each) for each in answer["failures"])
    )


def _environment(design: Design) -> Mapping[str, str]:
    """Return the variables of this process, and those that functions have in AWS."""
    declared = {"ENVIRONMENT": design.about.environments[0], "AWS_REGION": "us-east-1"}
    for function in design.functions:
        values = function.environment.items()
        declared |= {name: value for name, value in values if isinstance(value, str)}
        declared |= {each.variable: each.default for each in function.settings if each.default}
        for kind, resources in (("queue", function.queues), ("bucket", function.buckets)):
            for each in resources:
                variable = f"{kind}_{each.name}".upper().replace("-", "_")
                declared[variable] = f"file:///{kind}s/{each.name}"
    here = {name: value for name, value in os.environ.items() if name != _ON_LAMBDA}
    return declared | here


def unset(functions: Iterable[Function]) -> list[str]:
    """Return the variables of settings that have no value here."""
    settings: dict[Setting, None] = {}
    for function in functions:
        settings |= dict.fromkeys(function.settings)
    variables = [each.variable for each in settings if each.default is None]
    return sorted(variable for variable in variables if variable not in os.environ)
