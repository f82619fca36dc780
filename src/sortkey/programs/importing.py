"""The patterns that modules use when they are imported: ``CONFIG = db(config())``.

A function runs this code too, when it starts. Here only calls count, of functions by their names:
a module also refers to patterns in order to declare tables of them, and registers functions that
it does not call.
"""

import ast
import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, cast

from sortkey.design.declaring.pattern import Pattern
from sortkey.programs.members import label_of
from sortkey.programs.ownership import Ownership
from sortkey.programs.program import Use
from sortkey.programs.scope import UNKNOWN, Scope, member_of
from sortkey.programs.source import body_of, source_of, tree_of
from sortkey.programs.step import CodeStep

Lookup = Callable[[str], object]


def used_on_import(module: ModuleType, ours: Ownership) -> Iterator[Use]:
    """Yield the patterns that the import of a module uses, and of those that it imports itself."""
    seen: set[int] = set()
    modules = deque([module])
    while modules:
        one = modules.popleft()
        if id(one) in seen or not ours.of_module(one.__name__):
            continue
        seen.add(id(one))
        tree = tree_of(str(getattr(one, "__file__", "")))
        modules += _imports(tree, one)
        step = CodeStep(f"{one.__name__.rpartition('.')[2]} (import)")
        yield from _CallFollower(ours).of(tree.body, _variable_of(one), step)


class _CallFollower:
    """Follows calls, each function once."""

    def __init__(self, ours: Ownership) -> None:
        self._ours = ours
        self._seen: set[FunctionType] = set()

    def of(self, body: list[ast.stmt], lookup: Lookup, step: CodeStep) -> Iterator[Use]:
        """Yield the patterns that statements call, directly or through functions."""
        for node in _executed(body):
            for called in _called_by(node):
                value = _value(called, lookup)
                if isinstance(value, Pattern):
                    yield Use(cast("Pattern[..., Any]", value), step.chain)
                    continue
                function = getattr(value, "__init__", None) if isinstance(value, type) else value
                if isinstance(function, FunctionType) and function not in self._seen:
                    self._seen.add(function)
                    yield from self._function(function, step)

    def _function(self, function: FunctionType, step: CodeStep) -> Iterator[Use]:
        if self._ours.of_function(function):
            here = CodeStep(label_of(function), step)
            for node in source_of(function.__code__):
                yield from self.of(body_of(node), Scope(function).value, here)


def _variable_of(module: ModuleType) -> Lookup:
    return lambda name: vars(module).get(name, UNKNOWN)


def _value(node: ast.expr, lookup: Lookup) -> object:
    match node:
        case ast.Name(id=name):
            return lookup(name)
        case ast.Attribute(value=inner, attr=name):
            held = _value(inner, lookup)
            return UNKNOWN if held is UNKNOWN else member_of(held, name)
        case _:
            return UNKNOWN


def _called_by(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Call(func=called):
            yield called
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield from node.decorator_list
        case _:
            pass


def _executed(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield what runs with these statements, without the code of functions that they define."""
    nodes: deque[ast.AST] = deque(body)
    while nodes:
        node = nodes.popleft()
        yield node
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                nodes += [*node.decorator_list, *_defaults(node.args)]
            case ast.Lambda():
                nodes += _defaults(node.args)
            case ast.If(test=test, orelse=others) if _is_never(test):
                nodes += others
            case _:
                nodes += ast.iter_child_nodes(node)


def _defaults(arguments: ast.arguments) -> list[ast.expr]:
    return [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]


def _is_never(test: ast.expr) -> bool:
    """Whether a condition does not hold on import: of ``__main__``, or of type checkers."""
    match test:
        case ast.Compare(left=ast.Name(id="__name__")):
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name == "TYPE_CHECKING"
        case _:
            return False


def _imports(tree: ast.Module, module: ModuleType) -> Iterator[ModuleType]:
    """Yield the modules that a module imports, with the packages around them."""
    for node in _executed(tree.body):
        match node:
            case ast.Import(names=names):
                found = [each.name for each in names]
            case ast.ImportFrom(module=name, names=names, level=level):
                parts = module.__name__.split(".")
                is_package = hasattr(module, "__path__")
                above = parts[: len(parts) - level + is_package] if level else []
                base = ".".join((*above, *([name] if name else [])))
                found = [base, *(f"{base}.{each.name}" for each in names)]
            case _:
                continue
        for each in found:
            parts = each.split(".")
            names_around = (".".join(parts[:end]) for end in range(1, len(parts) + 1))
            yield from (sys.modules[one] for one in names_around if one in sys.modules)
