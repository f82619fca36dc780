"""SQLite underneath the engine: one file, or memory."""

from sortkey.engine.storage import sql
from sortkey.engine.storage.sqlite import (
    MEMORY,
    Durability,
    Storage,
    StorageError,
    WalkedRow,
    WriteTransaction,
    page_of,
)

__all__ = [
    "MEMORY",
    "Durability",
    "Storage",
    "StorageError",
    "WalkedRow",
    "WriteTransaction",
    "page_of",
    "sql",
]
