"""SK436 order-not-in-key: a query promises an order that its sort key does not have."""

from collections.abc import Iterator
from typing import Any

from sortkey.check.fields import looks_like_time, names_a_span, type_of
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.reach import meant_fields
from sortkey.check.rule import ERROR, WARNING, Fault, rule
from sortkey.design.demand import choices_of
from sortkey.design.slots import Slot
from sortkey.expressions.conjuncts import equalities


@rule("SK436", "order-not-in-key", WARNING)
def order_not_in_key(model: Model) -> Iterator[Fault]:
    """A query promises an order that its sort key does not have.

    DynamoDB returns records by the whole sort key, from the left. Where `order=` names a field
    behind another one that the query leaves open, the records come in groups: all that are closed,
    then all that are open, each in order. With a limit, the newest may not be among them. It is an
    error where the field before is one of a few values, such as a status. A day before a time of
    that day keeps the order, and is not reported.

    Flagged:
        class Old(Table, raw=True):
            pass

        class Offer(Entity, table=Old):
            company: str
            status: Literal["open", "closed"]
            made_at: datetime
            primary = Old.primary.key("COMPANY#{company}", "{status}#{made_at}")

        offers = raw_pattern(
            "Offers of a company, newest first",
            table=Old,
            operation="Query",
            entity=Offer,
            key_condition="PK = :pk",
            values={":pk": "COMPANY#{company}"},
            scan_forward=False,
            arguments={"company": str},
            where=lambda offer, company: offer.company == company,
            order=lambda offer: offer.made_at,
            descending=True,
        )

    Instead:
        class Old(Table, raw=True):
            pass

        class Offer(Entity, table=Old):
            company: str
            status: Literal["open", "closed"]
            made_at: datetime
            primary = Old.primary.key("COMPANY#{company}", "{made_at}#{status}")

        offers = raw_pattern(
            "Offers of a company, newest first",
            table=Old,
            operation="Query",
            entity=Offer,
            key_condition="PK = :pk",
            values={":pk": "COMPANY#{company}"},
            scan_forward=False,
            arguments={"company": str},
            where=lambda offer, company: offer.company == company,
            order=lambda offer: offer.made_at,
            descending=True,
        )
    """
    for request in model.raw_requests:
        ordered = _ordered_by(request)
        if request.verb != "Query" or ordered is None or len(request.kinds) != 1:
            continue
        [kind] = request.kinds
        before = _before(request, kind, ordered)
        if before is not None:
            few = choices_of(type_of(kind, before)) is not None
            # What a limit leaves out cannot be sorted in afterwards.
            sorted_later = ", or sort the records in the program and leave out `order=`"
            yield Fault(
                request.pattern,
                f'`order=` is by "{ordered}", and the sort key has "{before}" before it, which the '
                "query leaves open: the records come in that order first",
                f"Give {before} in the key condition, or write {ordered} before it in the key of "
                f"an index{'' if request.step.limit is not None else sorted_later}",
                at="order",
                severity=ERROR if few else WARNING,
            )


class _Read:
    """Stands for a record, and returns the name of each field that is read."""

    def __getattr__(self, name: str) -> "_Name":
        return _Name(name)


class _Name:
    """A field that was read; nothing can be computed from it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def _ordered_by(request: Request) -> str | None:
    """The field by which ``order=`` compares records first; None where it computes something."""
    order: Any = request.pattern.order
    try:
        found: Any = None if order is None else order(_Read())
        first: Any = found[0] if hasattr(found, "__getitem__") else found
    except Exception:  # noqa: BLE001 - whatever a design's own function raises
        return None
    return first.name if isinstance(first, _Name) else None


def _before(request: Request, kind: AnyKind, ordered: str) -> str | None:
    """The field before another in the sort key of which a query returns several values."""
    key = request.key_of(kind)
    parts = () if key is None else key.sort
    equal = {name for name, _ in equalities(request.step.filter)}
    fixed = {name for name, stored in kind.stored_names.items() if stored in equal}
    for part in parts:
        fixed |= meant_fields(request.step, part.attribute.name, part.template)
    fixed |= set[str]() if key is None else {n for part in key.partition for n in part.fields}
    open_slots = [s for part in parts for s in part.template.slots if s.field not in fixed]
    if ordered not in {slot.field for slot in open_slots[1:]}:
        return None
    first = open_slots[0]
    return None if first.field == ordered or _is_time(first) else first.field


def _is_time(slot: Slot) -> bool:
    return slot.is_time or looks_like_time(slot.field) or names_a_span(slot.field)
