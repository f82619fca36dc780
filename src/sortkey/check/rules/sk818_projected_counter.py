"""SK818 projected-counter: each count of a field is written to several indexes too."""

from collections.abc import Iterator

from sortkey.check.changes import counts
from sortkey.check.fields import words
from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.keys import EntityKey

_SEVERAL = 2
# So many calls in a second make the writes of indexes a cost to think about.
_OFTEN = 100
_VERSIONS = frozenset({"revision", "version"})


@rule("SK818", "projected-counter", INFORMATION)
def projected_counter(model: Model) -> Iterator[Fault]:
    """Each count of a field is written to several indexes too.

    A counter or a stock changes often, and an index that projects it is written with each change.
    With two indexes every count costs three writes, and a busy key of one of them holds up all of
    them. Who reads the number there may read an old one. Project it only where a list shows it, or
    keep it in a record of its own. It is not reported below a declared rate of 100 a second.

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
                    yield Fault(
                        request.pattern,
                        f'each call counts "{name}" of {kind.name}, which '
                        f"{', '.join(held)} project: {len(held) + 1} writes instead of one",
                        f"Project `{name}` only where a list shows it, or keep it in a record of "
                        "its own",
                    )


def _counted(request: Request, kind: AnyKind) -> set[str]:
    """The fields that an update counts up or down."""
    update = request.step.update
    counted = {action.path.name for action in (update.actions if update else ()) if counts(action)}
    # A version is raised by writes that change the record anyway.
    versions = {name for name in kind.stored_names if not _VERSIONS.isdisjoint(words(name))}
    return {name for name, stored in kind.stored_names.items() if stored in counted} - versions


def _holding(kind: AnyKind, name: str) -> list[str]:
    """The global indexes that hold a field of an entity beside their keys, each once."""
    keys: list[EntityKey] = [
        key
        for key in kind.keys.values()
        if key.definition.kind == "global"
        and name not in key.all_fields
        and key.holds(kind.stored_names[name])
    ]
    return list(dict.fromkeys(str(key.definition) for key in keys))
