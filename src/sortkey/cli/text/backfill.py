"""A back-fill's progress and its end, as text."""

from sortkey.access.backfill import Progress

_BAR = 24
_SHOWN = 20


def progress_line(progress: Progress, *, dry_run: bool = False) -> str:
    """How far a back-fill is, in one line."""
    total = max(progress.expected, progress.read)
    share = 1.0 if progress.done or not total else progress.read / total
    filled = int(share * _BAR)
    bar = "█" * filled + "░" * (_BAR - filled)
    parts = [f"{progress.read:,} read", f"{progress.rewritten:,} {_rewritten(dry_run=dry_run)}"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    parts.append(_counted(round(progress.units), "unit", "units"))
    return f"{bar} {share:4.0%}  {', '.join(parts)}"


def summary_text(progress: Progress, *, dry_run: bool) -> str:
    """What a back-fill did, or would do."""
    done = f"{progress.rewritten:,} {_rewritten(dry_run=dry_run)}"
    counts = f"{done}, {progress.current:,} as they should be"
    read = _counted(progress.read, "item", "items")
    lines = [f"{counts}, of {read} read ({progress.units:,.1f} capacity units)."]
    if progress.locks:
        locks = _counted(
            progress.locks, "is the lock of a unique field", "are locks of unique fields"
        )
        lines.append(f"{locks}.")
    if progress.other:
        other = _counted(progress.other, "item is", "items are")
        lines.append(f"{other} of no entity that was asked for.")
    if progress.gone:
        lines.append(f"{progress.gone:,} went away or have expired.")
    if progress.failed:
        left = _counted(
            progress.failed,
            "could not be rewritten, and is as it was",
            "could not be rewritten, and are as they were",
        )
        lines += ["", f"{left}:"]
        shown = progress.failures[:_SHOWN]
        lines += [f"  {one.entity} {one.key}: {one.reason}" for one in shown]
        if progress.failed > len(shown):
            lines.append(f"  … and {progress.failed - len(shown):,} more")
    return "\n".join(lines)


def _rewritten(*, dry_run: bool) -> str:
    return "would be rewritten" if dry_run else "rewritten"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
