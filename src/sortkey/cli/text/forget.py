"""The report of ``sortkey forget`` as text."""

from pathlib import Path

from sortkey.engine.forgetting import Forgotten, HeldCopy
from sortkey.wording.prose import counted


def forgotten_text(file: Path, table: str, found: Forgotten) -> str:
    """Return what was removed, and where the key is still stored."""
    removed = counted(found.records, "change")
    lines = [f"{file}: {removed} removed from the journal of {table}."]
    if found.recent:
        lines.append(
            f"  {found.recent:,} of the last day: a reader of the stream that is behind never sees "
            "them."
        )
    if found.copies:
        lines += ["", "The key is still stored in:"]
        lines += [f"  {_shown(copy)}" for copy in found.copies]
    if found.is_in_log:
        log = f"{file.name}-wal"
        lines += ["", f"Another process uses the file: {log} may have traces until it is stopped."]
    return "\n".join(lines)


def _shown(copy: HeldCopy) -> str:
    if copy.items is None and copy.kind == "report":
        return f"the report {copy.name}, perhaps: it was not searched"
    if copy.items is None:
        return f"the export {copy.name}, perhaps: its objects were not searched"
    items = counted(copy.items, "item")
    if copy.kind == "report":
        return f"the report {copy.name}, {items}: delete this object"
    if copy.kind == "export":
        return f"the export {copy.name}, {items}: delete its objects"
    if copy.kind == "backup":
        return f"the backup {copy.name}, {items}: delete it with DeleteBackup, {copy.place}"
    return f"the table {copy.name}, {items}"
