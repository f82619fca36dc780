"""SVG elements as text; the style sheet of the page styles their classes."""

from collections.abc import Iterable
from html import escape


def element(tag: str, content: str = "", **attributes: str | float) -> str:
    """Return one element; underscores in names of attributes become hyphens."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
    )
    return f"<{tag}{written}>{content}</{tag}>" if content else f"<{tag}{written}/>"


def text(x: float, y: float, words: str, class_: str, **attributes: str | float) -> str:
    """Return a text that begins at a point on its base line."""
    return element("text", escape(words), x=x, y=y, class_=class_, **attributes)


def box(place: tuple[float, float], size: tuple[float, float], class_: str, rx: float) -> str:
    """Return a rectangle with round corners, by its upper left corner and its size."""
    (x, y), (width, height) = place, size
    return element("rect", x=x, y=y, width=width, height=height, rx=rx, class_=class_)


def picture(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a whole picture, which shrinks to the width of its place."""
    inner = "\n".join((element("title", escape(title)), *parts))
    return element(
        "svg",
        f"\n{inner}\n",
        class_="diagram",
        role="img",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        style=f"--wide: {_value(width)}px",
    )


def _value(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
