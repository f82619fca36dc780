"""Which patterns and entities of a design a fault reaches, the nearest first."""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from tests.mutation.mutants import Mutant

References = Mapping[str, frozenset[str]]


def references_in(folder: Path) -> References:
    """For each name that is defined at the top of a system's design, those that it uses."""
    paths = [folder / "design.py", *sorted((folder / "design").rglob("*.py"))]
    found: dict[str, frozenset[str]] = {}
    for path in (path for path in paths if path.exists()):
        for statement in ast.parse(path.read_text()).body:
            used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            for name in _names(statement):
                found[name] = found.get(name, frozenset[str]()) | used
    return found


def _names(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case _:
            return


def reached(mutant: Mutant, subjects: Collection[str], references: References) -> list[str]:
    """The patterns and entities that use what was mutated, directly or by way of others.

    Those whose names no definition has are made by what was mutated, or by what uses it.
    """
    distances = _distances(mutant.definition, references)
    named = sorted((s for s in subjects if s in distances), key=lambda s: (distances[s], s))
    made = [s for s in subjects if s not in references]
    return named if mutant.definition in subjects else [*named, *_about(made, mutant.definition)]


def _about(made: Iterable[str], definition: str) -> list[str]:
    """Patterns that are made for every entity: first those that are named after this one."""
    told = definition.lower()
    return sorted(made, key=lambda name: (told not in name.replace("_", ""), name))


def _distances(definition: str, references: References) -> dict[str, int]:
    """How many steps each name is from a definition that it uses in the end."""
    distances = {definition: 0}
    edge = {definition}
    while edge:
        step = max(distances.values()) + 1
        edge = {n for n, used in references.items() if used & edge and n not in distances}
        distances |= dict.fromkeys(edge, step)
    return distances
