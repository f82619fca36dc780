"""What is wrong with a design, as values: raised together when a class is made, or reported."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sortkey.design.slots import UNORDERED, Slot
from sortkey.design.templates import Template
from sortkey.design.unify import ambiguity
from sortkey.errors import SortkeyError

# The keys of the records that hold unique values.
UNIQUE_PREFIX = "UNIQUE#"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a design: its code and name, the place, what is wrong and what to do.

    ``field`` is given where a rule weighs the fault by the field that it is about, ``actions``
    where it is about some of the actions of a transaction or a batch, by their numbers from 1.
    """

    code: str
    name: str
    where: str
    message: str
    fix: str
    field: str | None = None
    actions: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.code} {self.name} at {self.where}: {self.message}. {self.fix}."


class DesignError(SortkeyError):
    """A design has faults; its text lists each with its place and its remedy."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(map(str, self.findings)))


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


def unpadded(template: Template, slot: Slot, where: str, *others: Slot) -> Finding:
    """The fault of such a slot, and of others of the same template."""
    is_negative = (slot.bounds[0] or 0) < 0
    named = " and ".join(f'"{each.field}"' for each in (slot, *others))
    return Finding(
        "SK201",
        "unpadded-number",
        where,
        f'"{template}" writes the {"numbers" if others else "number"} {named} unpadded: "10" '
        'sorts before "9"',
        f"Store `{slot.field}` with an offset, so that it is never negative, and pad it"
        if is_negative
        else f"Write {replaced(template, slot, *others)}, or `{{{slot.field}:{UNORDERED}}}` if no "
        "query needs its order",
        field=slot.field,
    )


def _unordered_time(template: Template, slot: Slot, where: str) -> Iterator[Finding]:
    if slot.is_time and not slot.ordered:
        yield Finding(
            "SK202",
            "unordered-time",
            where,
            f'"{template}" writes the time "{slot.field}" as {slot.spec}, which does not sort as '
            "times do",
            f"Write `{template.text.replace(str(slot), f'{{{slot.field}}}')}` instead of "
            f"`{template}`, or a format from coarse to fine, such as %Y-%m-%d",
        )


def _ambiguous_template(template: Template, where: str) -> Iterator[Finding]:
    if claims := ambiguity(template):
        one, other = (f'"{part}"' if isinstance(part, str) else str(part) for part in claims)
        yield Finding(
            "SK203",
            "ambiguous-template",
            where,
            f'"{template}" cannot be read back: a character may belong to {one} or to {other}, '
            "so two records may share a key",
            "Put a delimiter such as # between them that neither can contain",
        )


def _reserved_prefix(template: Template, where: str) -> Iterator[Finding]:
    first = template.parts[0]
    if isinstance(first, str) and first.startswith(UNIQUE_PREFIX):
        yield Finding(
            "SK204",
            "reserved-prefix",
            where,
            f'"{template}" begins with {UNIQUE_PREFIX}, which marks the locks of unique fields',
            "Begin it with another word",
        )
