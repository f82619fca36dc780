"""SK818 projected-counter: each change of a counter is also written to several indexes."""

from collections.abc import Iterator

from sortkey.check.changes import counts
from sortkey.check.model import AnyKind, Model, PlannedRequest
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.wording.names import words

_SEVERAL = 2
# From this many calls a second, the index writes are a significant cost.
_OFTEN = 100
_VERSIONS = frozenset({"revision", "version"})


@rule("SK818", "projected-counter", INFORMATION)
def projected_counter(model: Model) -> Iterator[Finding]:
    """Each change of a counter is also written to several indexes.

    A counter or a stock changes often, and each change is also written to every index that projects
    it. With two indexes every change costs three writes, and a hot key in one of them slows down
    all of them. A reader of the index may see an old number. Project it only into indexes whose
    lists show it, or store it in a separate record. It is not reported below a declared rate of 100
    a second.

    Flagged:
        class Shop(Table):
            by_brand = gsi("brand_id", "product_id")
            by_category = gsi("category_id", "product_id")

        class Product(Entity, table=Shop):
            product_id: str
            brand_id: Annotated[str, immutable]
            category_id: Annotated[str, immutable]
            stock: int
            primary = Shop.primary.key("PRODUCT#{product_id}", "PRODUCT")
            of_brand = Shop.by_brand.key()
            of_category = Shop.by_category.key()

        @pattern("Sell a product", rate="200/s")
        def sell(product_id: str) -> Op[None]:
            sold = Product.update(product_id=product_id).add(lambda p: p.stock).by(-1)
            return transact(sold.where(lambda p: p.stock > 0))

    Instead:
        class Shop(Table):
            by_brand = gsi("brand_id", "product_id", project="KEYS_ONLY")
            by_category = gsi("category_id", "product_id", project="KEYS_ONLY")

        class Product(Entity, table=Shop):
            product_id: str
            brand_id: Annotated[str, immutable]
            category_id: Annotated[str, immutable]
            stock: int
            primary = Shop.primary.key("PRODUCT#{product_id}", "PRODUCT")
            of_brand = Shop.by_brand.key()
            of_category = Shop.by_category.key()

        @pattern("Sell a product", rate="200/s")
        def sell(product_id: str) -> Op[None]:
            sold = Product.update(product_id=product_id).add(lambda p: p.stock).by(-1)
            return transact(sold.where(lambda p: p.stock > 0))
    """
    for request in model.requests:
        is_rare = request.rate is not None and request.rate < _OFTEN
        for kind in () if is_rare else request.kinds:
            for name in sorted(_counted(request, kind)):
                held = _holding(kind, name)
                if len(held) >= _SEVERAL:
                    yield Finding(
                        request.pattern,
                        f'each call changes the counter "{name}" of {kind.name}, which '
                        f"{', '.join(held)} project: {len(held) + 1} writes instead of one",
                        f"Project `{name}` only into indexes whose lists show it, or store it in a "
                        "separate record",
                    )


def _counted(request: PlannedRequest, kind: AnyKind) -> set[str]:
    """Return the fields that an update increments or decrements."""
    update = request.step.update
    counted = {action.path.name for action in (update.actions if update else ()) if counts(action)}
    # Writes that increment a version change the record anyway.
    versions = {name for name in kind.stored_names if not _VERSIONS.isdisjoint(words(name))}
    return {name for name, stored in kind.stored_names.items() if stored in counted} - versions


def _holding(kind: AnyKind, name: str) -> list[str]:
    """Return the global indexes that project a field of an entity, each once."""
    keys: list[EntityKey] = [
        key
        for key in kind.keys.values()
        if key.definition.kind == "global"
        and name not in key.all_fields
        and key.holds(kind.stored_names[name])
    ]
    return list(dict.fromkeys(str(key.definition) for key in keys))
