"""SK954 sample-type: an attribute of a sample item does not match its field."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.check.samples.matching import Matched
from sortkey.wire.values import kind_of


@rule("SK954", "sample-type", ERROR)
def sample_type(model: Model) -> Iterator[Finding]:
    """An attribute of a sample item does not match its field.

    A record with a string instead of a number, a time without its zone or a value that the field
    does not allow cannot be read back. DynamoDB never finds a string equal to a number, and rejects
    a key attribute whose type differs from the declared one. NULL is a type too: an item that
    should not be in an index must not have its key attributes.

    Flagged:
        class Player(Entity, table=App):
            player_id: str
            points: int
            primary = App.primary.key("PLAYER#{player_id}", "PLAYER")

        samples = [{"PK": "PLAYER#7", "SK": "PLAYER", "player_id": "7", "points": "120"}]

    Instead:
        class Player(Entity, table=App):
            player_id: str
            points: int
            primary = App.primary.key("PLAYER#{player_id}", "PLAYER")

        samples = [{"PK": "PLAYER#7", "SK": "PLAYER", "player_id": "7", "points": 120}]
    """
    for matched in model.matched:
        nulls = [name for name in _index_keys(matched) if "NULL" in matched.sample.item[name]]
        if nulls:
            yield Finding(
                matched,
                f"{', '.join(nulls)} {'is' if len(nulls) == 1 else 'are'} NULL, but DynamoDB "
                "rejects an item with such an index key",
                "Omit the attributes: an item without them is not in the index",
            )
        for attribute, message in {**dict(_keys(matched)), **matched.type_faults}.items():
            if attribute not in nulls and not _is_expiry(matched, attribute):
                yield Finding(
                    matched,
                    message,
                    "Correct the value, or the type of the field",
                )


def _index_keys(matched: Matched) -> list[str]:
    """Return the attributes of an item that are keys of indexes."""
    indexes = matched.kind.table.indexes.values()
    named = dict.fromkeys(attribute.name for index in indexes for attribute in index.attributes)
    return [name for name in named if name in matched.sample.item]


def _is_expiry(matched: Matched, attribute: str) -> bool:
    """Whether it is a time to live, which SK956 judges."""
    kind, value = matched.kind, matched.sample.item.get(attribute, {})
    if attribute not in {kind.table.settings.ttl, kind.expires}:
        return False
    return "N" not in value or value["N"].isdecimal()


def _keys(matched: Matched) -> Iterator[tuple[str, str]]:
    """Yield the key attributes that DynamoDB rejects, each with a message."""
    table, item = matched.kind.table, matched.sample.item
    for index in (table.primary, *table.indexes.values()):
        for attribute in index.attributes:
            value = item.get(attribute.name)
            if value is None:
                continue
            name = f'"{attribute.name}", a key of {index},'
            if attribute.type not in value and not (attribute.type == "B" and "S" in value):
                found = kind_of(value)
                yield attribute.name, f"{name} has type {found} instead of {attribute.type}"
            elif value in ({"S": ""}, {"B": ""}):
                yield attribute.name, f"{name} is empty, which DynamoDB rejects"
