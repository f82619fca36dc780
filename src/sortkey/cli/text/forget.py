"""The report of ``sortkey forget`` as text."""

from pathlib import Path

from sortkey.engine.forgetting import Forgotten, HeldCopy
from sortkey.wording.prose import counted


def forgotten_text(file: Path, table: str, found: Forgotten) -> str:
    """Return what was removed, and where the key is still stored."""
    if found.records:
        removed = counted(found.records, "change")
        lines = [f"{file}: {removed} removed from the journal of {table}."]
    else:
        lines = [f"{file}: the journal of {table} has no change of this key."]
    if found.recent:
        they = "it" if found.recent == 1 else "them"
        lines += [
            f"  {found.recent:,} of the last day: if the table has a stream, a reader that is",
            f"  behind never sees {they}.",
        ]
    certain = [_shown(copy, copy.items) for copy in found.copies if copy.items is not None]
    if certain:
        lines += ["", "The key is still stored in:", *certain]
    possible = [f"  the {copy.kind} {copy.name}" for copy in found.copies if copy.items is None]
    if possible:
        lines += ["", "These may have the key and were not searched, see --buckets:", *possible]
    if found.is_in_log:
        log = f"{file.name}-wal"
        lines += ["", f"Another process uses the file: {log} may have traces until it is stopped."]
    return "\n".join(lines)


def _shown(copy: HeldCopy, count: int) -> str:
    place = f"  the {copy.kind} {copy.name}, {counted(count, 'item')}"
    if copy.kind == "report":
        return f"{place}: delete this object"
    if copy.kind == "export":
        return f"{place}: delete its objects"
    if copy.kind == "backup":
        return f"{place}: delete it with DeleteBackup, {copy.place}"
    return f"{place}: delete {'it' if count == 1 else 'them'}"
