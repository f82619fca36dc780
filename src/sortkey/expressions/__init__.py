"""DynamoDB's expression language: read from text, evaluated on items, and rendered again."""

from sortkey.expressions import legacy
from sortkey.expressions.evaluate import condition_names, condition_paths, holds
from sortkey.expressions.key_condition import KeyCondition, read_key_condition
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Path, Update
from sortkey.expressions.update import Updated, apply_update

__all__ = [
    "Condition",
    "KeyCondition",
    "Path",
    "Placeholders",
    "Projection",
    "Update",
    "Updated",
    "apply_update",
    "condition_names",
    "condition_paths",
    "holds",
    "legacy",
    "read_key_condition",
]
