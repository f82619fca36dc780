"""The classes and objects that code reaches, and which of their members it can use.

A method counts as called if its name is read from a value that may be of its class: of a value
whose class is known, from that class or one that is based on it; of any other value, from every
class that is reached. Special methods count at once, and so do the methods that bases in libraries
call. What runs when an object is made counts only if the code can make one: the name of the class
is read, or no object of it was found, so that a library must make it.
"""

import enum
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import Field
from types import ModuleType
from typing import Any, Final, Protocol, cast

from sortkey.programs.members import ANY, functions_of, held_by, is_special, methods_of
from sortkey.programs.ownership import Ownership
from sortkey.programs.step import CodeStep

# What a model says about its fields: validators, default factories, annotations.
_OF_FIELDS: Final = ("__pydantic_decorators__", "__pydantic_fields__", "__attrs_attrs__")
# What runs when an object is made.
_CONSTRUCTING: Final = ("__new__", "__init__", "__post_init__")
# Bases that only call what they declare; others may call any method, like visit_Name.
_CALLING_THEIR_OWN: Final = frozenset(
    ("builtins", "abc", "collections", "enum", "typing", "typing_extensions", "pydantic", "sortkey")
)


class Reach(Protocol):
    """Note a value that is to be walked; ``owner`` is the class of a method."""

    def __call__(self, value: object, step: CodeStep, owner: type | None = None) -> None:
        """Note it."""
        ...


class Classes:
    """The classes, objects and modules of the application that were reached so far."""

    def __init__(self, ours: Ownership, reach: Reach) -> None:
        self._ours = ours
        self._reach = reach
        self._classes: dict[type, CodeStep] = {}
        self._live: set[type] = set()
        self._constructed: set[type] = set()
        self._makes_any: CodeStep | None = None
        # The attributes of objects, by the class of the object.
        self._objects: list[tuple[type, Mapping[str, object]]] = []
        self._modules: list[ModuleType] = []
        self._names: dict[str, CodeStep] = {}
        self._typed: dict[str, list[tuple[type, CodeStep]]] = {}
        self._written: dict[str, list[tuple[type | None, CodeStep]]] = {}
        self._called: set[tuple[type, str]] = set()
        # Those whose objects are given to libraries, or to a method that may be one's.
        self._given: list[tuple[type, str, CodeStep]] = []

    def mention(self, cls: type, step: CodeStep) -> None:
        """Note a class of which there are objects, or that an annotation names."""
        if cls in self._classes or not self._ours.of_class(cls):
            return
        self._classes[cls] = step
        if self._makes_any is not None:
            self.construct(cls, self._makes_any)
        self.mention(type(cls), step)
        called = {*self._called_by_bases(cls)}
        for one in self._own(cls):
            self.mention(one, step)
            for name, held in tuple(vars(one).items()):
                if name == "__dataclass_fields__":
                    self._fields(cls, cast("Mapping[str, Field[Any]]", held), step)
                elif name in _OF_FIELDS:
                    self._reach(held, step)
                elif name in _CONSTRUCTING:
                    continue
                elif name in called or (is_special(name) and any(functions_of(held))):
                    self.reach_member(cls, name, step)
                elif (reader := self._reader(cls, name)) is not None:
                    self.reach_member(cls, name, reader)
                for owner, writer in self._written.get(name, ()):
                    self._set(cls, name, owner, writer)
        for value in _values_of(cls):
            self._reach(value, step)
        if (reader := self._reader(cls, "__subclasses__")) is not None:
            self._match(cls, "__subclasses__", reader)

    def construct(self, cls: type, step: CodeStep) -> None:
        """Reach what runs when an object of a class is made."""
        self.mention(cls, step)
        if cls not in self._constructed and self._ours.of_class(cls):
            self._constructed.add(cls)
            # Its own constructor calls those of its bases.
            for one in self._own(cls):
                for name in _CONSTRUCTING:
                    self.reach_member(one, name, step)

    def construct_others(self) -> bool:
        """Construct the classes of which no object was found: a library may make one."""
        live = {base for cls in self._live for base in cls.__mro__}
        unmade = [cls for cls in self._classes if cls not in live | self._constructed]
        for cls in unmade:
            self.construct(cls, self._classes[cls])
        return bool(unmade)

    def construct_all(self, step: CodeStep) -> None:
        """Construct every class, since an object is made of the class of another one."""
        self._makes_any = self._makes_any or step
        for cls in tuple(self._classes):
            self.construct(cls, step)

    def add_object(self, value: object, step: CodeStep) -> None:
        """Note an object of the application."""
        self._live.add(type(value))
        self.mention(type(value), step)
        self._hold(type(value), held_by(value))

    def add_module(self, module: ModuleType) -> None:
        """Note a module that is passed on, whose members count if their names are read."""
        self._modules.append(module)
        for name, step in tuple(self._names.items()):
            if name in vars(module):
                self._reach(vars(module)[name], step)

    def read(self, name: str, step: CodeStep) -> None:
        """Note a name that is read from a value of an unknown class."""
        if name in self._names or name in _CONSTRUCTING:
            return
        self._names[name] = step
        for cls in tuple(self._classes):
            self._match(cls, name, step)
        for _, held in tuple(self._objects):
            if name in held:
                self._reach(held[name], step)
        for module in tuple(self._modules):
            if name in vars(module):
                self._reach(vars(module)[name], step)

    def read_of(self, owner: type, name: str, step: CodeStep) -> None:
        """Note a name that is read from a value of a class, or of a class that is based on it."""
        self.mention(owner, step)
        if name in _CONSTRUCTING:
            return
        self._typed.setdefault(name, []).append((owner, step))
        for cls in tuple(self._classes):
            if owner in cls.__mro__:
                self._match(cls, name, step)
        for cls, held in tuple(self._objects):
            for each in held if owner in cls.__mro__ else ():
                if name in {each, ANY}:
                    self._reach(held[each], step)

    def write(self, owner: type | None, name: str, step: CodeStep) -> None:
        """Note a name that is set, of a value of a class or of an unknown one."""
        self._written.setdefault(name, []).append((owner, step))
        for cls in tuple(self._classes):
            self._set(cls, name, owner, step)

    def _set(self, cls: type, name: str, owner: type | None, step: CodeStep) -> None:
        """Reach a property or another descriptor that is called when its attribute is set."""
        if owner is None or owner in cls.__mro__:
            held: object = inspect.getattr_static(cls, name, None)
            if hasattr(type(held), "__set__"):
                self.reach_member(cls, name, step)

    def reach_member(self, cls: type, name: str, step: CodeStep) -> None:
        """Reach the member of a class; what it replaces is a member of another class."""
        one = next((one for one in self._own(cls) if name in vars(one)), None)
        if one is None:
            return
        self._called.add((cls, name))
        held = vars(one)[name]
        functions = [*functions_of(held)]
        for function in functions:
            self._reach(function, step, one)
        if not functions:
            self._reach(held, step)
        if isinstance(held, classmethod):
            self.construct(cls, step)

    def give(self, cls: type, method: str, step: CodeStep) -> None:
        """Note a class whose objects are given to a library, or to a method that may be one's."""
        self._given.append((cls, method, step))

    def reach_given(self) -> bool:
        """Reach the methods of objects of which only a library can call any."""
        before = len(self._called)
        for cls, step in self._given_for_good():
            methods = {name for one in self._own(cls) for name in methods_of(one)}
            if not any((cls, name) in self._called for name in methods):
                for name in methods:
                    self.reach_member(cls, name, step)
        return len(self._called) > before

    def uncalled(self) -> Iterator[tuple[type, str, CodeStep]]:
        """Yield the methods that a library may call, and the application does not."""
        for cls, step in self._given_for_good():
            for name in dict.fromkeys(name for one in self._own(cls) for name in methods_of(one)):
                if (cls, name) not in self._called:
                    yield cls, name, step

    def declares(self, name: str) -> bool:
        """Whether a class of the application has a member with this name."""
        return any(name in vars(one) for cls in self._classes for one in self._own(cls))

    def _given_for_good(self) -> list[tuple[type, CodeStep]]:
        """Return the classes of objects that are given to libraries, not to the application."""
        called = {name for _, name in self._called}
        return [(cls, step) for cls, method, step in self._given if method not in called]

    def _fields(self, cls: type, fields: Mapping[str, Field[Any]], step: CodeStep) -> None:
        """Reach what makes default values, and the values as attributes."""
        for each in fields.values():
            self._reach(each.default_factory, step)
        self._hold(cls, {name: each.default for name, each in fields.items()})

    def _hold(self, cls: type, held: Mapping[str, object]) -> None:
        """Note the attributes of an object of a class, of which those count that are read."""
        self._objects.append((cls, held))
        for name, each in held.items():
            if (reader := self._reader(cls, name)) is not None:
                self._reach(each, reader)

    def _match(self, cls: type, name: str, step: CodeStep) -> None:
        if name == "__subclasses__":
            for each in type.__subclasses__(cls):
                self._reach(each, step)
        members = [each for one in self._own(cls) for each in vars(one) if not is_special(each)]
        for each in members if name == ANY else (name,):
            self.reach_member(cls, each, step)

    def _reader(self, cls: type, name: str) -> CodeStep | None:
        """Return the first function that reads a name from a value that may be of a class."""
        typed = (*self._typed.get(name, ()), *self._typed.get(ANY, ()))
        return self._names.get(name) or next((s for t, s in typed if t in cls.__mro__), None)

    def _own(self, cls: type) -> Iterator[type]:
        """Yield the classes of the application among a class and its bases."""
        return (one for one in cls.__mro__ if self._ours.of_class(one))

    def _called_by_bases(self, cls: type) -> Iterator[str]:
        """Yield the methods that the code of its bases in libraries may call."""
        for base in (one for one in cls.__mro__ if not self._ours.of_class(one)):
            if base.__module__.partition(".")[0] in _CALLING_THEIR_OWN:
                yield from vars(base)
            else:
                yield from (name for one in self._own(cls) for name in methods_of(one))


def _values_of(cls: type) -> list[object]:
    """Return the values of the members of an enumeration."""
    return [member.value for member in cls] if issubclass(cls, enum.Enum) else []
