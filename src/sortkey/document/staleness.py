"""Whether a committed page is still what would be made, and what differs."""

from collections.abc import Iterator
from difflib import unified_diff

_SHOWN = 40
_WIDTH = 100


def difference(committed: str, made: str) -> str:
    """What differs as lines of a diff, the first of them; empty where nothing does."""
    if committed == made:
        return ""
    lines = unified_diff(committed.splitlines(), made.splitlines(), "committed", "made", "", "", 1)
    return "\n".join(_some(list(lines)) if committed.splitlines() != made.splitlines() else _END)


_END = ("the last line ends otherwise",)


def _some(lines: list[str]) -> Iterator[str]:
    for line in lines[:_SHOWN]:
        yield line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more lines"
