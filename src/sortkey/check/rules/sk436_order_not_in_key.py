"""SK436 order-not-in-key: a query promises an order that its sort key does not have."""

from collections.abc import Iterator
from typing import Any

from sortkey.check.fields import looks_like_time, names_a_span, type_of
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.plans.demand import choices_of
from sortkey.design.plans.key_forms import meant_fields
from sortkey.design.records.keys.slots import Slot
from sortkey.expressions.conjuncts import equalities


@rule("SK436", "order-not-in-key", WARNING)
def order_not_in_key(model: Model) -> Iterator[Finding]:
    """A query promises an order that its sort key does not have.

    DynamoDB returns records by the whole sort key, from the left. If the query does not specify a
    field that comes before the field of `order=`, the records come in groups: all closed ones, then
    all open ones, each group in order. With a limit, the newest may be missing. It is an error if
    the field before has few values, such as a status. A day before a time of that day keeps the
    order and is not reported.

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
            # Sorting later cannot add records that a limit dropped.
            sorted_later = ", or sort the records in the program and remove `order=`"
            yield Finding(
                request.pattern,
                f'`order=` is by "{ordered}", but the sort key has "{before}" before it, which the '
                "query does not specify: the records are sorted by that first",
                f"Specify {before} in the key condition, or put {ordered} before it in the key of "
                f"an index{'' if request.step.limit is not None else sorted_later}",
                at="order",
                severity=ERROR if few else WARNING,
            )


class _Read:
    """A stand-in for a record that returns the name of each field that is read."""

    def __getattr__(self, name: str) -> "_Name":
        return _Name(name)


class _Name:
    """A field that was read; nothing can be computed from it."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


def _ordered_by(request: PlannedRequest) -> str | None:
    """Return the first field that ``order=`` sorts by; None if it computes something."""
    order: Any = request.pattern.order
    try:
        found: Any = None if order is None else order(_Read())
        first: Any = found[0] if hasattr(found, "__getitem__") else found
    except Exception:  # noqa: BLE001 - whatever a design's own function raises
        return None
    return first.name if isinstance(first, _Name) else None


def _before(request: PlannedRequest, kind: AnyKind, ordered: str) -> str | None:
    """Return the first open field of the sort key, if it comes before the field of ``order=``."""
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
