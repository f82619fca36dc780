"""The report about a database file, as text."""

from pathlib import Path

from sortkey.engine.storage.files import log_warning
from sortkey.engine.verify import Repair, Verification
from sortkey.wording.prose import counted

_SHOWN = 20


def verification_text(file: Path, found: Verification, *, repairs: bool) -> str:
    """Return what was read, and the first places with damage."""
    read = f"{counted(found.rows, 'row')} of {counted(found.tables, 'table')} read"
    warning = ["", f"Warning: {log_warning(file)}"] if found.may_lack_log else []
    if not found.damage_count:
        return "\n".join([f"{file}: {read}, no damage found.", *warning])
    places = counted(found.damage_count, "place is", "places are")
    shown = found.damage[:_SHOWN]
    lines = [f"{file}: {read}, {places} damaged:", *(f"  {damage}" for damage in shown)]
    if found.damage_count > len(shown):
        lines.append(f"  … and {found.damage_count - len(shown):,} more")
    if not repairs:
        command = f"sortkey verify {file} --repair"
        lines += ["", f"Restore a backup, or copy what can be trusted into a new file: {command}"]
    return "\n".join(lines + warning)


def repair_text(repair: Repair) -> str:
    """Return what a repair copied, and what it could not."""
    restored = f", {repair.restored:,} of them restored" if repair.restored else ""
    lines = [
        "",
        f"{repair.file} has {counted(repair.items, 'item')}{restored}, and new indexes and counts.",
    ]
    if repair.exported:
        rows = counted(
            repair.exported, "row that cannot be trusted is", "rows that cannot be trusted are"
        )
        lines.append(f"{rows} in {repair.exported_to}.")
    if repair.unreadable:
        lines.append("SQLite could not read a part of the file; the items in it are lost.")
    return "\n".join(lines)
