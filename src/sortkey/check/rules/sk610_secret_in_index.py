"""SK610 secret-in-index: a secret or personal data is copied into an index."""

from collections.abc import Iterator

from sortkey.check.fields import Leaf, leaves_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Fault, rule
from sortkey.check.sensitive import is_contact_name, is_secret_name, names_a_person, sensitive_kind
from sortkey.design.keys import EntityKey
from sortkey.design.marks import secret_fields

_CONTACT = "contact data"


@rule("SK610", "secret-in-index", INFORMATION)
def secret_in_index(model: Model) -> Iterator[Fault]:
    """A secret, or data about a person, is copied into an index.

    A marked secret is encrypted there as in the table, and everything else is stored in clear. A
    role that may read the index, mostly to list something else, reads it too, and each list carries
    it over the wire. An index that projects only what its lists show does not. Data that is not
    marked is recognised by its name, such as `card_number`, `iban`, `salary` or `password_hash`,
    also in a model within the record. E-mail addresses and telephone numbers of people are what
    many lists show: they are reported only where no pattern reads the records from the index. What
    is part of the index's own key is meant to be there.

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
    read = {(kind, r.index) for r in model.every_request if r.reads for kind in r.kinds}
    for kind in model.kinds:
        marked = secret_fields(kind.model)
        named = list(_named(kind, marked))
        if not any(kind is one for one, _ in read):  # how it is listed is not known yet
            named = [(leaf, what) for leaf, what in named if what != _CONTACT]
        found: dict[tuple[str, str], list[EntityKey]] = {}
        for key in kind.keys.values():
            if key.index is None:
                continue
            secrets = [name for name in marked if key.holds(kind.stored_names[name])]
            if secrets:
                found.setdefault((", ".join(sorted(secrets)), ""), []).append(key)
            is_unread = (kind, key.definition) not in read
            shown = [
                (leaf.path, what)
                for leaf, what in named
                if leaf.field not in key.all_fields
                and key.holds(kind.stored_names[leaf.field])
                and (what != _CONTACT or is_unread)
            ]
            if shown:
                data = ", ".join(path for path, _ in shown)
                whats = " and ".join(dict.fromkeys(what for _, what in shown))
                found.setdefault((data, whats), []).append(key)
        for (data, whats), keys in found.items():
            yield _fault(kind, data, whats, keys)


def _fault(kind: AnyKind, data: str, whats: str, keys: list[EntityKey]) -> Fault:
    """Say once which indexes hold the same data."""
    indexes = " and ".join(str(key.definition) for key in keys)
    holds = "holds" if len(keys) == 1 else "hold"
    if not whats:
        return Fault(
            keys[0],
            f"{indexes} {holds} {data} of each {kind.name} too",
            "Project only what its patterns read",
        )
    by = "their names" if ", " in data else "its name"
    return Fault(
        keys[0],
        f"{indexes} {holds} {data} of each {kind.name} in clear: {whats}, by {by}",
        "Project only what its patterns read, or mark it as a secret",
    )


def _named(kind: AnyKind, marked: frozenset[str]) -> Iterator[tuple[Leaf, str]]:
    """Yield what records hold in clear that is sensitive by its name, and what that is."""
    for leaf in leaves_of(kind.model):
        if leaf.field in marked or leaf.type is bool:
            continue
        what = sensitive_kind(leaf.name)
        if what is not None and (leaf.is_text or not is_secret_name(leaf.name)):
            yield leaf, what
        elif leaf.is_text and is_contact_name(leaf.name) and names_a_person(kind.model.__name__):
            yield leaf, _CONTACT
