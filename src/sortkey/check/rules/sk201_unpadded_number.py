"""SK201 unpadded-number: a number enters a sort key at its natural width."""

from collections.abc import Iterator

from sortkey.check.fields import words
from sortkey.check.model import Model, Request, Subject
from sortkey.check.reach import compared_templates, fixed_fields, meets, templates
from sortkey.check.rule import ERROR, INFORMATION, Fault, Severity, rule
from sortkey.design.findings import Finding, is_unpadded, replaced, unpadded
from sortkey.design.slots import Slot
from sortkey.design.templates import Template

_TIMES = frozenset({"epoch", "millis", "milliseconds", "ms", "timestamp", "ts", "unix"})
_SPANS = frozenset({"delay", "duration", "elapsed", "interval", "lap", "length", "took"})


# A year has four digits.
_YEARS = (["year"], ["yyyy"])


@rule("SK201", "unpadded-number", ERROR)
def unpadded_number(model: Model) -> Iterator[Fault]:
    """A number enters a sort key at its natural width.

    DynamoDB orders a string sort key byte by byte, so "10" comes before "9". Range queries and
    newest-first then return the wrong records, and only once the numbers grow past one digit.
    `{number:unordered}` says that no query needs the order. Bounds that give all numbers as many
    digits, such as `Field(ge=1900, le=9999)`, are enough. In a raw design, a number that every read
    gives whole is not reported. A `year` has four digits and is not reported either. It is for
    information where the name says that a number keeps its digits, as a count of seconds from 1970
    or a weekday does.

    Flagged:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number}")

    Instead:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:020d}")
    """
    known: set[str] = set()
    for kind in model.kinds:
        for key in kind.keys.values():
            index = key.definition
            reads = [r for r in _reads(model) if r.index is index and kind in r.kinds]
            for part in key.sort:
                name, template = part.attribute.name, part.template
                where = f"{key.name}.{name}"
                known.add(where)
                slots = [
                    slot
                    for slot in filter(is_unpadded, dict.fromkeys(template.slots))
                    # The order of a key that no pattern reads may be needed elsewhere.
                    if not reads or any(_orders(r, name, template, slot) for r in reads)
                ]
                yield from _weighed_together(key, template, slots, name)
    # Of an entity or a key that could not be made, there is nothing more to look at.
    for found in model.collected("SK201"):
        if found.where not in known and words(found.field or "") not in _YEARS:
            yield _weighed(model.subject_at(found.where), found, found.where.partition(".")[2])
    for request in model.every_request:
        if request.is_raw and not request.kinds:
            for template, slot in dict.fromkeys(_without_entity(model, request)):
                found = unpadded(template, slot, "")
                yield Fault(request.pattern, found.message, f"Write {replaced(template, slot)}")


def _weighed_together(
    subject: Subject, template: Template, slots: list[Slot], at: str
) -> Iterator[Fault]:
    """Yield one fault for the numbers of a key that weigh alike."""
    weighed = [(slot, _severity(slot.field, template)) for slot in slots]
    for severity in (None, INFORMATION):
        own = [
            slot
            for slot, weight in weighed
            if weight == severity and words(slot.field) not in _YEARS
        ]
        if own:
            found = unpadded(template, own[0], "", *own[1:])
            yield Fault(subject, found.message, found.fix, at=at, severity=severity)


def _severity(name: str, template: Template) -> Severity | None:
    """What a number weighs: information where its name says that its digits hardly change."""
    is_of_week = words(name)[:1] == ["day"] and any("week" in words(f) for f in template.fields)
    return INFORMATION if _is_time(name) or is_of_week or _is_digit(name) else None


def _is_digit(name: str) -> bool:
    """Whether a name says that a number has one digit, or a year's four."""
    said = words(name)
    return said[-1:] in (["year"], ["quarter"], ["weekday"]) or said[-3:] == ["day", "of", "week"]


def _weighed(subject: Subject, found: Finding, at: str) -> Fault:
    severity = INFORMATION if _is_time(found.field or "") else None
    return Fault(subject, found.message, found.fix, at=at, severity=severity)


def _is_time(name: str) -> bool:
    """Whether a name says that a number counts from 1970."""
    said = {*words(name)}
    return bool(_TIMES & said) and not _SPANS & said


def _reads(model: Model) -> Iterator[Request]:
    return (request for request in model.every_request if request.reads)


def _orders(read: Request, attribute: str, template: Template, slot: Slot) -> bool:
    """Whether what a request returns depends on the order of a slot's values."""
    compared = read.step.key.get(attribute)
    is_range = compared is not None and compared.op not in {"=", "begins_with"}
    return (
        read.verb == "Query"
        and slot.field not in fixed_fields(read.step, attribute, template)
        and (is_range or read.step.select != "COUNT")
    )


def _without_entity(model: Model, request: Request) -> Iterator[tuple[Template, Slot]]:
    """The numbers in the sort key of a request that names no entity, where their order counts."""
    index = request.index
    sort = () if index is None else [a.name for a in index.sort if a.type == "S"]
    for name, template in compared_templates(request.pattern, request.step):
        if name in sort:
            yield from ((template, slot) for slot in filter(is_unpadded, template.slots))
    stored = templates(request.pattern, request.step)
    for name, template in stored.items():
        for slot in filter(is_unpadded, template.slots if name in sort else ()):
            for read in _reads(model):
                said = templates(read.pattern, read.step)
                if (
                    read.index is index
                    and not read.kinds
                    and all(meets(form, said.get(key)) for key, form in stored.items())
                    and _orders(read, name, template, slot)
                ):
                    yield template, slot
