"""The classes of values in a function, as far as its source and its annotations say.

A class that is known keeps methods of one name apart: ``orders.delete()`` is no method of another
class. Without one, a method of any class counts.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import FunctionType, ModuleType

from sortkey.design.declaring.pattern import Pattern
from sortkey.programs.members import annotations_of
from sortkey.programs.scope import UNKNOWN, Scope, class_in, definite, member_of
from sortkey.programs.source import Node, body_of, source_of

# Classes can refer to each other's attributes in circles.
_DEEPEST = 8
_NAMESPACES = (type, ModuleType, FunctionType)


class Types:
    """The classes of the expressions in a function."""

    def __init__(self, scope: Scope, node: Node, depth: int = 0) -> None:
        self._scope = scope
        self._node = node
        self._depth = depth
        self._known: dict[str, type] | None = None

    def value(self, expression: ast.expr) -> object:
        """Return the value of an expression if it is known without a call, or UNKNOWN."""
        match expression:
            case ast.Name(id=name):
                return UNKNOWN if name in self._bound else self._scope.value(name)
            case ast.Attribute(value=inner, attr=name):
                held = self.value(inner)
                found = UNKNOWN if held is UNKNOWN or held is None else member_of(held, name)
                # A property or another descriptor: its value is computed.
                is_computed = hasattr(type(found), "__get__") and not callable(found)
                return UNKNOWN if is_computed else found
            case _:
                return UNKNOWN

    def class_of(self, expression: ast.expr) -> type | None:
        """Return the class of an expression's value, or None if it is not known."""
        known = self.value(expression)
        if known is not UNKNOWN and known is not None:
            # The attributes of a class or a module say nothing about its own class.
            return None if isinstance(known, _NAMESPACES) else definite(type(known))
        match expression:
            case ast.Name(id=name):
                return self._locals.get(name)
            case ast.Call(func=called):
                return self._returned(called, expression)
            case ast.Attribute(value=inner, attr=name):
                owner = self.class_of(inner)
                return None if owner is None else attribute_type(owner, name, self._depth + 1)
            case ast.Await(value=inner) | ast.NamedExpr(value=inner):
                return self.class_of(inner)
            case _:
                return None

    def _returned(self, called: ast.expr, call: ast.Call) -> type | None:
        """Return the class of what a call returns."""
        function = self.value(called)
        if isinstance(function, type):
            return definite(function)
        if function is UNKNOWN and isinstance(called, ast.Attribute):
            owner = self.class_of(called.value)
            function = UNKNOWN if owner is None else member_of(owner, called.attr)
        if isinstance(function, FunctionType):
            return class_in(annotations_of(function).get("return"), function.__globals__)
        database = self.class_of(called)
        if database is not None and database.__module__.startswith("sortkey.access."):
            return self._read(call)
        return None

    def _read(self, call: ast.Call) -> type | None:
        """Return the class of what a database returns for a pattern."""
        match call.args:
            case [ast.Call(func=named)]:
                pattern = self.value(named)
                return class_in(pattern.returns, {}) if isinstance(pattern, Pattern) else None
            case _:
                return None

    @cached_property
    def _bound(self) -> Mapping[str, int]:
        """The variables of the function and of those nested in it, and how often each is set."""
        found: dict[str, int] = {}
        for name in _bindings(self._node):
            found[name] = found.get(name, 0) + 1
        return found

    @property
    def _locals(self) -> dict[str, type]:
        """The variables that are set once, to a value of a known class."""
        if self._known is None:
            self._known = {}
            if self._depth <= _DEEPEST:
                self._note_all()
        return self._known

    def _note_all(self) -> None:
        arguments = self._node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        for number, each in enumerate([*positional, *arguments.kwonlyargs]):
            cls = self._parameter(each.arg, is_first=number == 0 and bool(positional))
            self._note(each.arg, cls)
        for each in ast.walk(self._node):
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._note(name, self.class_of(value))
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    self._note(name, self._annotated(annotation))
                case ast.NamedExpr(target=ast.Name(id=name), value=value):
                    self._note(name, self.class_of(value))
                case _:
                    pass

    def _note(self, name: str, cls: type | None) -> None:
        if cls is not None and self._known is not None and self._bound.get(name) == 1:
            self._known[name] = cls

    def _parameter(self, name: str, *, is_first: bool) -> type | None:
        function = self._scope.function
        owner = self._scope.owner
        if is_first and owner is not None and function is not _static(owner, function):
            return owner
        # Of a function that is nested in another, nothing is known.
        if name not in function.__code__.co_varnames:
            return None
        return class_in(annotations_of(function).get(name), function.__globals__)

    def _annotated(self, annotation: ast.expr) -> type | None:
        return class_in(ast.unparse(annotation), self._scope.function.__globals__)


def attribute_type(owner: type, name: str, depth: int = 0) -> type | None:
    """Return the class of an attribute of all records of a class, or None if it is not known."""
    for cls in owner.__mro__:
        namespace = vars(sys.modules.get(cls.__module__, ModuleType("")))
        annotations = annotations_of(cls)
        if name in annotations:
            return class_in(annotations[name], namespace)
        held = vars(cls).get(name)
        if isinstance(held, property) and isinstance(held.fget, FunctionType):
            return class_in(annotations_of(held.fget).get("return"), namespace)
    # Others may set a public attribute.
    is_own = name.startswith("_") and depth <= _DEEPEST
    return _assigned(owner, name, depth) if is_own else None


def _assigned(owner: type, name: str, depth: int) -> type | None:
    """Return the class of an attribute that one method sets: ``self.orders = orders``."""
    found: list[type | None] = []
    for cls in owner.__mro__:
        for function in vars(cls).values():
            if not isinstance(function, FunctionType):
                continue
            for node in source_of(function.__code__):
                types = Types(Scope(function, cls), node, depth)
                found += [
                    None if value is None else types.class_of(value)
                    for value in _values_of(node, name)
                ]
    return found[0] if len(found) == 1 else None


def _values_of(node: Node, name: str) -> Iterator[ast.expr | None]:
    """Yield the values that a function sets an attribute to, None for each that is not known."""
    first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    known: list[ast.expr] = []
    count = 0
    for each in (each for statement in body_of(node) for each in ast.walk(statement)):
        match each:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=own), attr=attribute)]):
                known += [each.value] if (attribute, own) == (name, first and first.arg) else []
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id=own), attr=attribute)):
                is_own = (attribute, own) == (name, first and first.arg)
                known += [each.value] if is_own and each.value is not None else []
            case ast.Attribute(ctx=ast.Store(), attr=attribute) if attribute == name:
                count += 1
            case _:
                pass
    yield from known
    yield from (None,) * (count - len(known))


def _static(owner: type, function: FunctionType) -> object:
    """Return a static method of a class by the name of a function."""
    held = vars(owner).get(function.__name__)
    return held.__func__ if isinstance(held, staticmethod) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _bindings(node: ast.AST) -> Iterator[str]:
    """Yield each variable that is set in a function or in one within it, as often as it is."""
    for each in ast.walk(node):
        match each:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if each is not node:
                    yield name
            case ast.ClassDef(name=name):
                yield name
            case _:
                pass
