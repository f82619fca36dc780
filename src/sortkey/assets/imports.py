"""The imports in the source of a module, also those within functions, without running it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import resolve_name

_IMPORTERS = frozenset({"import_module", "__import__"})


@dataclass(frozen=True, slots=True)
class Imports:
    """What a module imports.

    ``names`` are modules, or members of modules; only the file system knows which. A module is
    ``computed`` if it imports by a name that is only known when it runs. ``words`` are all of its
    identifiers.
    """

    names: tuple[str, ...]
    computed: bool
    words: frozenset[str]


def imports_in(source: bytes, package: str, file: str) -> Imports:
    """Return the imports in a source, except those that only type checkers see.

    Relative names are resolved in ``package``.

    Raises:
        SyntaxError: It is not Python.
    """
    tree = ast.parse(source, file)
    nodes = list(_run(tree))
    found = dict.fromkeys(name for node in nodes for name in _names(node, package))
    named = [name for name in found if name]
    return Imports(tuple(named), len(named) < len(found), frozenset(_words(nodes)))


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may run."""
    yield node
    if isinstance(node, ast.If) and _is_for_checkers(node.test):
        children: Iterator[ast.AST] = iter(node.orelse)
    else:
        children = ast.iter_child_nodes(node)
    for child in children:
        yield from _run(child)


def _is_for_checkers(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _names(node: ast.AST, package: str) -> Iterator[str]:
    """Yield the names that a node imports; an empty one is computed."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = _resolved("." * node.level + (node.module or ""), package)
        if module:
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if alias.name != "*")
    elif isinstance(node, ast.Call) and _called(node.func) in _IMPORTERS:
        match node.args:
            case [ast.Constant(value=str(name)), *_]:
                yield _resolved(name, package)
            case _:
                yield ""


def _called(function: ast.expr) -> str:
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _resolved(name: str, package: str) -> str:
    """Return an absolute name, or an empty one if it leads out of the package."""
    try:
        return resolve_name(name, package)
    except ImportError:
        return ""


def _words(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.alias(name=word):
                yield word
            case ast.keyword(arg=str(word)):
                yield word
            case _:
                pass
