"""SK201 unpadded-number: a number enters a sort key at its natural width."""

from collections.abc import Iterator
from string import Formatter

from sortkey.check.model import Model, Request
from sortkey.check.reach import key_texts
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.findings import Finding
from sortkey.design.marks import plain_type


@rule("SK201", "unpadded-number", ERROR)
def unpadded_number(model: Model) -> Iterator[Fault | Finding]:
    """A number enters a sort key at its natural width.

    DynamoDB orders a string sort key byte by byte, so "10" comes before "9". Range queries and
    newest-first then return the wrong records, and only once the numbers grow past one digit.
    `{number:unordered}` says that no query needs the order.

    Flagged:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number}")

    Instead:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:012d}")
    """
    yield from model.collected("SK201")
    for request in model.raw_requests:
        if not request.kinds:  # the template of an entity was judged already
            yield from _raw_numbers(request)


def _raw_numbers(request: Request) -> Iterator[Fault]:
    if request.index is None:
        return
    types = {p.name: plain_type(p.type)[0] for p in request.pattern.parameters}
    names = {attribute.name for attribute in request.index.sort if attribute.type == "S"}
    for name, text, _ in key_texts(request.step):
        for _, argument, spec, _ in Formatter().parse(text) if name in names else ():
            if types.get(argument or "") is int and not spec:
                yield Fault(
                    request.pattern,
                    f'"{text}" writes the number "{argument}" unpadded: "10" sorts before "9"',
                    f"Write {{{argument}:012d}}",
                )
