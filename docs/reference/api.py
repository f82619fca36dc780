"""The page of the public names, with their signatures as the source writes them."""

import ast
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import cleandoc
from types import ModuleType
from typing import Any

import sortkey
from sortkey.errors import SortkeyError

# Values that are no class or function, and so have no docstring.
VALUES: Mapping[str, str] = {
    "TTL": "When DynamoDB may remove the record, to the second; from then on it counts as absent.",
    "Version": "The number that each write checks and raises: 0 until the record is stored.",
    "CreatedAt": "When the record was created.",
    "UpdatedAt": "When the record was last written.",
    "EpochSeconds": "A time that is stored as a number: whole seconds since 1970.",
    "WholeSeconds": "A time that is stored as text with whole seconds.",
    "unique": "Marks a field whose value no two records share: `Annotated[str, unique]`.",
    "immutable": "Marks a field that never changes once it is written.",
    "secret": "Marks a field that is encrypted before it is stored.",
    "Observer": "What is told of each call: a function of a `Call`.",
}
# Where a name lives says what it is about.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Databases": ("sortkey.access.db", "sortkey.access.async_db", "sortkey.access.aws_lambda"),
    "Tables and their settings": ("sortkey.design.table", "sortkey.design.settings"),
    "Entities": (
        "sortkey.design.entity",
        "sortkey.design.marks",
        "sortkey.design.codecs",
        "sortkey.design.expectations",
        "sortkey.design.claim",
        "sortkey.design.collection",
    ),
    "Conditions": ("sortkey.design.conditions",),
    "Patterns and designs": (
        "sortkey.design.pattern",
        "sortkey.design.invariant",
        "sortkey.design.roles",
        "sortkey.design.design",
        "sortkey.design.loader",
        "sortkey.design.raw.pattern",
        "sortkey.design.raw.request",
    ),
    "Operations": ("sortkey.operations",),
    "Secrets": ("sortkey.access.secrets", "sortkey.design.reencrypting"),
    "Streams": ("sortkey.access.streams",),
    "Observing, retries and connections": ("sortkey.access",),
}
_WIDTH = 88
# What sortkey itself calls to run an operation.
MACHINERY = frozenset(
    {
        "actions",
        "conversation",
        "creation",
        "deletion",
        "earlier",
        "identity",
        "lanes",
        "of_pattern",
        "patiently",
        "place",
        "plan_of",
        "refuse_limited",
        "result",
        "some",
        "steps",
    }
)
# What the operations of an entity are, whose methods are chained to them.
OPERATIONS: Mapping[str, str] = {
    "Get": "sortkey.operations.get",
    "Query": "sortkey.operations.query",
    "Scan": "sortkey.operations.scan",
    "Put": "sortkey.operations.put",
    "Update": "sortkey.operations.update",
    "Upsert": "sortkey.operations.upsert",
    "Delete": "sortkey.operations.delete",
    "Check": "sortkey.operations.delete",
}


def api_page() -> str:
    """Every public name with its signature and its docstring."""
    return "\n".join(_lines()) + "\n"


def documented_names() -> list[str]:
    """The public names, but for errors, which have a page of their own."""
    return [name for name in sortkey.__all__ if not _is_error(getattr(sortkey, name))]


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, SortkeyError)


def _lines() -> Iterator[str]:
    yield "# Python"
    yield ""
    yield "Everything that `from sortkey import` gives, made from the code."
    yield "[Errors](errors.md) have a page of their own;"
    yield "the [guides](../guides/data-access.md) show how it goes together."
    remaining = dict.fromkeys(documented_names())
    for title, homes in GROUPS.items():
        names = [name for name in remaining if _home(name).startswith(homes)]
        yield from ("", f"## {title}")
        for name in names:
            del remaining[name]
            yield from _name(name, getattr(sortkey, name))
        if title == "Operations":
            for name, home in OPERATIONS.items():
                yield from _name(name, getattr(import_module(home), name))


@cache
def _homes() -> dict[str, str]:
    """The module that each public name comes from."""
    return {
        alias.name: node.module
        for node in ast.walk(_tree(sortkey))
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }


def _home(name: str) -> str:
    return _homes()[name]


def _name(name: str, value: Any) -> Iterator[str]:
    yield from ("", f"### {name}")
    if name in VALUES:
        yield from ("", VALUES[name])
        return
    node = _node(sys.modules[value.__module__], value.__name__)
    if isinstance(node, ast.ClassDef):
        # Nobody makes an operation but by asking an entity for it.
        yield from _fenced(_class_signature(node)) if name not in OPERATIONS else ()
        yield from _class(value)
    else:
        yield from _fenced(_function_signature(node))
        yield from _doc(value)


def _class(value: type) -> Iterator[str]:
    yield from _doc(value)
    rows = [
        f"| `{name}` | {_first(method)} |".replace("``", "`") for name, method in _methods(value)
    ]
    if rows:
        yield from ("", "| | |", "|---|---|", *rows)


def _class_signature(node: ast.ClassDef) -> str:
    """How the class is called, or declared where it is subclassed."""
    functions = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    if "__init_subclass__" in functions:
        declared = _parameters(functions["__init_subclass__"].args, is_method=True)
        return _called(f"class My{node.name}", [node.name, *(d for d in declared if d != "*")])
    if "__init__" in functions:
        return _called(node.name, _parameters(functions["__init__"].args, is_method=True))
    fields = [ast.unparse(each) for each in node.body if _is_field(each)]
    return _called(node.name, fields)


def _is_field(node: ast.stmt) -> bool:
    if not isinstance(node, ast.AnnAssign) or ast.unparse(node.target).startswith("_"):
        return False
    return not ast.unparse(node.annotation).startswith("ClassVar")


def _methods(value: type) -> Iterator[tuple[str, str]]:
    """The public methods with their docstrings, inherited ones after its own."""
    seen: set[str] = set()
    for base in value.__mro__:
        node = _node(sys.modules[base.__module__], base.__name__) if _is_ours(base) else None
        for each in node.body if isinstance(node, ast.ClassDef) else ():
            for name, shown, doc in _member(base, each):
                if name not in seen | MACHINERY and not name.startswith("_") and doc:
                    seen.add(name)
                    yield shown.replace("|", "\\|"), doc


def _is_ours(base: type) -> bool:
    return base.__module__.startswith("sortkey.")


def _member(base: type, node: ast.stmt) -> Iterator[tuple[str, str, str]]:
    """A method or property, or what can be called on a class and on a record alike."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, _shown(node), ast.get_docstring(node) or ""
        case ast.AnnAssign(target=ast.Name(id=name)) if not _is_field(node) and name in vars(base):
            yield name, name, type(vars(base)[name]).__doc__ or ""
        case _:
            pass


def _shown(method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    marks = {ast.unparse(mark) for mark in method.decorator_list}
    if marks & {"property", "cached_property"}:
        return method.name
    call = f"{method.name}({', '.join(_parameters(method.args, is_method=True))})"
    if not isinstance(method, ast.AsyncFunctionDef):
        return call
    is_walk = any(isinstance(node, ast.Yield) for node in ast.walk(method))
    return f"async for ... in {call}" if is_walk else f"await {call}"


def _function_signature(node: ast.FunctionDef) -> str:
    given = "" if node.returns is None else f" -> {_type_text(node.returns)}"
    return f"{_called(node.name, _parameters(node.args))}{given}"


def _called(name: str, parameters: list[str]) -> str:
    """A call, in several lines where it would be too long for one."""
    line = f"{name}({', '.join(parameters)})"
    if len(line) <= _WIDTH:
        return line
    return "\n".join((f"{name}(", *(f"    {each}," for each in parameters), ")"))


def _parameters(arguments: ast.arguments, *, is_method: bool = False) -> list[str]:
    """The parameters as the source writes them; without the first of a method."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    shown = [_parameter(each, default) for each, default in zip(plain, defaults, strict=True)]
    if is_method:
        shown = shown[1:]
    if arguments.vararg is not None:
        shown.append(f"*{_parameter(arguments.vararg, None)}")
    elif arguments.kwonlyargs:
        shown.append("*")
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    shown += [_parameter(each, default) for each, default in named]
    if arguments.kwarg is not None:
        shown.append(f"**{_parameter(arguments.kwarg, None)}")
    return shown


def _parameter(each: ast.arg, default: ast.expr | None) -> str:
    kind = "" if each.annotation is None else f": {_type_text(each.annotation)}"
    equals = " = " if kind else "="
    return f"{each.arg}{kind}" + ("" if default is None else f"{equals}{ast.unparse(default)}")


def _type_text(annotation: ast.expr) -> str:
    """A type, out of the quotes in which it may stand."""
    match annotation:
        case ast.Constant(value=str(text)):
            return text
        case _:
            return ast.unparse(annotation)


def _tree(module: ModuleType) -> ast.Module:
    return _parsed(inspect.getsource(module))


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _node(module: ModuleType, name: str) -> ast.ClassDef | ast.FunctionDef:
    for node in _tree(module).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node
    raise LookupError(f"{module.__name__} does not define {name}")


def _fenced(text: str) -> Iterable[str]:
    return ("", "```python", text, "```")


def _doc(value: Any) -> Iterator[str]:
    for paragraph in cleandoc(value.__doc__ or "").split("\n\n"):
        yield from ("", " ".join(paragraph.split()).replace("``", "`"))


def _first(doc: str) -> str:
    return " ".join(cleandoc(doc).partition("\n\n")[0].split()).replace("|", "\\|")
