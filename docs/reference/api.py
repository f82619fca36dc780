"""The page of the public names, with their signatures as the source writes them."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from inspect import cleandoc
from types import ModuleType
from typing import Any, TypeVar

import sortkey
from docs.reference.types import default_text, module_tree, options, type_text
from sortkey.errors import SortkeyError

# Values that are neither a class nor a function, and so have no docstring.
VALUES: Mapping[str, str] = {
    "TTL": "The time, in whole seconds, when the record expires: it then counts as deleted, until "
    "DynamoDB deletes it.",
    "Version": "The number that each write checks and increments: 0 until the record is stored.",
    "CreatedAt": "The time when the record was created.",
    "UpdatedAt": "The time when the record was last written.",
    "EpochSeconds": "A time that is stored as a number: whole seconds since 1970.",
    "WholeSeconds": "A time that is stored as text with whole seconds.",
    "unique": "Marks a field whose value must be unique among records: `Annotated[str, unique]`.",
    "immutable": "Marks a field that cannot change after it is written.",
    "secret": "Marks a field that is encrypted before it is stored.",
    "accepts_plaintext": "Marks a secret field whose stored value may be plain text, until it is "
    "written: `Annotated[str, secret, accepts_plaintext]`.",
    "accepts_number": "Marks text that may still be stored as a number, until it is written: "
    "`Annotated[str, accepts_number]`.",
    "Observer": "A function that is called with each `Call` when it ends.",
    "CREATED": "Marks the time of creation, if its type is not `CreatedAt`.",
    "UPDATED": "Marks the time of the last write, if its type is not `UpdatedAt`.",
}
# Names are grouped by their modules.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Databases": (
        "sortkey.access.db",
        "sortkey.access.async_db",
        "sortkey.access.aws_lambda",
        "sortkey.engine",
    ),
    "Tables and their settings": ("sortkey.design.tables.table", "sortkey.design.tables.settings"),
    "Entities": (
        "sortkey.design.declaring.entity",
        "sortkey.design.declaring.fields",
        "sortkey.design.records.marks",
        "sortkey.design.records.codecs",
        "sortkey.design.tables.expectations",
        "sortkey.design.declaring.claim",
        "sortkey.design.declaring.collection",
    ),
    "Conditions": ("sortkey.design.records.conditions",),
    "Patterns and designs": (
        "sortkey.design.findings",
        "sortkey.design.declaring.pattern",
        "sortkey.design.declaring.invariant",
        "sortkey.design.declaring.roles",
        "sortkey.design.declaring.design",
        "sortkey.design.declaring.loader",
        "sortkey.design.raw.pattern",
        "sortkey.design.raw.request",
    ),
    "Functions and what they use": (
        "sortkey.design.declaring.functions",
        "sortkey.design.declaring.services",
        "sortkey.access.services",
    ),
    "Operations": ("sortkey.operations", "sortkey.clock"),
    "Secrets": ("sortkey.access.secrets", "sortkey.design.declaring.reencrypting"),
    "Streams": (
        "sortkey.access.streams",
        "sortkey.access.stream_handler",
        "sortkey.access.following",
        "sortkey.access.shard_reading",
        "sortkey.design.declaring.lease",
    ),
    "Observing, retries and connections": ("sortkey.access",),
}
_WIDTH = 88
# Users do not call these classes: an entity, a table or a function creates their instances.
MADE_BY_OTHERS = frozenset(
    {
        *("AsyncDB", "Attribute", "DB", "Engine", "Index", "KeyOf", "KmsClient", "Pattern"),
        *("BadSchedule", "Exploration", "ExplorationFailed", "Outcome"),
        *("Finding", "Missing", "RawPattern", "Relation", "Severity", "SourceLine", "Transaction"),
        *(
            "Check",
            "Delete",
            "Get",
            "GetBy",
            "Op",
            "Put",
            "Query",
            "Scan",
            "Update",
            "Upsert",
            "Write",
        ),
    }
)


def api_page() -> str:
    """Return every public name with its signature and its docstring."""
    return "\n".join(_lines()) + "\n"


def documented_names() -> list[str]:
    """Return the public names, except errors, which have a page of their own."""
    return [name for name in sortkey.__all__ if not _is_error(getattr(sortkey, name))]


def _is_error(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, SortkeyError)


def _lines() -> Iterator[str]:
    yield "# Python"
    yield ""
    yield "Every name that you can import from `sortkey`, generated from the code."
    yield "[Errors](errors.md) have a page of their own;"
    yield "the [guides](../guides/data-access.md) show how to use them."
    yield from sections(sortkey, documented_names(), GROUPS)


def sections(
    module: ModuleType, names: Iterable[str], groups: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    """Yield the names of a module with their signatures and docstrings, group by group."""
    home_of = _homes(module)
    remaining = dict.fromkeys(names)
    for title, homes in groups.items():
        yield from ("", f"## {title}")
        for name in [each for each in remaining if home_of[each].startswith(homes)]:
            del remaining[name]
            yield from _name(name, getattr(module, name))


@cache
def _homes(module: ModuleType) -> dict[str, str]:
    """Return the home of each name that a module exports."""
    return {
        alias.name: node.module
        for node in ast.walk(module_tree(module))
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
    }


def _name(name: str, value: Any) -> Iterator[str]:
    yield from ("", f"### {name}")
    if name in VALUES:
        yield from ("", VALUES[name])
        return
    home = sys.modules[value.__module__]
    first, *others = _nodes(home, value.__name__)
    if isinstance(first, ast.ClassDef):
        yield from _fenced(_class_signature(first, home)) if name not in MADE_BY_OTHERS else ()
        yield from _class(value)
    else:
        # The last definition of an overloaded function is its implementation.
        declared = [node for node in (first, *others) if isinstance(node, ast.FunctionDef)]
        overloads = declared[:-1] or declared
        yield from _fenced("\n".join(_function_signature(node, home) for node in overloads))
        yield from _doc(value)
        yield from _type_variables(overloads, home)


def _type_variables(nodes: Iterable[ast.FunctionDef], home: ModuleType) -> Iterator[str]:
    """Yield what the type variables of these signatures stand for, if not for any type."""
    found = [each for node in nodes for each in ast.walk(node.args) if isinstance(each, ast.Name)]
    for name in dict.fromkeys(each.id for each in found):
        variable = vars(home).get(name)
        if not isinstance(variable, TypeVar):
            continue
        kinds = [f"`{kind.__name__}`" for kind in variable.__constraints__]
        if kinds:
            yield from ("", f"`{name}` is one of {', '.join(kinds[:-1])} and {kinds[-1]}.")
        elif isinstance(variable.__bound__, type):
            yield from ("", f"`{name}` is an instance of `{variable.__bound__.__name__}`.")


def _class(value: type) -> Iterator[str]:
    yield from _doc(value)
    if fields := list(_fields(value)):
        yield from ("", f"Fields: {', '.join(f'`{field}`' for field in fields)}.")
    rows = [
        f"| `{name}` | {_first(method)} |".replace("``", "`") for name, method in _methods(value)
    ]
    if rows:
        yield from ("", "| | |", "|---|---|", *rows)
    settings = [row for base in value.__mro__ if _is_ours(base) for row in _settings(base)]
    if settings:
        yield from ("", "Settings:", "", "| | |", "|---|---|", *dict.fromkeys(settings))


def _fields(value: type) -> Iterator[str]:
    """The public fields that are not arguments, since applications read and do not make them."""
    if issubclass(value, Enum):
        yield from value.__members__
    is_made = value.__name__ not in MADE_BY_OTHERS
    for base in filter(_is_ours, value.__mro__):
        home = sys.modules[base.__module__]
        for node in _node(home, base.__name__).body:
            match node:
                case ast.AnnAssign(target=ast.Name(id=name)) if not name.startswith("_"):
                    kind = type_text(node.annotation, home)
                    if kind is not None and not (is_made and _is_field(node)):
                        yield f"{name}: " + re.sub(r"^ClassVar\[(.*)\]$", r"\1", kind)
                case _:
                    pass


def _settings(base: type) -> Iterator[str]:
    """A row for each option that methods of a class take as ``**settings``."""
    home = sys.modules[base.__module__]
    for method in ast.walk(_node(home, base.__name__)):
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_"):
            kwarg = method.args.kwarg
            if kwarg is not None and kwarg.annotation is not None:
                for name, kind, meaning in options(kwarg.annotation, home):
                    shown = kind.replace("|", "\\|")
                    yield f"| `{name}: {shown}` | {meaning} |"


def _class_signature(node: ast.ClassDef, home: ModuleType) -> str:
    """How the class is called, or declared where it is subclassed."""
    functions = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
    if "__init_subclass__" in functions:
        declared = _parameters(functions["__init_subclass__"].args, home, is_method=True)
        return _called(f"class My{node.name}", [node.name, *(d for d in declared if d != "*")])
    if "__init__" in functions:
        return _called(node.name, _parameters(functions["__init__"].args, home, is_method=True))
    fields = (_field(each, home) for each in node.body if isinstance(each, ast.AnnAssign))
    return _called(node.name, [field for field in fields if field is not None])


def _positional(node: ast.AnnAssign, home: ModuleType) -> str | None:
    """Return a private field without a default, which is passed by position."""
    kind = type_text(node.annotation, home)
    if node.value is not None or kind is None or kind.startswith("ClassVar"):
        return None
    return f"{ast.unparse(node.target).strip('_')}: {kind.removesuffix('_co')}, /"


def _field(node: ast.AnnAssign, home: ModuleType) -> str | None:
    if not _is_field(node):
        return _positional(node, home)
    return _parameter(ast.arg(ast.unparse(node.target), node.annotation), node.value, home)


def _is_field(node: ast.stmt) -> bool:
    if not isinstance(node, ast.AnnAssign) or ast.unparse(node.target).startswith("_"):
        return False
    return not ast.unparse(node.annotation).startswith("ClassVar")


def _methods(value: type) -> Iterator[tuple[str, str]]:
    """Yield the public methods with their docstrings, inherited ones last."""
    seen: set[str] = set()
    for base in value.__mro__:
        node = _node(sys.modules[base.__module__], base.__name__) if _is_ours(base) else None
        for each in node.body if isinstance(node, ast.ClassDef) else ():
            for name, shown, doc in _member(base, each):
                if name not in seen and not name.startswith("_") and doc:
                    seen.add(name)
                    yield shown.replace("|", "\\|"), doc


def _is_ours(base: type) -> bool:
    return base.__module__.startswith("sortkey.")


def _member(base: type, node: ast.stmt) -> Iterator[tuple[str, str, str]]:
    """Yield a method, a property, or a call that a class and its records share."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            home = sys.modules[base.__module__]
            yield name, _shown(node, home), ast.get_docstring(node) or ""
        case ast.AnnAssign(target=ast.Name(id=name)) if not _is_field(node) and name in vars(base):
            yield name, name, type(vars(base)[name]).__doc__ or ""
        case _:
            pass


def _shown(method: ast.FunctionDef | ast.AsyncFunctionDef, home: ModuleType) -> str:
    marks = {ast.unparse(mark) for mark in method.decorator_list}
    if marks & {"property", "cached_property"}:
        return method.name
    call = f"{method.name}({', '.join(_parameters(method.args, home, is_method=True))})"
    if not isinstance(method, ast.AsyncFunctionDef):
        return call
    is_walk = any(isinstance(node, ast.Yield) for node in ast.walk(method))
    return f"async for ... in {call}" if is_walk else f"await {call}"


def _function_signature(node: ast.FunctionDef, home: ModuleType) -> str:
    parameters = _parameters(node.args, home)
    if node.args.kwarg is not None and node.args.kwarg.annotation is not None:
        listed = [f"{n}: {kind} = ..." for n, kind, _ in options(node.args.kwarg.annotation, home)]
        parameters = [*parameters[:-1], *listed] if listed else parameters
    result = None if node.returns is None else type_text(node.returns, home)
    if result is not None and _is_for_a_block(node):
        result = result.replace("Generator", "AbstractContextManager")
    return f"{_called(node.name, parameters)}" + ("" if result is None else f" -> {result}")


def _is_for_a_block(node: ast.FunctionDef) -> bool:
    return "contextmanager" in map(ast.unparse, node.decorator_list)


def _called(name: str, parameters: list[str]) -> str:
    """Return a call, on several lines if it is too long for one."""
    line = f"{name}({', '.join(parameters)})"
    if len(line) <= _WIDTH:
        return line
    return "\n".join((f"{name}(", *(f"    {each}," for each in parameters), ")"))


def _parameters(
    arguments: ast.arguments, home: ModuleType, *, is_method: bool = False
) -> list[str]:
    """The parameters without the first of a method, and without those that only sortkey gives."""
    plain = [*arguments.posonlyargs, *arguments.args][is_method:]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    shown = [_parameter(each, default, home) for each, default in zip(plain, defaults, strict=True)]
    if positional := len(arguments.posonlyargs[is_method:]):
        shown.insert(positional, "/")
    if arguments.vararg is not None:
        shown.append(f"*{_parameter(arguments.vararg, None, home)}")
    elif arguments.kwonlyargs:
        shown.append("*")
    named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    shown += [_parameter(each, default, home) for each, default in named]
    if arguments.kwarg is not None:
        kind = arguments.kwarg.annotation
        is_listed = kind is not None and any(options(kind, home))
        kwarg = ast.arg(arguments.kwarg.arg) if is_listed else arguments.kwarg
        shown.append(f"**{_parameter(kwarg, None, home)}")
    return [each for each in shown if each is not None]


def _parameter(each: ast.arg, default: ast.expr | None, home: ModuleType) -> str | None:
    kind = None if each.annotation is None else type_text(each.annotation, home)
    if each.annotation is not None and kind is None and default is not None:
        return None
    equals = " = " if kind else "="
    given = "" if default is None else f"{equals}{default_text(default, home)}"
    return f"{each.arg}{'' if kind is None else f': {kind}'}{given}"


def _node(module: ModuleType, name: str) -> ast.ClassDef | ast.FunctionDef:
    return _nodes(module, name)[0]


def _nodes(module: ModuleType, name: str) -> list[ast.ClassDef | ast.FunctionDef]:
    """Return the definitions of a name: several if it is an overloaded function."""
    found = [
        node
        for node in module_tree(module).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name
    ]
    if not found:
        raise LookupError(f"{module.__name__} does not define {name}")
    return found


def _fenced(text: str) -> Iterable[str]:
    return ("", "```python", text, "```")


def _doc(value: Any) -> Iterator[str]:
    for paragraph in cleandoc(value.__doc__ or "").split("\n\n"):
        yield from ("", " ".join(paragraph.split()).replace("``", "`"))


def _first(doc: str) -> str:
    return " ".join(cleandoc(doc).partition("\n\n")[0].split()).replace("|", "\\|")
