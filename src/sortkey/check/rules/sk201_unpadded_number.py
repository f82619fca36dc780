"""SK201 unpadded-number: a number is written into a sort key without padding."""

from collections.abc import Iterator
from dataclasses import replace

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import ERROR, INFORMATION, Finding, Severity, rule
from sortkey.design.plans.key_forms import compared_templates, fixed_fields, meets, templates
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.template_findings import is_unpadded, replaced, unpadded
from sortkey.design.records.keys.templates import Template
from sortkey.wording.names import words

_TIMES = frozenset({"epoch", "millis", "milliseconds", "ms", "timestamp", "ts", "unix"})
_SPANS = frozenset({"delay", "duration", "elapsed", "interval", "lap", "length", "took"})


# A year has four digits.
_YEARS = (["year"], ["yyyy"])


@rule("SK201", "unpadded-number", ERROR)
def unpadded_number(model: Model) -> Iterator[Finding]:
    """A number is written into a sort key without padding.

    DynamoDB orders a string sort key byte by byte, so "10" comes before "9". Range queries and
    newest-first reads then return the wrong records, but only once the numbers grow past one digit.
    `{number:unordered}` declares that no query needs the order. Bounds that give all numbers the
    same number of digits, such as `Field(ge=1900, le=9999)`, are enough. In a raw design, a number
    is not reported if every read specifies it in full. A `year` has four digits and is not reported
    either. Severity is information if the name suggests a fixed number of digits, such as seconds
    since 1970 or a weekday.

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
                yield from _grouped(key, template, slots, name)
    # An entity or a key that could not be created has no other record of its numbers.
    for found in model.collected("SK201"):
        if found.where not in known and words(found.about or "") not in _YEARS:
            yield replace(found, severity=INFORMATION if _is_time(found.about or "") else None)
    for request in model.every_request:
        if request.is_raw and not request.kinds:
            for template, slot in dict.fromkeys(_without_entity(model, request)):
                found = unpadded(template, slot, request.pattern)
                yield replace(found, fix=f"Write {replaced(template, slot)}")


def _grouped(key: EntityKey, template: Template, slots: list[Slot], at: str) -> Iterator[Finding]:
    """Yield one finding for all numbers of a key that have the same severity."""
    weighed = [(slot, _severity(slot.field, template)) for slot in slots]
    for severity in (None, INFORMATION):
        own = [
            slot
            for slot, weight in weighed
            if weight == severity and words(slot.field) not in _YEARS
        ]
        if own:
            found = unpadded(template, own[0], key, *own[1:])
            yield replace(found, at=at, severity=severity)


def _severity(name: str, template: Template) -> Severity | None:
    """Return information if the name of a number suggests that its digits hardly change."""
    is_of_week = words(name)[:1] == ["day"] and any("week" in words(f) for f in template.fields)
    return INFORMATION if _is_time(name) or is_of_week or _is_digit(name) else None


def _is_digit(name: str) -> bool:
    """Return whether a name suggests that a number has one digit, or the four digits of a year."""
    said = words(name)
    return said[-1:] in (["year"], ["quarter"], ["weekday"]) or said[-3:] == ["day", "of", "week"]


def _is_time(name: str) -> bool:
    """Return whether a name suggests that a number counts from 1970."""
    said = {*words(name)}
    return bool(_TIMES & said) and not _SPANS & said


def _reads(model: Model) -> Iterator[PlannedRequest]:
    return (request for request in model.every_request if request.reads)


def _orders(read: PlannedRequest, attribute: str, template: Template, slot: Slot) -> bool:
    """Return whether the result of a request depends on the order of a slot's values."""
    compared = read.step.key.get(attribute)
    is_range = compared is not None and compared.op not in {"=", "begins_with"}
    return (
        read.verb == "Query"
        and slot.field not in fixed_fields(read.step, attribute, template)
        and (is_range or read.step.select != "COUNT")
    )


def _without_entity(model: Model, request: PlannedRequest) -> Iterator[tuple[Template, Slot]]:
    """Yield the numbers in the sort key of a request without an entity, if their order matters."""
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
