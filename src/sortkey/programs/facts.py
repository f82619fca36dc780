"""Facts about the code of a function that its compiled code does not show."""

import ast
import builtins
import importlib
import inspect
import operator
import pkgutil
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from importlib import metadata
from types import FunctionType, ModuleType
from typing import Any, Final, cast

from sortkey.design.declaring.collection import Collection
from sortkey.design.declaring.entity import Entity
from sortkey.operations.batch import get_many, write_many
from sortkey.programs.members import ANY
from sortkey.programs.ownership import Ownership
from sortkey.programs.scope import UNKNOWN, Scope
from sortkey.programs.source import Node, body_of, elements_of, source_of, texts_of
from sortkey.programs.types_of import Types

# Functions that look attributes up by names, with the number of arguments before the names.
_BY_NAME: Final = {getattr: 1, operator.attrgetter: 0, operator.methodcaller: 0}
_IMPORTING: Final = (importlib.import_module, builtins.__import__, pkgutil.resolve_name)
_COMPUTED: Final = {
    eval: "runs text as code",
    exec: "runs text as code",
    runpy.run_module: "runs a module",
    runpy.run_path: "runs a file",
    metadata.entry_points: "loads what other packages name",
    globals: "reads variables by computed names",
    vars: "reads attributes by computed names",
    inspect.getmembers: "reads attributes by computed names",
    inspect.getattr_static: "reads attributes by computed names",
}
_DYNAMIC: Final = (*_BY_NAME, *_IMPORTING, *_COMPUTED)
_BY_COMPUTED_NAME = "reads an attribute by a computed name"
# What records and classes of records return operations for.
_OF_RECORDS = frozenset(
    ("get", "get_by", "query", "scan", "upsert", "create", "put", "replace", "update", "delete")
) | {"erase", "check", "take", "finish", "release", "load"}
# Without arguments, few other objects have these.
_OF_ANYTHING = frozenset({"create", "put", "update", "delete", "erase"})
_BATCHES = frozenset({"get_many", "write_many"})
_CLIENTS = frozenset({"client", "resource", "create_client"})
# Libraries that call no methods of the objects that they are given, or only special ones.
_HARMLESS = frozenset({"builtins", "typing", "dataclasses"})


@dataclass(slots=True)
class SourceFacts:
    """What the source of a function says beside its names.

    ``attributes`` are read from values of unknown classes, and ``typed`` from values of a class.
    ``given`` has the classes of the objects that are passed to a library, each with the method that
    they are passed to if that may be the application's. ``imports`` are modules that are imported
    by their names.
    """

    attributes: set[str] = field(default_factory=set[str])
    typed: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])
    given: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])
    imports: set[str] = field(default_factory=set[str])
    # The attributes that are set or deleted, of values of a class or of an unknown one.
    written: set[tuple[type | None, str]] = field(default_factory=set[tuple[type | None, str]])
    # Whether an object is made of the class of another one.
    makes_any: bool = False
    # What cannot be judged, with the line.
    unjudged: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    # Calls such as ``user.delete()``, of values that may be records.
    perhaps: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


def facts_of(scope: Scope, ours: Ownership) -> SourceFacts:
    """Return the facts about a function; without its source, those of its names alone."""
    nodes = source_of(scope.function.__code__)
    if not nodes:
        return _without_source(scope)
    found = SourceFacts()
    for node in nodes:
        _Reading(scope, node, ours, found).read()
    return found


def _without_source(scope: Scope) -> SourceFacts:
    """Every attribute counts for values of all classes."""
    if is_generated(scope.function, scope.owner):
        # It compares, hashes and shows the fields, and calls none.
        return SourceFacts()
    line = scope.function.__code__.co_firstlineno
    names = scope.references.names_of_module
    dynamic = [name for name in names if _is_in(scope.value(name), _DYNAMIC)]
    found = SourceFacts(attributes=set(scope.references.attributes))
    found.unjudged += [(f"calls {name}, and its source is missing", line) for name in dynamic]
    for value, attributes in scope.values:
        if isinstance(value, type) and issubclass(value, Entity | Collection):
            used = next(iter(attributes), "")
            if used in _OF_RECORDS:
                what = f"runs {value.__name__}.{used} outside of a pattern"
                found.unjudged.append((what, line))
    # Code that other code generated declares what it does in other ways.
    if not scope.function.__code__.co_filename.startswith("<"):
        found.unjudged.append(("has no source here that shows its operations", line))
    return found


def is_generated(function: FunctionType, owner: type | None) -> bool:
    """Whether it is a method that was generated for a dataclass."""
    is_special = function.__name__.startswith("__") and function.__code__.co_filename == "<string>"
    return is_special and owner is not None and is_dataclass(owner)


class _Reading:
    def __init__(self, scope: Scope, node: Node, ours: Ownership, found: SourceFacts) -> None:
        self._types = Types(scope, node)
        self._super_of = scope.super_of
        self._node = node
        self._ours = ours
        self._found = found
        # The functions of calls whose names are known.
        self._plain: set[ast.expr] = set()

    def read(self) -> None:
        """Collect the facts about all that the function contains."""
        nodes = [each for statement in body_of(self._node) for each in ast.walk(statement)]
        for each in nodes:
            if isinstance(each, ast.Call):
                self._call(each)
            elif isinstance(each, ast.Compare):
                # Whether there is such a module, and not the module.
                self._plain.update(each.comparators)
        for each in nodes:
            if isinstance(each, ast.Attribute):
                self._attribute(each)
            elif isinstance(each, ast.MatchClass):
                self._matched(each)
            elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
                self._dynamic(each, self._types.value(each))
            elif isinstance(each, ast.Subscript):
                self._members(each.value, each.lineno)

    def _matched(self, node: ast.MatchClass) -> None:
        """Note the attributes that a pattern of a `match` statement reads."""
        cls = self._types.value(node.cls)
        known = inspect.getattr_static(cls, "__match_args__", ())
        self._found.attributes.update(node.kwd_attrs)
        if node.patterns and isinstance(known, tuple):
            self._found.attributes.update(map(str, cast("tuple[object, ...]", known)))

    def _attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._found.written.add((self._types.class_of(node.value), node.attr))
            return
        self._dynamic(node, self._types.value(node))
        held, name = self._types.value(node.value), node.attr
        if isinstance(held, ModuleType | FunctionType):
            return
        if self._is_super(node.value):
            self._of_bases(node)
            return
        cls = held if isinstance(held, type) else self._types.class_of(node.value)
        if cls is None:
            self._found.attributes.add(name)
            return
        if self._ours.of_class(cls):
            self._found.typed.add((cls, name))
        self._operation(cls.__mro__, name, node.lineno)

    def _of_bases(self, node: ast.Attribute) -> None:
        bases = () if self._super_of is None else self._super_of.__mro__[1:]
        self._found.typed.update((one, node.attr) for one in bases if self._ours.of_class(one))
        if bases:
            self._operation(bases, node.attr, node.lineno)
        else:
            self._found.attributes.add(node.attr)

    def _is_super(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=called):
                return self._types.value(called) is super
            case _:
                return False

    def _operation(self, classes: Sequence[type], name: str, line: int) -> None:
        """Note an operation of a record unless the application's own class has replaced it."""
        owner = next((one for one in classes if name in vars(one)), object)
        is_of_record = name in _OF_RECORDS and issubclass(classes[0], Entity | Collection)
        if is_of_record and owner.__module__.startswith("sortkey."):
            what = f"runs {classes[0].__name__}.{name} outside of a pattern"
            self._found.unjudged.append((what, line))

    def _call(self, call: ast.Call) -> None:
        function = self._types.value(call.func)
        match call.func:
            case ast.Attribute(attr=name) if name in _CLIENTS:
                given = [one.value for one in call.keywords if one.arg == "service_name"]
                if texts_of([*call.args, *given][:1]) == ["dynamodb"]:
                    self._note("sends requests to DynamoDB without sortkey", call)
            case ast.Attribute(value=inner, attr=name) if name in _BATCHES:
                self._batch(name, self._types.class_of(inner), call)
            case ast.Attribute(value=ast.Attribute(attr="__dict__") as inner, attr=name):
                if name in {"get", "items", "values", "pop"}:
                    self._members(inner, call.lineno)
            case ast.Attribute(value=inner, attr=name) if name in _OF_ANYTHING:
                if self._is_unknown(inner) and not call.args and not call.keywords:
                    self._found.perhaps.append((name, call.lineno))
            case _:
                pass
        match call.func:
            case ast.Attribute(attr="__class__"):
                self._found.makes_any = True
            case ast.Call(func=inner) if self._types.value(inner) is type:
                self._found.makes_any = True
            case _:
                self._found.makes_any |= function is replace
        if _is_in(function, (get_many, write_many)):
            self._batch(getattr(function, "__name__", ""), None, call)
        self._named(function, call)
        self._given(function, call)

    def _is_unknown(self, node: ast.expr) -> bool:
        return self._types.value(node) is UNKNOWN and self._types.class_of(node) is None

    def _batch(self, name: str, owner: type | None, call: ast.Call) -> None:
        if owner is None or owner.__module__.startswith("sortkey."):
            self._note(f"calls {name}, whose batches no pattern declares", call)

    def _named(self, function: object, call: ast.Call) -> None:
        """Note the attributes and modules that a call looks up by their names."""
        if _is_in(function, tuple(_BY_NAME)):
            before = next(count for known, count in _BY_NAME.items() if known is function)
            last = None if function is operator.attrgetter else before + 1
            texts = texts_of(call.args[before:last])
            if texts:
                self._plain.add(call.func)
                self._found.attributes |= {part for text in texts for part in text.split(".")}
            elif before and call.args:
                self._computed(call)
        elif _is_in(function, _IMPORTING):
            texts = texts_of(call.args[:1])
            if texts and not texts[0].startswith("."):
                self._plain.add(call.func)
                self._found.imports.update(texts)

    def _computed(self, call: ast.Call) -> None:
        """Note every attribute of a class if a computed name is read from a value of it."""
        held = self._types.value(call.args[0])
        cls = held if isinstance(held, type) else self._types.class_of(call.args[0])
        if cls is not None and self._ours.of_class(cls):
            self._found.typed.add((cls, ANY))
            self._plain.add(call.func)
        elif self._is_foreign(held):
            self._plain.add(call.func)

    def _dynamic(self, node: ast.expr, value: object) -> None:
        """Note a function that looks something up by a name that is not known."""
        if node in self._plain:
            return
        if value is sys.modules:
            self._note("reads modules by computed names", node)
        elif not _is_in(value, _DYNAMIC):
            return
        elif _is_in(value, _IMPORTING):
            self._note("imports a module by a computed name", node)
        else:
            known = (what for each, what in _COMPUTED.items() if each is value)
            self._note(next(known, _BY_COMPUTED_NAME), node)

    def _members(self, node: ast.expr, line: int) -> None:
        if isinstance(node, ast.Attribute) and node.attr == "__dict__":
            self._found.unjudged.append((_BY_COMPUTED_NAME, line))

    def _given(self, function: object, call: ast.Call) -> None:
        """Note the application's objects that are passed to a library, which may call them."""
        name = self._library_method(function, call.func)
        if name is None:
            return
        for each in elements_of([*call.args, *(one.value for one in call.keywords)]):
            value = self._types.value(each)
            cls = value if isinstance(value, type) else self._types.class_of(each)
            if cls is not None and self._ours.of_class(cls):
                self._found.given.add((cls, name))

    def _library_method(self, function: object, called: ast.expr) -> str | None:
        """Return "" for a function of a library, or the name of a method that may be of one."""
        if function is not UNKNOWN:
            return "" if self._is_foreign(function) else None
        match called:
            case ast.Attribute(value=inner, attr=name):
                owner = self._types.class_of(inner)
                if owner is None:
                    return name
                return "" if self._is_foreign(owner) else None
            case _:
                return None

    def _is_foreign(self, value: object) -> bool:
        """Whether something belongs to a library that may call what it is given."""
        module = getattr(value, "__module__", None) or getattr(type(value), "__module__", "")
        if isinstance(value, ModuleType):
            module = value.__name__
        if value is UNKNOWN or value is None or not isinstance(module, str):
            return False
        return module.partition(".")[0] not in _HARMLESS and not self._ours.of_module(module)

    def _note(self, what: str, node: ast.expr) -> None:
        self._found.unjudged.append((what, node.lineno))


def _is_in(value: object, known: tuple[Any, ...]) -> bool:
    return any(value is each for each in known)
