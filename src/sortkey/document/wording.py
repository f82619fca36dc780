"""How what a design says is put into words: keys that are asked for, billing, expectations."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from string import Formatter
from typing import Any

from sortkey.design.expectations import Expected
from sortkey.design.notation import filled, present
from sortkey.design.settings import OnDemand, Provisioned
from sortkey.document.page import Code, Line, Piece

SIGNS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
_RANGES = frozenset(SIGNS.values())
_UNITS = ("reads", "writes")
_EXPECTED = {
    "count": "{:,} records",
    "per_partition": "{:,} in a partition",
    "size_bytes": "{:,} bytes each",
    "hottest_share": "{:.4g} of all in the hottest partition",
}


def key_text(key: Mapping[str, Mapping[str, Any]]) -> str:
    """The key of a plan's step, with arguments in the slots of its templates."""
    return " / ".join(part_text(name, made) for name, made in key.items())


def part_text(name: str, made: Mapping[str, Any]) -> str:
    """A key attribute as its records have it; what is compared stands in its slot."""
    if "text" in made:
        return made["text"]
    if "bounds" in made:
        return _compared("between", name, [filled(bound) for bound in made["bounds"]])
    if "template" in made:
        ranged = made.get("range")
        if ranged is None and made["op"] in _RANGES:
            return _compared(made["op"], name, [filled(made)])
        whole = made["op"] == "=" and ranged is None
        return filled(made) if whole else _beginning(made, ranged)
    if "values" in made:
        return _compared("between", name, made["values"])
    if made["op"] == "=":
        value = str(made["value"])
        return f"{{{value[1:]}}}" if value.startswith("$") else value
    return _compared(made["op"], name, [made["value"]])


def _beginning(made: Mapping[str, Any], ranged: Mapping[str, Any] | None) -> str:
    """The template up to its first open slot, or to the one that is compared."""
    known = ""
    for before, slot, spec, _ in Formatter().parse(made["template"]):
        known += before.replace("{", "{{").replace("}", "}}")
        if slot is None:
            continue
        if ranged is not None and slot == ranged["field"]:
            text = filled({"template": known, "bound": made["bound"]})
            return text + _compared(ranged["op"], slot, ranged["values"])
        if slot not in made["bound"]:
            break
        known += f"{{{slot}:{spec}}}" if spec else f"{{{slot}}}"
    return filled({"template": known, "bound": made["bound"]}) + "..."


def _compared(op: str, name: str, values: list[Any]) -> str:
    shown = list(map(str, values))
    if op == "between":
        return f"{{{shown[0]} <= {name} <= {shown[1]}}}"
    if op == "begins_with":
        return f"{{{name} begins with {shown[0]}}}"
    return f"{{{name} {SIGNS.get(op, op)} {shown[0]}}}"


def billing_text(billing: OnDemand | Provisioned) -> str:
    """How a table is paid for."""
    return billing_words({"mode": type(billing).__name__, **present(asdict(billing))})


def billing_words(billing: Mapping[str, Any]) -> str:
    """The same from a design's summary."""
    if billing["mode"] == "OnDemand":
        limits = [f"{billing[f'most_{k}']} {k}/s" for k in _UNITS if f"most_{k}" in billing]
        return "on demand" + (f", at most {' and '.join(limits)}" if limits else "")
    units = [
        f"{billing[k]}"
        + (f" to {billing[f'most_{k}']}" if f"most_{k}" in billing else "")
        + f" {k}"
        for k in _UNITS
    ]
    return f"provisioned, {' and '.join(units)} a second"


def expected_text(expected: Expected | None) -> str:
    """How many records there will be, and how they are spread."""
    return "" if expected is None else expected_words(present(asdict(expected)))


def expected_words(expected: Mapping[str, Any]) -> str:
    """The same from a design's summary."""
    known = [text.format(expected[name]) for name, text in _EXPECTED.items() if name in expected]
    return ", ".join(known)


def prose(text: str) -> Line:
    """A text of a docstring, with what stands between backticks as code."""
    pieces = re.split(r"``(.+?)``|`(.+?)`", text)
    words, doubled, single = pieces[::3], pieces[1::3], pieces[2::3]
    line: list[Piece] = []
    for place, word in enumerate(words):
        line += [word] if word else []
        if place < len(doubled):
            line.append(Code(doubled[place] or single[place]))
    return tuple(line)


def first_paragraph(doc: str) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(doc.strip().partition("\n\n")[0].split())


def paragraphs(doc: str) -> Iterator[str]:
    """Each paragraph of a docstring, in one line."""
    for part in doc.strip().split("\n\n"):
        if text := " ".join(part.split()):
            yield text
