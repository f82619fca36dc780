"""SK610 secret-in-index: a secret or personal data is copied into an index."""

from collections.abc import Iterator

from sortkey.check.fields import leaves_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.check.sensitive import is_personal_name, is_secret_name
from sortkey.design.keys import EntityKey
from sortkey.design.marks import secret_fields


@rule("SK610", "secret-in-index", INFORMATION)
def secret_in_index(model: Model) -> Iterator[Fault]:
    """A secret, or card or personal data, is copied into an index.

    A marked secret is encrypted there as in the table, and everything else is stored in clear. A
    role that may read the index, mostly to list something else, reads it too, and each list carries
    it over the wire. An index that projects only what its lists show does not. Data that is not
    marked is recognised by its name, such as `card_number` or `iban`, also in a model within the
    record. What is part of the index's own key is meant to be there.

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
        for key in kind.keys.values():
            if key.index is None:
                continue
            secrets = [n for n in secret_fields(kind.model) if key.holds(kind.stored_names[n])]
            if secrets:
                held = ", ".join(sorted(secrets))
                yield Fault(
                    key,
                    f"{key.definition} holds {held} of each {kind.name} too",
                    "Project only what its patterns read",
                )
            named = list(_named(kind, key))
            if named:
                yield Fault(
                    key,
                    f"{key.definition} holds {', '.join(named)} of each {kind.name} in clear, and "
                    f"the {'name says' if len(named) == 1 else 'names say'} card or personal data",
                    "Project only what its patterns read, or mark it as a secret",
                )


def _named(kind: AnyKind, key: EntityKey) -> Iterator[str]:
    """Yield what the index holds in clear beside its own key and is sensitive by its name."""
    beside = secret_fields(kind.model).union(key.all_fields)
    for leaf in leaves_of(kind.model):
        is_sensitive = is_personal_name(leaf.name) or (leaf.is_text and is_secret_name(leaf.name))
        is_held = leaf.field not in beside and key.holds(kind.stored_names[leaf.field])
        if is_held and is_sensitive and leaf.type is not bool:
            yield leaf.path
