"""How what a design says is put into words: keys that are asked for, billing, expectations."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from string import Formatter
from typing import Any

from sortkey.design.expectations import Expected
from sortkey.design.notation import bare, condition_text, filled, present, shown
from sortkey.design.plan import Compared, PlannedStep
from sortkey.design.settings import OnDemand, Provisioned
from sortkey.design.sources import Constant, Source, Text
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


def key_text(step: PlannedStep) -> str:
    """The key of a plan's step, with arguments in the slots of its templates."""
    parts = [part_text(name, compared) for name, compared in step.key.items()]
    unread = condition_text(step.unread)
    return " / ".join([*parts, *([] if unread is None else [unread])])


def part_text(name: str, compared: Compared) -> str:
    """A key attribute as its records have it; what is compared stands in its slot."""
    source, upper = compared.source, compared.upper
    if upper is not None and upper != source:
        return _compared("between", name, [source, upper])
    if isinstance(source, Text):
        if source.range is None and compared.op in _RANGES:
            return _compared(compared.op, name, [source])
        whole = compared.op == "=" and source.range is None
        return filled(source) if whole else _beginning(source)
    if upper is not None:
        return _compared("between", name, [source, upper])
    if compared.op == "=":
        text = value_text(source)
        return text if isinstance(source, Constant) else f"{{{text.removeprefix('$')}}}"
    return _compared(compared.op, name, [source])


def value_text(source: Source) -> str:
    """A value as it is read: a text without quotes, an argument by its name."""
    match source:
        case Text():
            return filled(source)
        case Constant(value):
            return bare(value)
        case _:
            return shown(source)


def _beginning(text: Text) -> str:
    """The template up to its first open slot, or to the one that is compared."""
    known = ""
    for before, slot, spec, _ in Formatter().parse(text.template):
        known += before.replace("{", "{{").replace("}", "}}")
        if slot is None:
            continue
        if text.range is not None and slot == text.range.field:
            begun = filled(Text(known, text.slots))
            return begun + _compared(text.range.op, slot, text.range.bounds)
        if slot not in text.slots:
            break
        known += f"{{{slot}:{spec}}}" if spec else f"{{{slot}}}"
    return filled(Text(known, text.slots)) + "..."


def _compared(op: str, name: str, sources: Sequence[Source]) -> str:
    texts = list(map(value_text, sources))
    if op == "between":
        return f"{{{texts[0]} <= {name} <= {texts[1]}}}"
    if op == "begins_with":
        return f"{{{name} begins with {texts[0]}}}"
    return f"{{{name} {SIGNS.get(op, op)} {texts[0]}}}"


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
