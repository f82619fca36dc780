"""Whether a committed page is still what would be made, and what differs."""

from collections.abc import Iterator
from difflib import unified_diff

_SHOWN = 40
_WIDTH = 100


def difference(committed: str, made: str) -> str:
    """What differs as lines of a diff, the first of them; empty where nothing does."""
    if committed == made:
        return ""
    lines = list(
        unified_diff(committed.split("\n"), made.split("\n"), "committed", "made", n=1, lineterm="")
    )
    return "\n".join(_some(lines))


def _some(lines: list[str]) -> Iterator[str]:
    for line in lines[:_SHOWN]:
        yield line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more lines"
