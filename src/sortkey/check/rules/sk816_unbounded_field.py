"""SK816 unbounded-field: a record has a list, a map or a JSON text without a maximum length."""

from collections.abc import Iterator

from sortkey.check.lengths import is_unbounded
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.expressions.tree import Set, Value


@rule("SK816", "unbounded-field", INFORMATION)
def unbounded_field(model: Model) -> Iterator[Finding]:
    """A record has a list, a map or a JSON text without a maximum length.

    It is read and written as a whole: every change costs as much as writing all of it, and an item
    of more than 400 KB is rejected. That is right for values that stay small;
    `Field(max_length=...)` or `Expected(size_bytes=...)` declares that. Data that grows with use
    belongs in separate records in the same partition. SK806 reports updates that add to it.

    Flagged:
        class Line(BaseModel):
            product: str
            count: int

        class Order(Entity, table=App):
            order_id: str
            lines: list[Line]
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

        @pattern("Place an order", rate="5/s")
        def place(order: Order) -> Op[Order]:
            return order.create()

    Instead:
        class Line(BaseModel):
            product: str
            count: int

        class Order(Entity, table=App):
            order_id: str
            lines: Annotated[list[Line], Field(max_length=50)]
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

        @pattern("Place an order", rate="5/s")
        def place(order: Order) -> Op[Order]:
            return order.create()
    """
    for kind in model.kinds:
        written = _written_whole(model, kind)
        if not written or kind.expected_by(kind.primary).size_bytes is not None:
            continue
        names = [
            name
            for name, stored in kind.stored_names.items()
            if stored in written and is_unbounded(kind, name)
        ]
        if names:
            has, it = ("have", "them") if len(names) > 1 else ("has", "it")
            yield Finding(
                kind,
                f"{', '.join(names)} {has} no maximum length, but an item of more than 400 KB is "
                "rejected",
                f"Give {it} Field(max_length=...), declare Expected(size_bytes=...), or store the "
                "members as separate records",
            )


def _written_whole(model: Model, kind: AnyKind) -> set[str]:
    """Return the attributes that patterns write as a whole and never add to."""
    whole: set[str] = set()
    added: set[str] = set()
    for request in model.requests_of(kind):
        whole.update(request.step.item or ())
        for action in request.step.update.actions if request.step.update else ():
            is_whole = isinstance(action, Set) and isinstance(action.operation, Value)
            (whole if is_whole and len(action.path.parts) == 1 else added).add(action.path.name)
    return whole - added
