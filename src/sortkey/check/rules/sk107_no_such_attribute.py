"""SK107 no-such-attribute: a key attribute is neither a field nor made by a template."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK107", "no-such-attribute", ERROR)
def no_such_attribute(model: Model) -> Iterator[Finding]:
    """A key attribute is neither a field nor made by a template.

    If a key has no templates, its attributes are fields of the entity, under their stored names. An
    attribute without a field would never be written.

    Flagged:
        class Users(Table, partition="userId"):
            pass

        class User(Entity, table=Users):
            user_id: str

    Instead:
        class Users(Table, partition="userId"):
            pass

        class User(Entity, table=Users):
            user_id: Annotated[str, Stored("userId")]
    """
    return model.collected("SK107")
