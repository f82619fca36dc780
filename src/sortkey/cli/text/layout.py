"""Lines within 80 columns."""

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

WIDTH = 80
_NO_BREAK = "\N{NO-BREAK SPACE}"


def wrapped(text: str, indent: int, hanging: int = 2) -> Iterator[str]:
    """A text in as many lines as it needs; later ones are set in further."""
    lines = wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        # A key or an expression is easier to find too long than cut in two.
        break_long_words=False,
        break_on_hyphens=False,
    )
    yield from (line.replace(_NO_BREAK, " ") for line in lines)


def sentence(text: str) -> str:
    """A text with a full stop, unless it ends with a mark of its own."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def unbroken(text: str) -> str:
    """A text whose words stay in one line."""
    return text.replace(" ", _NO_BREAK)


def columns(rows: Sequence[tuple[str, ...]], indent: int) -> Iterator[str]:
    """Rows with their cells below one another; the last cell of a row is wrapped."""
    widths = [max(map(len, cells)) for cells in zip(*(row[:-1] for row in rows), strict=True)]
    for *cells, last in rows:
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=True))
        first, *more = list(wrapped(last, indent + len(start), 0)) or [""]
        yield f"{' ' * indent}{start}{first.lstrip()}".rstrip()
        yield from more


def listed(parts: Iterable[str | None]) -> str:
    """What there is to say, in one line."""
    return "; ".join(part for part in parts if part)
