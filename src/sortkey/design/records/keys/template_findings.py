"""Faults of one key attribute's template, found when its class is made."""

from collections.abc import Iterator

from sortkey.design.findings import Finding, Subject
from sortkey.design.records.keys.slots import UNORDERED, Slot
from sortkey.design.records.keys.templates import Template
from sortkey.design.records.keys.unify import ambiguity
from sortkey.wording.prose import listed

# The keys of the records that hold unique values.
UNIQUE_PREFIX = "UNIQUE#"


def template_findings(template: Template, where: str, *, ordered: bool) -> Iterator[Finding]:
    """The faults of one key attribute's template; `ordered` for a sort key, whose order counts."""
    if ordered:
        for slot in dict.fromkeys(template.slots):
            if is_unpadded(slot):
                yield unpadded(template, slot, where)
            yield from _unordered_time(template, slot, where)
    yield from _ambiguous_template(template, where)
    yield from _reserved_prefix(template, where)


def is_unpadded(slot: Slot) -> bool:
    """Whether a slot writes numbers that do not sort as they should, and does not say so."""
    return slot.is_number and not slot.ordered and slot.spec != UNORDERED


def replaced(template: Template, *slots: Slot) -> str:
    """The template to write instead of one that has numbers unpadded."""
    text = template.text
    for slot in slots:
        text = text.replace(str(slot), slot.padded)
    return f"`{text}` instead of `{template}`"


def unpadded(template: Template, slot: Slot, subject: Subject, *others: Slot) -> Finding:
    """Return the finding about such a slot, and about others of the same template."""
    is_negative = (slot.bounds[0] or 0) < 0
    named = listed(f'"{each.field}"' for each in (slot, *others))
    return Finding(
        subject,
        f'"{template}" writes the {"numbers" if others else "number"} {named} unpadded: "10" '
        'sorts before "9"',
        f"Store `{slot.field}` with an offset, so that it is never negative, and pad it"
        if is_negative
        else f"Write {replaced(template, slot, *others)}, or `{{{slot.field}:{UNORDERED}}}` if no "
        "query needs its order",
        code="SK201",
        name="unpadded-number",
        about=slot.field,
    )


def _unordered_time(template: Template, slot: Slot, where: str) -> Iterator[Finding]:
    if slot.is_time and not slot.ordered:
        yield Finding(
            where,
            f'"{template}" writes the time "{slot.field}" as {slot.spec}, which does not sort '
            "chronologically",
            f"Write `{template.text.replace(str(slot), f'{{{slot.field}}}')}` instead of "
            f"`{template}`, or a format from coarse to fine, such as %Y-%m-%d",
            code="SK202",
            name="unordered-time",
        )


def _ambiguous_template(template: Template, where: str) -> Iterator[Finding]:
    if claims := ambiguity(template):
        one, other = (f'"{part}"' if isinstance(part, str) else str(part) for part in claims)
        yield Finding(
            where,
            f'"{template}" cannot be read back: a character may belong to {one} or to {other}, '
            "so two records may share a key",
            "Put a delimiter between them that neither can contain, such as #",
            code="SK203",
            name="ambiguous-template",
        )


def _reserved_prefix(template: Template, where: str) -> Iterator[Finding]:
    first = template.parts[0]
    if isinstance(first, str) and first.startswith(UNIQUE_PREFIX):
        yield Finding(
            where,
            f'"{template}" begins with {UNIQUE_PREFIX}, which marks the locks of unique fields',
            "Begin it with another word",
            code="SK204",
            name="reserved-prefix",
        )
