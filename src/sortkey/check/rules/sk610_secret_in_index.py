"""SK610 secret-in-index: a secret or personal data is copied into an index."""

from collections.abc import Iterator

from sortkey.check.fields import Leaf, leaves_of
from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import INFORMATION, Finding, rule
from sortkey.check.sensitive import is_contact_name, is_secret_name, names_a_person, sensitive_kind
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.marks import secret_fields
from sortkey.wording.prose import listed

_CONTACT = "contact data"


@rule("SK610", "secret-in-index", INFORMATION)
def secret_in_index(model: Model) -> Iterator[Finding]:
    """A secret or personal data is copied into an index.

    A marked secret is encrypted in an index too; everything else is stored unencrypted. A role that
    can read the index, usually to list something else, reads it too, and each list transfers it. To
    avoid that, project only the attributes that the lists show. Data that is not marked is
    recognized by its name, such as `card_number`, `iban`, `salary` or `password_hash`, also in a
    model within the record. Many lists show the e-mail addresses and telephone numbers of people:
    they are reported only if no pattern reads the records from the index. A field in the key of the
    index is there on purpose and is not reported.

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
        # The lists are not known yet.
        if kind in model.obscure or not any(kind is one for one, _ in read):
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
                whats = listed(dict.fromkeys(what for _, what in shown))
                found.setdefault((data, whats), []).append(key)
        for (data, whats), keys in found.items():
            yield _fault(kind, data, whats, keys)


def _fault(kind: AnyKind, data: str, whats: str, keys: list[EntityKey]) -> Finding:
    """Return one finding for all indexes with the same data."""
    indexes = listed(str(key.definition) for key in keys)
    contain = "contains" if len(keys) == 1 else "contain"
    if not whats:
        return Finding(
            keys[0],
            f"{indexes} also {contain} {data} of each {kind.name}",
            "Project only the attributes that its patterns read",
        )
    by = "their names" if ", " in data else "its name"
    return Finding(
        keys[0],
        f"{indexes} {contain} {data} of each {kind.name} unencrypted: {whats}, judging by {by}",
        "Project only the attributes that its patterns read, or mark it as a secret",
    )


def _named(kind: AnyKind, marked: frozenset[str]) -> Iterator[tuple[Leaf, str]]:
    """Yield the unencrypted fields with sensitive names, and the kind of data."""
    for leaf in leaves_of(kind.model):
        if leaf.field in marked or leaf.type is bool:
            continue
        what = sensitive_kind(leaf.name)
        if what is not None and (leaf.is_text or not is_secret_name(leaf.name)):
            yield leaf, what
        elif leaf.is_text and is_contact_name(leaf.name) and names_a_person(kind.model.__name__):
            yield leaf, _CONTACT
