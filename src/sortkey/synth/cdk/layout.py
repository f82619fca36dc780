"""Layout of code: on one line if it fits, otherwise one part on each line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Bracketed:
    """Parts between two brackets; ``pad`` is the space inside the brackets on one line."""

    start: str
    parts: "Sequence[Part]"
    end: str
    pad: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a group: the text before its value, such as a name, and the comments above it."""

    value: "Code"
    before: str = ""
    comments: tuple[str, ...] = ()


Code: TypeAlias = str | Bracketed


def flat(code: Code) -> str | None:
    """Return the code on one line, or None if a comment within needs its own line."""
    if isinstance(code, str):
        return code
    texts: list[str] = []
    for part in code.parts:
        text = flat(part.value)
        if text is None or part.comments:
            return None
        texts.append(f"{part.before}{text}")
    pad = code.pad if texts else ""
    return f"{code.start}{pad}{', '.join(texts)}{pad}{code.end}"


def lines(code: Code, indent: str, step: str, before: str = "", after: str = "") -> list[str]:
    """Yield the code as lines; the first begins with ``before``, the last ends with ``after``."""
    one = flat(code)
    if one is not None and len(indent) + len(before) + len(one) + len(after) <= WIDTH:
        return [f"{indent}{before}{one}{after}"]
    if isinstance(code, str):
        return [f"{indent}{before}{code}{after}"]
    inner = f"{indent}{step}"
    made = [f"{indent}{before}{code.start}"]
    for part in code.parts:
        made += [f"{inner}{comment}" for comment in part.comments]
        made += lines(part.value, inner, step, part.before, ",")
    return [*made, f"{indent}{code.end}{after}"]
