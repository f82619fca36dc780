"""An embedded DynamoDB: a real database on one machine."""

from sortkey.engine.engine import Engine
from sortkey.engine.forgetting import NotForgotten
from sortkey.engine.storage import StorageError

__all__ = ["Engine", "NotForgotten", "StorageError"]
