"""Types and defaults in signatures, written with nothing but public names."""

import ast
import importlib
import inspect
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from types import ModuleType

import sortkey
import sortkey.testing
from sortkey.operations.operation import Operation

PUBLIC = frozenset((*sortkey.__all__, *sortkey.testing.__all__))
# Types that only sortkey's own modules name, and the public ones that a reader knows.
SHOWN_AS = {
    "EncryptionKey": "LocalKey | KmsKey",
    "KeyWalk": "Query",
    "Meaning": "Callable[..., bool]",
    "Operation": "Op",
    "Vault": "Keyring",
}


def type_text(annotation: ast.expr, module: ModuleType) -> str | None:
    """Return a type with its aliases spelt out, or None if applications cannot import it."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    public = _Public(module)
    shown = public.visit(deepcopy(annotation))
    return None if public.internal else ast.unparse(shown)


def default_text(default: ast.expr, module: ModuleType) -> str:
    """Return a default with constants spelt out."""
    if not isinstance(default, ast.Name) or default.id in PUBLIC:
        return ast.unparse(default)
    value = vars(module)[default.id]
    return repr(value) if isinstance(value, int | float | str) else "..."


def options(annotation: ast.expr, module: ModuleType) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the type and the meaning of each option in an ``Unpack[...]``."""
    match annotation:
        case ast.Subscript(value=ast.Name("Unpack"), slice=ast.Name(name)):
            declared, home = _declared(name, module)
        case _:
            return
    if isinstance(declared, ast.ClassDef):
        meanings = _meanings(ast.get_docstring(declared) or "")
        for node in declared.body:
            match node:
                case ast.AnnAssign(target=ast.Name(name), annotation=kind):
                    yield name, type_text(kind, home) or "...", meanings.get(name, "")
                case _:
                    pass


def _meanings(doc: str) -> dict[str, str]:
    """Return the lines under ``Attributes:``, each by the name that it is about."""
    listed = doc.partition("Attributes:\n")[2].splitlines()
    return {name.strip(): meaning for name, _, meaning in (line.partition(": ") for line in listed)}


class _Public(ast.NodeTransformer):
    """Replaces what an application cannot import by what it stands for."""

    def __init__(self, module: ModuleType, arguments: Mapping[str, ast.expr] | None = None) -> None:
        self.internal: set[str] = set()
        self._module = module
        self._arguments = arguments or {}

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Replace an operation or an alias with its arguments, or what is in the brackets."""
        declared, home = self._hidden(node.value)
        if declared is None:
            return self.generic_visit(node)
        arguments = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return self._meaning(node, declared, home, [self.visit(each) for each in arguments])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace an alias, or note a class that is not public."""
        if node.id in self._arguments:
            return self._arguments[node.id]
        if node.id in SHOWN_AS:
            return ast.parse(SHOWN_AS[node.id], mode="eval").body
        declared, home = self._hidden(node)
        return node if declared is None else self._meaning(node, declared, home, [])

    def _meaning(
        self,
        node: ast.expr,
        declared: ast.ClassDef | ast.expr,
        home: ModuleType,
        arguments: list[ast.expr],
    ) -> ast.AST:
        """Return an alias spelt out, and ``Op[...]`` for an operation that is not public."""
        if isinstance(declared, ast.ClassDef):
            if not issubclass(getattr(home, declared.name), Operation):
                self.internal.add(declared.name)
                return node
            meaning = declared.bases[0]
        else:
            meaning = declared
        public = _Public(home, dict(zip(_variables(meaning), arguments, strict=False)))
        shown = public.visit(deepcopy(meaning))
        self.internal |= public.internal
        return shown

    def _hidden(self, node: ast.expr) -> tuple[ast.ClassDef | ast.expr | None, ModuleType]:
        """Return the declaration of a name that is sortkey's own and not public."""
        if not isinstance(node, ast.Name) or node.id in (*PUBLIC, *SHOWN_AS):
            return None, self._module
        return _declared(node.id, self._module)


def _variables(meaning: ast.expr) -> list[str]:
    """Return the type variables of an alias or a base, in their order."""
    names = [node.id for node in ast.walk(meaning) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(name for name in names if len(name) == 1))


def _declared(name: str, module: ModuleType) -> tuple[ast.ClassDef | ast.expr | None, ModuleType]:
    """Return the class or the alias of this name, and the module of sortkey that declares it."""
    tree = module_tree(module)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    for node in (*tree.body, *imports):
        match node:
            case ast.ClassDef(name=found) if found == name:
                return node, module
            case ast.AnnAssign(target=ast.Name(found), value=ast.expr() as value) if found == name:
                return value, module
            case ast.Assign(targets=[ast.Name(found)], value=ast.Subscript() as value):
                if found == name:
                    return value, module
            case ast.ImportFrom(module=str(home), names=names) if home.startswith("sortkey"):
                if name in (each.name for each in names):
                    return _declared(name, importlib.import_module(home))
            case _:
                pass
    return None, module


@cache
def module_tree(module: ModuleType) -> ast.Module:
    """Return the syntax tree of a module's source."""
    return ast.parse(inspect.getsource(module))
