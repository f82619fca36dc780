"""A back-fill's progress and its end, as text."""

from sortkey.access.backfill import Progress

_BAR = 24
_SHOWN = 20


def progress_line(progress: Progress) -> str:
    """How far a back-fill is, in one line."""
    total = max(progress.expected, progress.read)
    share = 1.0 if progress.done or not total else progress.read / total
    filled = int(share * _BAR)
    bar = "█" * filled + "░" * (_BAR - filled)
    parts = [f"{progress.read:,} read", f"{progress.rewritten:,} rewritten"]
    if progress.failed:
        parts.append(f"{progress.failed:,} failed")
    return f"{bar} {share:4.0%}  {', '.join(parts)}, {progress.units:,.0f} units"


def summary_text(progress: Progress, *, dry_run: bool) -> str:
    """What a back-fill did, or would do."""
    verb = "would be rewritten" if dry_run else "rewritten"
    counts = f"{progress.rewritten:,} {verb}, {progress.current:,} as they should be"
    lines = [f"{counts}, of {progress.read:,} items read ({progress.units:,.1f} capacity units)."]
    if progress.other:
        lines.append(f"{progress.other:,} items are of no entity that was asked for.")
    if progress.gone:
        lines.append(f"{progress.gone:,} went away or have expired.")
    if progress.failed:
        lines += ["", f"{progress.failed:,} could not be rewritten, and are as they were:"]
        shown = progress.failures[:_SHOWN]
        lines += [f"  {one.entity} {one.key}: {one.reason}" for one in shown]
        if progress.failed > len(shown):
            lines.append(f"  … and {progress.failed - len(shown):,} more")
    return "\n".join(lines)
