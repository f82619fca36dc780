"""The source of functions, as syntax trees, found by the compiled code of the function."""

import ast
import linecache
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import CodeType
from typing import TypeAlias

Node: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def source_of(code: CodeType) -> tuple[Node, ...]:
    """Return the function that was compiled, or several if they begin on one line; perhaps none."""
    return _functions(tree_of(code.co_filename)).get((code.co_name, code.co_firstlineno), ())


def body_of(node: Node) -> list[ast.stmt]:
    """Return the statements of a function."""
    return [ast.Expr(node.body)] if isinstance(node, ast.Lambda) else node.body


def elements_of(nodes: Iterable[ast.expr | None]) -> Iterator[ast.expr]:
    """Yield expressions, and the elements of those that are lists, tuples, sets or dictionaries."""
    for node in nodes:
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                yield from elements_of(elements)
            case ast.Dict(keys=keys, values=values):
                yield from elements_of([*keys, *values])
            case ast.Starred(value=inner):
                yield from elements_of([inner])
            case None:
                pass
            case _:
                yield node


def texts_of(nodes: list[ast.expr]) -> list[str] | None:
    """Return the texts that expressions are, or None if one is something else."""
    found = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return found if len(found) == len(nodes) else None


def tree_of(file: str) -> ast.Module:
    """Return the syntax tree of a file; an empty one if there is no such file."""
    linecache.checkcache(file)
    return _parsed("".join(linecache.getlines(file)))


@cache
def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@cache
def _functions(tree: ast.Module) -> Mapping[tuple[str, int], tuple[Node, ...]]:
    found: dict[tuple[str, int], tuple[Node, ...]] = {}
    for node in ast.walk(tree):
        if isinstance(node, Node):
            key = _place(node)
            found[key] = (*found.get(key, ()), node)
    return found


def _place(node: Node) -> tuple[str, int]:
    """Return the name and the first line as compiled code has them."""
    if isinstance(node, ast.Lambda):
        return "<lambda>", node.lineno
    return node.name, min([node.lineno, *(one.lineno for one in node.decorator_list)])
