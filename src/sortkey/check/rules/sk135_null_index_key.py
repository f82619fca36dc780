"""SK135 null-index-key: the key of an index may be stored as null or as an empty string."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.marks import may_be_empty


@rule("SK135", "null-index-key", ERROR)
def null_index_key(model: Model) -> Iterator[Finding]:
    """The key of an index may be stored as null or as an empty string.

    A record without the attribute is not in the index, as intended. DynamoDB rejects a record in
    which the attribute is null, since a key is a string, a number or binary. A field whose default
    is None is not stored while it is None; with another default, None has to be stored as null. An
    empty string is rejected as well, so neither the default, nor a choice, nor a pattern may allow
    it.

    Flagged:
        class Users(Table, partition="name"):
            by_team = gsi("team")

        class User(Entity, table=Users):
            name: str
            team: str | None = "guests"
            in_team = Users.by_team.key()

    Instead:
        class Users(Table, partition="name"):
            by_team = gsi("team")

        class User(Entity, table=Users):
            name: str
            team: str | None = None
            in_team = Users.by_team.key()
    """
    for kind in model.kinds:
        for key in kind.keys.values():
            for part in key.parts:
                field = kind.codec.fields[part.fields[0]] if part.is_natural else None
                if field is not None and field.optional and not field.omits_none:
                    yield Finding(
                        key,
                        f'"{field.name}" may be None and is then stored as null, but the key of an '
                        "index must not be null",
                        f"Give `{field.name}` the default None, so that None is not stored",
                    )
                elif field is not None and _is_written_empty(model, kind, key, field.name):
                    yield Finding(
                        key,
                        f'"{field.name}" may be an empty string, but the key of an index must not '
                        "be empty: DynamoDB rejects the record",
                        f"Declare `{field.name}` with the default None, so that None is not stored",
                    )


def _is_written_empty(model: Model, kind: AnyKind, key: EntityKey, field: str) -> bool:
    """Return whether sortkey may write an empty string into an index key.

    A raw request shows what it writes. A validator of the whole model may set the field, which is
    unknown here.
    """
    is_filled = bool(kind.model.__pydantic_decorators__.model_validators)
    if key.index is None or is_filled or not may_be_empty(kind.model.model_fields[field]):
        return False
    requests = model.requests_of(kind)
    return not kind.table.raw or any(not one.is_raw and one.step.writes for one in requests)
