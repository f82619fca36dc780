"""What an object of a library holds: functions, classes and objects of the application.

An object of a library may call whatever was registered with it, so all that it holds is looked at,
without running anything. The garbage collector knows the values that an object refers to, whatever
stores them: attributes, slots, closures, containers, or C.
"""

import gc
import sys
import types
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, Final, cast

from sortkey.design.declaring.pattern import Pattern
from sortkey.operations.operation import Operation
from sortkey.programs.ownership import Ownership

# Values that hold no others.
PLAIN: Final = frozenset(
    (str, bytes, bytearray, int, float, bool, complex, type(None), type(Ellipsis), range, slice)
) | {
    *(types.CodeType, types.FrameType, types.TracebackType, types.GetSetDescriptorType),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.MemberDescriptorType),
}
# Objects of these call no methods of what they hold.
_NEUTRAL: Final = frozenset(
    ("builtins", "collections", "functools", "types", "pydantic", "pydantic_core", "enum", "typing")
)


@dataclass(frozen=True, slots=True)
class Held:
    """A value that is walked further; ``is_lent`` if a library may call its methods."""

    value: object
    is_lent: bool


class HeldObjects:
    """What objects of libraries hold, each looked at once."""

    def __init__(self, ours: Ownership) -> None:
        self._ours = ours
        # With the objects themselves, so that no two have one id.
        self._known: dict[int, tuple[object, tuple[Held, ...]]] = {}
        self._leaves: dict[type, bool] = {}

    def of(self, value: object) -> tuple[Held, ...]:
        """Return what an object or a function of a library holds."""
        if id(value) not in self._known:
            self._known[id(value)] = (value, tuple(self._held(value)))
        return self._known[id(value)][1]

    def _held(self, whole: object) -> Iterator[Held]:
        seen: set[int] = set()
        # Kept, since some are made only here.
        values = [Held(whole, is_lent=False)]
        for held in values:
            value = held.value
            for each in _referents(value):
                if type(each) in PLAIN or id(each) in seen:
                    continue
                seen.add(id(each))
                found = Held(each, is_lent=held.is_lent or _is_library(value))
                if self._is_leaf(each):
                    yield found
                else:
                    values.append(found)

    def _is_leaf(self, value: object) -> bool:
        """Whether a value is walked by itself."""
        if isinstance(value, FunctionType):
            return self._ours.of_function(value)
        kind = type(value)
        if kind not in self._leaves:
            known = (Pattern, Operation, type, MethodType, ModuleType)
            self._leaves[kind] = (
                issubclass(kind, known) or self._ours.of_class(kind) or "boto" in kind.__module__
            )
        return self._leaves[kind]


def _is_library(value: object) -> bool:
    """Whether an object may call methods of what it holds; a container does not."""
    return type(value).__module__.partition(".")[0] not in _NEUTRAL or type(value) is FunctionType


def _referents(value: object) -> list[object]:
    if isinstance(value, FunctionType):
        return _made_with(value)
    if isinstance(value, weakref.ref):
        return [cast("Any", value)()]
    if type(value) in weakref.ProxyTypes:
        # The methods of a proxy are those of its object.
        with suppress(ReferenceError):
            return [cast("Any", value).__init__.__self__]
        return []
    if isinstance(value, BuiltinFunctionType):
        return [value.__self__]
    # A reference to all modules does not mean that all of them are used.
    if value is sys.modules:
        return []
    # A declaration names all patterns of a role, and uses none.
    if type(value).__module__.startswith("sortkey.design."):
        return []
    # The variables of a module are not what it holds.
    return [e for e in gc.get_referents(value) if not (isinstance(e, dict) and "__builtins__" in e)]


def _made_with(function: FunctionType) -> list[object]:
    """Return what a function was made with, such as the one that it decorates."""
    found: list[object] = [*(function.__defaults__ or ()), *vars(function).values()]
    found += (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # never set
            found.append(cell.cell_contents)
    return found
