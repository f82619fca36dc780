"""The frame of every HTML page, which is one self-contained file."""

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path


def whole_page(title: str, style: Path, body: Iterable[str]) -> str:
    """Return a page with its style inside, for light and for dark screens."""
    return "\n".join(_lines(title, style, body)) + "\n"


def _lines(title: str, style: Path, body: Iterable[str]) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>{escape(title)}</title>"
    yield f"<style>\n{style.read_text(encoding='utf-8')}</style>\n</head>\n<body>"
    yield from body
    yield "</body>\n</html>"


def listing(text: str) -> str:
    """Return a text as preformatted lines."""
    return f"<pre>{escape(text)}</pre>"
