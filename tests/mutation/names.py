"""The tables and entities of a design, with the names of their indexes and keys."""

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Names:
    """What one name can be mistaken for: another index of a table, another key of an entity."""

    indexes: Mapping[str, tuple[str, ...]]
    keys: Mapping[str, tuple[str, ...]]
    shapes: frozenset[str]


def names_in(trees: Iterable[ast.Module]) -> Names:
    """The names that the classes and selections of these modules declare."""
    indexes: dict[str, tuple[str, ...]] = {}
    keys: dict[str, tuple[str, ...]] = {}
    shapes: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.ClassDef):
            indexes[node.name] = tuple(_assigned(node, {"gsi", "lsi"}))
            keys[node.name] = tuple(_assigned(node, {"key"}))
        elif called(node) == "select" and isinstance(node, ast.Call):
            shapes |= {argument.id for argument in node.args if isinstance(argument, ast.Name)}
    return Names(indexes, keys, frozenset(shapes))


def _assigned(owner: ast.ClassDef, makers: set[str]) -> Iterable[str]:
    for statement in owner.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if called(value) in makers:
                yield name
            case _:
                pass


def called(node: ast.AST | None) -> str | None:
    """The last name of what a call calls: ``where`` of ``query.where(...)``."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case _:
            return None
