"""The progress and the summary of a back-fill, as text."""

from collections.abc import Iterable

from sortkey.access.mismatch import MissingIndexes
from sortkey.access.rewriting import Progress
from sortkey.wording.prose import counted

_BAR = 24
_SHOWN = 20


def progress_line(progress: Progress, *, dry_run: bool = False) -> str:
    """Return the progress of a back-fill in one line."""
    total = max(progress.expected, progress.read)
    share = 1.0 if progress.done or not total else progress.read / total
    filled = int(share * _BAR)
    bar = "█" * filled + "░" * (_BAR - filled)
    parts = [f"{progress.read:,} read", f"{progress.rewritten:,} {_rewritten(dry_run=dry_run)}"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    parts.append(counted(round(progress.units), "unit", "units"))
    return f"{bar} {share:4.0%}  {', '.join(parts)}"


def summary_text(
    progress: Progress, indexes: Iterable[MissingIndexes] = (), *, dry_run: bool
) -> str:
    """Return the summary of a back-fill, or of a dry run."""
    done = f"{progress.rewritten:,} {_rewritten(dry_run=dry_run)}"
    counts = f"{done}, {progress.current:,} already current"
    read = counted(progress.read, "item", "items")
    lines = [f"{counts}, of {read} read ({progress.units:,.1f} capacity units)."]
    if progress.moved:
        moved = "would move" if dry_run else "moved"
        lines.append(f"{progress.moved:,} of these {moved} to another primary key.")
    if progress.encrypted:
        of_them = f"{progress.encrypted:,} of these had a secret in plain text"
        lines.append(f"{of_them}, which {'would be' if dry_run else 'is now'} encrypted.")
    if progress.locks:
        locks = counted(
            progress.locks, "is the lock of a unique field", "are locks of unique fields"
        )
        lines.append(f"{locks}.")
    if progress.other:
        other = counted(progress.other, "item belongs", "items belong")
        lines.append(f"{other} to none of the selected entities.")
    if progress.gone:
        gone = counted(progress.gone, "was deleted or has", "were deleted or have")
        lines.append(f"{gone} expired.")
    if progress.failed:
        left = counted(
            progress.failed,
            "could not be rewritten and is unchanged",
            "could not be rewritten and are unchanged",
        )
        lines += ["", f"{left}:"]
        shown = progress.failures[:_SHOWN]
        lines += [f"  {one.entity} {one.key}: {one.reason}" for one in shown]
        if progress.failed > len(shown):
            lines.append(f"  … and {progress.failed - len(shown):,} more")
    lines += [_index_line(missing, progress, dry_run=dry_run) for missing in indexes]
    return "\n".join(lines)


def _index_line(missing: MissingIndexes, progress: Progress, *, dry_run: bool) -> str:
    if progress.failed:
        would = "would not get" if dry_run else "did not get"
        return f"{missing.name} {would} {missing}: correct or delete these records first."
    return f"{missing.name} {'would get' if dry_run else 'got'} {missing}."


def _rewritten(*, dry_run: bool) -> str:
    return "would be rewritten" if dry_run else "rewritten"
