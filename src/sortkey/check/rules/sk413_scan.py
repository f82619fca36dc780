"""SK413 scan: a pattern reads a whole table."""

from collections.abc import Iterator

from sortkey.check.fields import possible_values
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, INFORMATION, WARNING, Finding, rule
from sortkey.design.plans.sources import constant_text, source_of
from sortkey.expressions.conjuncts import conjuncts
from sortkey.expressions.tree import BeginsWith, Compare, Condition, Path, Value


@rule("SK413", "scan", WARNING)
def scan(model: Model) -> Iterator[Finding]:
    """A pattern reads a whole table.

    A Scan reads and pays for every record of every entity, and takes longer as the table grows. For
    an occasional job it may be right: acknowledge it with `ignore=`. With a declared rate it is an
    error. If the table contains only the records that the pattern needs, an index would read just
    as many: then it is information, and with a declared rate a warning. A raw Scan with a limit
    reads only the first records, in no meaningful order: that is a warning.

    Flagged:
        class Order(Entity, table=App):
            order_id: str
            status: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

        @pattern("Open orders", rate="1/s")
        def open_orders() -> Op[list[Order]]:
            return Order.scan().where(lambda o: o.status == "open")

    Instead:
        class Order(Entity, table=App):
            order_id: str
            status: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")
            by_status = App.gsi1.key("STATUS#{status}", "{order_id}")

        @pattern("Open orders", rate="1/s", page=50)
        def open_orders(after: str | None = None) -> Op[Page[Order]]:
            return Order.query(Order.by_status, status="open").page(50, after)
    """
    for request in model.requests:
        if request.verb == "Scan":
            rate = request.pattern.rate
            often = "" if rate is None else f", {rate}"
            is_all = _wants_all(model, request)
            read = request.step.index or request.table
            if _is_ended(request):
                yield Finding(
                    request.pattern,
                    f"it reads the first records of {read}{often}, in no meaningful order",
                    "Add a key for these records to an index, and query it",
                )
                continue
            severities = (INFORMATION, WARNING) if is_all else (WARNING, ERROR)
            yield Finding(
                request.pattern,
                f"it reads all of {read}{often}"
                + (", which contains only these records" if is_all else ""),
                "Read it in pages, and rarely: what it reads grows with the table"
                if is_all
                else "Add a key for these records to an index, and query it",
                severity=severities[rate is not None],
            )


def _is_ended(request: PlannedRequest) -> bool:
    """Whether a limit ends a scan, so that the records after it are never read."""
    return request.is_raw and request.step.limit is not None and request.pattern.page is None


def _wants_all(model: Model, request: PlannedRequest) -> bool:
    """Whether the pattern needs all records that it scans, so an index would read just as many."""
    kinds = [*model.kinds_of(request.table)]
    return (
        bool(kinds)
        and all(kind in request.kinds for kind in kinds)
        and all(
            _always_holds(part, kind) for part in conjuncts(request.step.filter) for kind in kinds
        )
    )


def _always_holds(condition: Condition, kind: AnyKind) -> bool:
    """Whether a condition is true of all records of an entity, by their keys and constants."""
    match condition:
        case BeginsWith(Path() as path, Value() as value):
            prefix = constant_text(source_of(value))
            leads = [
                part.template.parts[0]
                for part in kind.primary.parts
                if part.attribute.name == path.name
            ]
            return any(
                prefix is not None and isinstance(lead, str) and lead.startswith(prefix)
                for lead in leads
            )
        case Compare("=", Path() as path, Value() as value):
            parts = [p for p in kind.primary.parts if p.attribute.name == path.name]
            known = possible_values(kind, path.name)
            text = constant_text(source_of(value))
            is_only = known is not None and known == ({"S": text},)
            return is_only or any(not p.fields and p.template.text == text for p in parts)
        case _:
            return False
