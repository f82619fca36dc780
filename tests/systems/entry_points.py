"""The entry points of a system, and the patterns that each of them can use."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import CodeType, FunctionType, ModuleType
from typing import cast

from sortkey import Pattern
from sortkey_systems.api.app import Api, Operations

# The design itself, generated data, and one-time migrations.
_EXCLUDED = ("design", "gateway", "generator", "moving_sessions", "__main__")


def entry_points_of(system: str) -> dict[str, set[str]]:
    """Return the functions of a system that read or write something, each with its patterns.

    They are named with their modules: ``earning.recompute``, ``api.recompute``.
    """
    package = import_module(f"sortkey_systems.{system}")
    names = [m.name for m in iter_modules(package.__path__) if not m.name.startswith(_EXCLUDED)]
    used = {
        f"{name}.{function.__name__}": _patterns_of(function)
        for name in names
        for function in _functions(import_module(f"sortkey_systems.{system}.{name}"))
    }
    return {name: patterns for name, patterns in used.items() if patterns}


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the public functions of a module, and the operations that it declares over HTTP."""
    for name, value in vars(module).items():
        if isinstance(value, FunctionType):
            if value.__module__ == module.__name__ and not name.startswith("_"):
                yield value
        elif isinstance(value, Api if hasattr(module, "api") else Operations):
            yield from (o.function for o in value.declared if isinstance(o.function, FunctionType))


def _patterns_of(function: FunctionType) -> set[str]:
    """Return the patterns that a function refers to, directly or through other functions.

    If it refers to an object with patterns, include the attributes that these functions name.
    """
    functions: list[FunctionType] = []
    values: list[object] = [function]
    for value in values:
        if isinstance(value, FunctionType) and _is_ours(value):
            functions.append(value)
            values += [found for found in _referred(value) if not _has(values, found)]
    names = {name for known in functions for name in _names(known.__code__)}
    objects = [value for value in values if _is_ours(type(value))]
    values += [getattr(value, name, None) for value in objects for name in names]
    return {value.name for value in values if isinstance(value, Pattern)}


def _has(values: list[object], value: object) -> bool:
    return any(known is value for known in values)


def _referred(function: FunctionType) -> Iterator[object]:
    """Yield the values that a function refers to, and their contents."""
    function = inspect.unwrap(function)
    names = set(_names(function.__code__))
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if isinstance(value, ModuleType) and value.__name__.startswith("sortkey_systems."):
            yield from (vars(value)[known] for known in names & vars(value).keys())
        else:
            yield from _within(value)
    for cell in function.__closure__ or ():
        yield from _within(cell.cell_contents)


def _within(value: object) -> Iterator[object]:
    yield value
    if isinstance(value, type) and _is_ours(value):
        yield from (known for known in vars(value).values() if isinstance(known, FunctionType))
    elif isinstance(value, Mapping):
        yield from _within(tuple(cast("Mapping[object, object]", value).values()))
    elif isinstance(value, tuple | list | set | frozenset):
        for known in cast("Iterable[object]", value):
            yield from _within(known)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _is_ours(value: object) -> bool:
    return str(getattr(value, "__module__", "")).startswith("sortkey_systems.")
