"""The difference between a committed page and the page of the current design."""

from collections.abc import Iterator
from difflib import unified_diff

_SHOWN = 40
_WIDTH = 100


def difference(committed: str, made: str) -> str:
    """Return the first lines of a diff, or "" if there is no difference."""
    if committed == made:
        return ""
    lines = list(
        unified_diff(
            committed.split("\n"), made.split("\n"), "committed", "generated", n=1, lineterm=""
        )
    )
    return "\n".join(_some(lines))


def _some(lines: list[str]) -> Iterator[str]:
    for line in lines[:_SHOWN]:
        yield line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…"
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more lines"
