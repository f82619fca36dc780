"""SQLite underneath the engine: one file, or memory."""

from sortkey.engine.storage import sql
from sortkey.engine.storage.sqlite import (
    LOCK_WAIT_SECONDS,
    MEMORY,
    Durability,
    Storage,
    StorageError,
    WalkedRow,
    WriteTransaction,
    page_of,
)

__all__ = [
    "LOCK_WAIT_SECONDS",
    "MEMORY",
    "Durability",
    "Storage",
    "StorageError",
    "WalkedRow",
    "WriteTransaction",
    "page_of",
    "sql",
]
