"""Lines within 80 columns."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

WIDTH = 80
_NO_BREAK = "\N{NO-BREAK SPACE}"


def wrapped(text: str, indent: int, hanging: int = 2) -> Iterator[str]:
    """Yield a text in lines; all but the first are indented further."""
    lines = wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        # A long key or expression stays whole, so that it can be found.
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from (line.replace(_NO_BREAK, " ") for line in lines)


def unbroken(text: str) -> str:
    """Return a text whose words stay in one line."""
    return text.replace(" ", _NO_BREAK)


def columns(rows: Sequence[tuple[str, ...]], indent: int) -> Iterator[str]:
    """Yield rows with aligned cells; the last cell of a row is wrapped."""
    widths = [max(map(len, cells)) for cells in zip(*(row[:-1] for row in rows), strict=True)]
    for *cells, last in rows:
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=True))
        first, *more = list(wrapped(last, indent + len(start), 0)) or [""]
        yield f"{' ' * indent}{start}{first.lstrip()}".rstrip()
        yield from more


def clauses(parts: Iterable[str | None]) -> str:
    """Join the parts that are not empty with semicolons."""
    return "; ".join(part for part in parts if part)
