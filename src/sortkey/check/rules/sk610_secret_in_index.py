"""SK610 secret-in-index: a secret is copied into an index."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.design.marks import secret_fields


@rule("SK610", "secret-in-index", INFORMATION)
def secret_in_index(model: Model) -> Iterator[Fault]:
    """A secret is copied into an index.

    It is encrypted there as in the table. But whoever may read the index holds it too, mostly to
    list something else, and each list carries it over the wire. An index that projects only what
    its lists show does not.

    Flagged:
        class Shop(Entity, table=App):
            shop_id: str
            country: str
            access_token: Annotated[str, secret]
            primary = App.primary.key("SHOP#{shop_id}", "SHOP")
            by_country = App.gsi1.key("COUNTRY#{country}", "{shop_id}")

    Instead:
        class Shops(Table):
            by_country = gsi("GSI1PK", "GSI1SK", project=["shop_id", "country", "_type"])

        class Shop(Entity, table=Shops):
            shop_id: str
            country: str
            access_token: Annotated[str, secret]
            primary = Shops.primary.key("SHOP#{shop_id}", "SHOP")
            in_country = Shops.by_country.key("COUNTRY#{country}", "{shop_id}")
    """
    for kind in model.kinds:
        secrets = [name for name in kind.stored_names if name in secret_fields(kind.model)]
        for key in kind.keys.values():
            held = [n for n in secrets if key.index and key.holds(kind.stored_names[n])]
            if held:
                yield Fault(
                    key,
                    f"{key.definition} holds {', '.join(held)} of each {kind.name} too",
                    "Project only what its patterns read",
                )
