"""SK136 repeated-key: the sort key of an index repeats its partition key."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, WARNING, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.unify import can_collide
from sortkey.design.tables.table import Index


@rule("SK136", "repeated-key", WARNING)
def repeated_key(model: Model) -> Iterator[Finding]:
    """The sort key of an index repeats its partition key.

    All records of a partition then have the same sort key, so it neither orders nor distinguishes
    them, and each write pays for it. Sort by a value that queries can use, such as a time, or
    declare the index without a sort key. A record that shares its partition with records of another
    entity is not reported: its id may be its place among them.

    If a key contains the same attribute twice, DynamoDB rejects it, which is an error.

    Flagged:
        class Users(Table, raw=True):
            by_id = gsi("GSI1PK", "GSI1SK")

        class User(Entity, table=Users):
            email: str
            user_id: str
            primary = Users.primary.key("USER#{email}", "USER")
            of_id = Users.by_id.key("USER#{user_id}", "USER#{user_id}")

    Instead:
        class Users(Table, raw=True):
            by_id = gsi("GSI1PK")

        class User(Entity, table=Users):
            email: str
            user_id: str
            primary = Users.primary.key("USER#{email}", "USER")
            of_id = Users.by_id.key("USER#{user_id}")
    """
    for table in model.design.tables:
        definition = table.definition
        for index in (definition.primary, *definition.indexes.values()):
            yield from _twice(index)
    for kind in model.kinds:
        for key in kind.keys.values():
            # An index on the table's own key attributes has what they have.
            is_own = {a.name for a in key.definition.attributes} <= {*kind.key_names}
            if key.index is not None and not is_own and not _shares_partition(model, kind, key):
                yield from _repeated(key)


def _twice(index: Index) -> Iterator[Finding]:
    names = [attribute.name for attribute in index.attributes]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Finding(
            index,
            f"its key contains {name} twice, which DynamoDB rejects",
            "Use another attribute, or omit the sort key",
            severity=ERROR,
        )


def _repeated(key: EntityKey) -> Iterator[Finding]:
    partition = {part.template.text for part in key.partition if part.template.slots}
    names = {part.attribute.name for part in key.partition}
    for part in key.sort:
        if part.template.text in partition and part.attribute.name not in names:
            yield Finding(
                key,
                f'its sort key {part.attribute.name} is "{part.template}", the same as its '
                "partition key: it neither orders nor distinguishes records",
                "Sort by a value that queries can use, or declare the index without a sort key",
            )


def _shares_partition(model: Model, kind: AnyKind, key: EntityKey) -> bool:
    """Return whether another entity's records can be in the same partition of the index."""
    others = [
        other
        for one in model.kinds_of(key.table)
        if one is not kind
        for other in one.keys.values()
        if other.definition is key.definition
    ]
    return any(
        all(
            mine.attribute.type != "S" or can_collide(mine.template, theirs.template)
            for mine, theirs in zip(key.partition, other.partition, strict=True)
        )
        for other in others
    )
