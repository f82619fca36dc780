"""Paths that cannot stand in one update or projection together."""

from collections.abc import Sequence
from typing import Any

from sortkey.expressions.faults import ExpressionError
from sortkey.expressions.tree import Path


def refuse_overlaps(paths: Sequence[Path]) -> None:
    """Refuse paths of which one contains another, or that treat one place as list and as map."""
    if len(paths) > 1 and _collide(paths):
        raise ExpressionError(_collision(paths))


def _collide(paths: Sequence[Path]) -> bool:
    # A tree of the parts seen so far, where a path ends in an empty branch.
    root: dict[str | int, Any] = {}
    for path in paths:
        branch = root
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


def _collision(paths: Sequence[Path]) -> str:
    """The first overlap, or else the last conflict, in DynamoDB's words."""
    conflict = ""
    for position, later in enumerate(paths):
        for earlier in paths[:position]:
            relation = _relation(earlier, later)
            if not relation:
                continue
            message = (
                f"Two document paths {relation} with each other; must remove or rewrite one of "
                f"these paths; path one: {earlier}, path two: {later}"
            )
            if relation == "overlap":
                return message
            conflict = message
    return conflict


def _relation(one: Path, other: Path) -> str:
    for left, right in zip(one.parts, other.parts, strict=False):
        if type(left) is not type(right):
            return "conflict"
        if left != right:
            return ""
    return "overlap"
