"""The entry points of a system, and the patterns that each of them can use."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import get_annotations
from pkgutil import iter_modules
from types import FunctionType, ModuleType
from typing import Annotated, get_args, get_origin

from sortkey.programs.ownership import Ownership
from sortkey.programs.walk import Walker
from sortkey_systems.api.app import Api, Operations

# Trials of an API, for `prove`.
_TRIAL = "trial"
# The design itself, generated data, and one-time migrations.
_EXCLUDED = ("design", "gateway", "generator", "moving_sessions", "__main__")


@cache
def entry_points_of(system: str) -> dict[str, set[str]]:
    """Return the functions of a system that read or write something, each with its patterns.

    They are named with their modules: ``earning.recompute``, ``api.recompute``.
    """
    walker = Walker(Ownership([f"sortkey_systems.{system}"]))
    package = import_module(f"sortkey_systems.{system}")
    names = [m.name for m in iter_modules(package.__path__) if not m.name.startswith(_EXCLUDED)]
    used = {
        f"{name}.{function.__name__}": _patterns_of(function, walker)
        for name in names
        for function in _functions(import_module(f"sortkey_systems.{system}.{name}"))
    }
    return {name: patterns for name, patterns in used.items() if patterns}


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the public functions of a module, and the operations that it declares over HTTP."""
    for name, value in vars(module).items():
        if isinstance(value, FunctionType):
            is_public = name != _TRIAL and not name.startswith("_")
            if value.__module__ == module.__name__ and is_public:
                yield value
        elif isinstance(value, Api if hasattr(module, "api") else Operations):
            yield from (o.function for o in value.declared if isinstance(o.function, FunctionType))


def _patterns_of(function: FunctionType, walker: Walker) -> set[str]:
    """Return the patterns that a function can use, once the caller is identified.

    FastAPI identifies the caller by what the arguments are annotated with, in a role of its own.
    """
    code, variables, closure = function.__code__, function.__globals__, function.__closure__
    own = FunctionType(code, variables, function.__name__, function.__defaults__, closure)
    own.__kwdefaults__ = function.__kwdefaults__
    own.__annotations__ = {
        name: get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
        for name, annotation in get_annotations(function, eval_str=True).items()
    }
    reached = walker.walked(own, function.__name__)
    return {use.pattern.name for use in reached.uses.values()}
