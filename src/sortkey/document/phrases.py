"""Parts of a design in words: keys of requests, billing, expectations."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from string import Formatter
from typing import Any

from sortkey.design.plans.notation import bare, condition_text, filled, present, shown
from sortkey.design.plans.plan import Compared, PlannedStep
from sortkey.design.plans.sources import Constant, Source, Text
from sortkey.design.tables.expectations import Expected
from sortkey.design.tables.settings import OnDemand, Provisioned
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
    """Return the key of a plan's step, with arguments in the slots of its templates."""
    parts = [part_text(name, compared) for name, compared in step.key.items()]
    unread = condition_text(step.unread)
    return " / ".join([*parts, *([] if unread is None else [unread])])


def part_text(name: str, compared: Compared) -> str:
    """Return a key attribute as it is stored, with comparisons in its slots."""
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
    """Return a value as text, without quotes; an argument by its name."""
    match source:
        case Text():
            return filled(source)
        case Constant(value):
            return bare(value)
        case _:
            return shown(source)


def _beginning(text: Text) -> str:
    """Return the template up to its first open slot, or to the slot that is compared."""
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
    """Return the billing of a table in words."""
    return billing_words({"mode": type(billing).__name__, **present(asdict(billing))})


def billing_words(billing: Mapping[str, Any]) -> str:
    """Return the billing of a table in words, from a design's summary."""
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
    """Return the expected number, size and spread of records in words."""
    return "" if expected is None else expected_words(present(asdict(expected)))


def expected_words(expected: Mapping[str, Any]) -> str:
    """Return the expected records in words, from a design's summary."""
    known = [text.format(expected[name]) for name, text in _EXPECTED.items() if name in expected]
    return ", ".join(known)


def prose(text: str) -> Line:
    """Return the text of a docstring, with the parts between backticks as code."""
    pieces = re.split(r"``(.+?)``|`(.+?)`", text)
    words, doubled, single = pieces[::3], pieces[1::3], pieces[2::3]
    line: list[Piece] = []
    for place, word in enumerate(words):
        line += [word] if word else []
        if place < len(doubled):
            line.append(Code(doubled[place] or single[place]))
    return tuple(line)
