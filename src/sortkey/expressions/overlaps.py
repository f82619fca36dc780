"""Paths that stand in one update or projection together.

DynamoDB takes them from the last to the first, and stops at the first name that is not defined
or the first path that collides with one it has.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sortkey.expressions.faults import ExpressionError
from sortkey.expressions.operands import Names, PathTemplate
from sortkey.expressions.tree import Path


def bind_together(templates: Sequence[PathTemplate], names: Names) -> tuple[Path, ...]:
    """The paths with their names filled in, refused if one contains or contradicts another."""
    if len(templates) == 1:
        return (templates[0].bind(names, {}),)
    backwards = refuse_overlaps(template.bind(names, {}) for template in reversed(templates))
    return tuple(reversed(backwards))


def refuse_overlaps(paths: Iterable[Path]) -> list[Path]:
    """The paths, in their order, refused at the first that collides with one before it."""
    found: list[Path] = []
    tree: dict[str | int, Any] = {}
    for path in paths:
        if len(path.parts) == 1 and path.name not in tree:
            tree[path.name] = {}  # as most are: a whole attribute
        elif _collides(path, tree):
            raise _collision(path, found)
        found.append(path)
    return found


def _collides(path: Path, tree: dict[str | int, Any]) -> bool:
    """Whether the path collides with one in the tree, in which a path ends in an empty branch.

    The path is added to the tree.
    """
    branch = tree
    last = len(path.parts) - 1
    for position, part in enumerate(path.parts):
        if branch and type(next(iter(branch))) is not type(part):
            return True
        if part not in branch:
            branch[part] = {}
        elif not branch[part] or position == last:
            return True
        branch = branch[part]
    return False


def _collision(path: Path, others: Sequence[Path]) -> ExpressionError:
    for other in others:
        relation = _relation(path, other)
        if relation:
            return ExpressionError(
                f"Two document paths {relation} with each other; must remove or rewrite one of "
                f"these paths; path one: {path}, path two: {other}"
            )
    raise AssertionError(path)


def _relation(one: Path, other: Path) -> str:
    for left, right in zip(one.parts, other.parts, strict=False):
        if type(left) is not type(right):
            return "conflict"
        if left != right:
            return ""
    return "overlap"
