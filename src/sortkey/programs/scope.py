"""The values that a function's names stand for, looked up without running anything."""

import builtins
import inspect
import sys
import types
import weakref
from abc import ABCMeta
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Annotated, Any, Final, Union, cast, get_args, get_origin

from sortkey.programs.code import Import, References, references_in
from sortkey.programs.members import evaluated

# Values of these have the attributes of others.
_PROXIES: Final = frozenset((object, type, Any, super, types.GenericAlias, *weakref.ProxyTypes))
# A name without a known value: a variable of the function, or one that is set later.
UNKNOWN: Final = object()


class Scope:
    """The names of a function; ``owner`` is the class whose method it is, if known."""

    def __init__(self, function: FunctionType, owner: type | None = None) -> None:
        self.function = function
        self.owner = owner
        self.failed: dict[Import, Exception] = {}

    @property
    def references(self) -> References:
        """The references in its code."""
        return references_in(self.function.__code__)

    @cached_property
    def _outer(self) -> Mapping[str, object]:
        found: dict[str, object] = {}
        cells = self.function.__closure__ or ()
        for name, cell in zip(self.function.__code__.co_freevars, cells, strict=True):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # set later
                found[name] = UNKNOWN
        return found

    @property
    def super_of(self) -> type | None:
        """The class that super() starts from."""
        around = self._outer.get("__class__")
        return around if isinstance(around, type) else self.owner

    @cached_property
    def _imported(self) -> Mapping[str, object]:
        return {name: self._import(made) for name, made in self.references.imported.items()}

    @cached_property
    def _names_of_module(self) -> frozenset[str]:
        return self.references.names_of_module

    def value(self, name: str) -> object:
        """Return the value of a name, or UNKNOWN."""
        if name in self._imported:
            return self._imported[name]
        if name in self._outer:
            return self._outer[name]
        if name in self._names_of_module:
            return self._of_module(name)
        return UNKNOWN

    @property
    def values(self) -> Iterator[tuple[object, tuple[str, ...]]]:
        """Yield each value that the function refers to, with the attributes read from it."""
        for each in self.references.of_module:
            yield self._of_module(each.name), each.attributes
        for each in self.references.of_outer:
            # From Python 3.12, methods that call super() read their class; they make no object.
            if each.name != "__class__":
                yield self.value(each.name), each.attributes

    def _of_module(self, name: str) -> object:
        known = self.function.__globals__
        return known[name] if name in known else getattr(builtins, name, UNKNOWN)

    def _import(self, made: Import) -> object:
        package = str(self.function.__globals__.get("__package__") or "")
        name = "." * made.level + made.module
        try:
            module = import_module(name, package if made.level else None)
            if made.member is None:
                return sys.modules[made.value]
            found = member_of(module, made.member)
            if found is UNKNOWN:
                return import_module(f"{module.__name__}.{made.member}")
        except Exception as error:  # noqa: BLE001 - whatever the imported module raises
            self.failed[made] = error
            return UNKNOWN
        return found


def member_of(value: object, name: str) -> object:
    """Return what a module, a class or an object holds under a name, or UNKNOWN.

    A property is not called.
    """
    if not isinstance(value, ModuleType):
        found = inspect.getattr_static(value, name, UNKNOWN)
        return found.__func__ if isinstance(found, staticmethod | classmethod) else found  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if name in vars(value):
        return vars(value)[name]
    try:  # a module may load its members when they are first used
        return getattr(value, name)
    except Exception:  # noqa: BLE001 - whatever the module raises
        return sys.modules.get(f"{value.__name__}.{name}", UNKNOWN)


def class_in(annotation: object, namespace: Mapping[str, Any]) -> type | None:
    """Return the one class that values of an annotation have, or None.

    A protocol or an abstract class says nothing about the class of a value.
    """
    annotation = evaluated(annotation, namespace)
    origin = get_origin(annotation)
    if origin is Annotated:
        return class_in(get_args(annotation)[0], namespace)
    if origin in {Union, types.UnionType}:
        found = {class_in(one, namespace) for one in get_args(annotation) if one is not type(None)}
        return found.pop() if len(found) == 1 else None
    cls = annotation if origin is None else origin
    return definite(cls) if isinstance(cls, type) else None


def _passes_on(cls: type) -> bool:
    # Classes in C have a __getattribute__ too, which is not a function.
    own = vars(cls).get("__getattribute__")
    return "__getattr__" in vars(cls) or isinstance(own, FunctionType)


def definite(cls: type) -> type | None:
    """Return a class if it says which attributes its values have, else None."""
    # Other classes may be registered as subclasses of an abstract class.
    if cls in _PROXIES or type(cls) is ABCMeta:
        return None
    is_protocol = getattr(cast("Any", cls), "_is_protocol", False)
    # It may pass everything on to another object; a model does not.
    passing = (one.__module__ for one in cls.__mro__ if _passes_on(one))
    passes_on = any(not module.startswith(("pydantic.", "sortkey.")) for module in passing)
    return None if is_protocol or passes_on else cls
