"""Code on one line where it fits, and one part on each line where it does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 100


@dataclass(frozen=True, slots=True)
class Group:
    """Parts between two brackets; ``pad`` is what stands inside these on one line."""

    start: str
    parts: "Sequence[Part]"
    end: str
    pad: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a group: what comes before its value, such as a name, and comments above it."""

    value: "Code"
    before: str = ""
    comments: tuple[str, ...] = ()


Code: TypeAlias = str | Group


def flat(code: Code) -> str | None:
    """The code on one line; None where a comment within needs a line of its own."""
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
    """The code as lines; the first begins with ``before``, the last ends with ``after``."""
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
