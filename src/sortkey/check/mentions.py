"""The entities that the code of a pattern mentions, for patterns whose requests are unknown.

If every call of a pattern fails, no plan shows what it reads and writes. It can only use entities
that it has a name for: those in its annotations, in its function, and in the functions, classes,
objects and other patterns that these mention. So what it does not mention it does not use, as far
as one can see without a call, and what it mentions it may read, write or delete.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast, get_args

from sortkey.design.declaring.collection import Collection
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import DesignError
from sortkey.design.records.kind import EntityKind

# The code of these uses no entity of a design.
_LIBRARIES = frozenset({*sys.stdlib_module_names, "annotated_types", "pydantic", "sortkey"})
# The values of class attributes that may lead to entities.
_HELD = (FunctionType, classmethod, staticmethod, property, type)


def mentioned_kinds(
    pattern: Pattern[..., Any], kinds: Iterable[EntityKind[Any]]
) -> frozenset[EntityKind[Any]]:
    """Return the entities that a pattern may use: those of its tables if it is raw."""
    if pattern.is_raw:
        tables = [table.definition for table in pattern.tables]
        return frozenset(kind for kind in kinds if kind.table in tables)
    mentioned = list(_Mentions(pattern))
    classes = tuple(one for one in mentioned if isinstance(one, type) and issubclass(one, Entity))
    # A function may import a class, or take it from a module.
    names = {n for one in mentioned if isinstance(one, FunctionType) for n in _names(one.__code__)}
    return frozenset(
        kind for kind in kinds if issubclass(kind.model, classes) or kind.model.__name__ in names
    )


class _Mentions:
    """The objects that a pattern mentions, and those that these mention."""

    def __init__(self, pattern: Pattern[..., Any]) -> None:
        self._pattern = pattern
        # The module of a design may have the name of one of Python's.
        self._libraries = _LIBRARIES - {_package(pattern.function)}

    def __iter__(self) -> Iterator[object]:
        waiting: list[object] = [self._pattern, *_annotations(self._pattern)]
        # Objects are kept, so that no other one gets the same id.
        seen: dict[int, object] = {}
        while waiting:
            one = waiting.pop()
            if id(one) not in seen:
                seen[id(one)] = one
                waiting.extend(self._within(one))
                yield one

    def _within(self, one: Any) -> Iterator[object]:
        """Yield the objects that an object mentions itself, as far as they may lead to entities."""
        match one:
            case Pattern():
                yield one.function
            case FunctionType():
                yield from _named_in(one) if self._is_own(one) else ()
            case classmethod() | staticmethod():
                yield cast("Any", one).__func__
            case property():
                yield one.fget
            case MethodType():
                yield from (one.__func__, one.__self__)
            case partial():
                called = cast("partial[Any]", one)
                yield from (called.func, *called.args, *called.keywords.values())
            case type():
                known = cast("type[Any]", one)
                if issubclass(known, Collection) and known is not Collection:
                    yield from (member.entity for member in known.__collection__.members)
                for cls in filter(self._is_own, known.__mro__):
                    yield from (value for value in vars(cls).values() if isinstance(value, _HELD))
            case dict():
                yield from cast("dict[Any, Any]", one).values()
            case list() | tuple() | set() | frozenset():
                yield from cast("Iterable[Any]", one)
            case _:
                yield from get_args(one)
                if self._is_own(type(one)):
                    yield type(one)
                    yield from getattr(one, "__dict__", {}).values()

    def _is_own(self, one: Any) -> bool:
        """Whether a function or a class was written for an application, and not for a library."""
        return _package(one) not in self._libraries


def _annotations(pattern: Pattern[..., Any]) -> list[Any]:
    """Return the types of a pattern's arguments and result; none if one is not defined (SK403)."""
    try:
        return [pattern.returns, *(parameter.type for parameter in pattern.parameters)]
    except DesignError:
        return []


def _package(one: Any) -> str:
    return str(one.__module__).partition(".")[0]


def _named_in(function: FunctionType) -> Iterator[object]:
    """Yield the objects that the names in a function stand for, and those of its defaults."""
    yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    names = frozenset(_names(function.__code__))
    found = [function.__globals__[name] for name in names if name in function.__globals__]
    yield from found
    for module in found:
        if isinstance(module, ModuleType):
            yield from (vars(module)[name] for name in names if name in vars(module))
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty cell
            yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)
