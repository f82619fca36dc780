"""SK135 null-index-key: the key of an index may be stored as null or as an empty text."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.design.keys import EntityKey
from sortkey.design.marks import may_be_empty


@rule("SK135", "null-index-key", ERROR)
def null_index_key(model: Model) -> Iterator[Fault]:
    """The key of an index may be stored as null or as an empty text.

    A record without the attribute is not in the index, which is what is wanted. One that has it as
    null is refused by DynamoDB, since a key is text, a number or binary. A field whose default is
    None is left out where it is None; with another default, None has to be stored as null. An empty
    text is refused as well, so neither the default, nor a choice, nor a pattern may allow it.

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
                    yield Fault(
                        key,
                        f'"{field.name}" may be None and is then stored as null, which no key of '
                        "an index may be",
                        f"Give `{field.name}` the default None, so that it is left out",
                    )
                elif field is not None and _is_written_empty(model, kind, key, field.name):
                    yield Fault(
                        key,
                        f'"{field.name}" may be an empty text, which no key of an index may be: '
                        "DynamoDB refuses the record",
                        f"Declare `{field.name}` with the default None, so that it is left out",
                    )


def _is_written_empty(model: Model, kind: AnyKind, key: EntityKey, field: str) -> bool:
    """Whether sortkey writes an empty text into an index key; a raw request says what it writes.

    A validator of the whole record may fill the field, which is not known.
    """
    is_filled = bool(kind.model.__pydantic_decorators__.model_validators)
    if key.index is None or is_filled or not may_be_empty(kind.model.model_fields[field]):
        return False
    requests = model.requests_of(kind)
    return not kind.table.raw or any(not one.is_raw and one.step.writes for one in requests)
