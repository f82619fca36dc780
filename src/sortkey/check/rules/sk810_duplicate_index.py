"""SK810 duplicate-index: an index contains the same records as another one, in the same order."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.tables.table import Index


@rule("SK810", "duplicate-index", WARNING)
def duplicate_index(model: Model) -> Iterator[Finding]:
    """An index contains the same records as another one, in the same order.

    Its key has the same attributes, or the first of them, so every query of it could use the other.
    Each write and all of its storage is paid for twice.

    Flagged:
        class Sales(Table, partition="id"):
            by_shop = gsi("shop")
            by_shop_and_day = gsi("shop", "day")

        class Sale(Entity, table=Sales):
            id: str
            shop: str
            day: date
            of_shop = Sales.by_shop.key()
            of_day = Sales.by_shop_and_day.key()

    Instead:
        class Sales(Table, partition="id"):
            by_shop_and_day = gsi("shop", "day")

        class Sale(Entity, table=Sales):
            id: str
            shop: str
            day: date
            of_day = Sales.by_shop_and_day.key()
    """
    for table in model.design.tables:
        indexes = [i for i in table.definition.indexes.values() if i.kind == "global"]
        for place, index in enumerate(indexes):
            # Of two identical indexes, the later one is redundant.
            others = [o for n, o in enumerate(indexes) if n != place and _holds(o, index)]
            alike = [o for o in others if _holds(index, o)]
            spare = [o for o in others if o not in alike or indexes.index(o) < place]
            if spare and _same_records(model, index, spare[0]):
                yield Finding(
                    index,
                    f"{spare[0]} contains the same records in the same order",
                    f"Query `{spare[0]}` instead, and remove this index",
                )


def _holds(wide: Index, narrow: Index) -> bool:
    """Whether a query of the narrow one can be a query of the wide one."""
    if wide.partition != narrow.partition or narrow.sort != wide.sort[: len(narrow.sort)]:
        return False
    if wide.projection == "ALL":
        return True
    if isinstance(wide.projection, str) or narrow.projection == "ALL":
        return wide.projection == narrow.projection
    named = () if isinstance(narrow.projection, str) else narrow.projection
    return set(named) <= set(wide.projection)


def _same_records(model: Model, index: Index, other: Index) -> bool:
    """Whether every entity with a key in one index also has a key in the other."""
    for kind in (k for k in model.kinds if index.table and k.table is index.table.definition):
        definitions = {id(key.definition) for key in kind.keys.values()}
        if id(index) in definitions and id(other) not in definitions:
            return False
    return True
