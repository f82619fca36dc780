"""SK114 unique-needs-text-keys: a unique field is in a table whose keys are not text."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK114", "unique-needs-text-keys", ERROR)
def unique_needs_text_keys(model: Model) -> Iterator[Finding]:
    """A unique field is in a table whose keys are not text.

    A unique value is reserved by a lock record whose key is a string that begins with UNIQUE#. Such
    a record cannot be stored in a table whose key is a number or binary.

    Flagged:
        class Users(Table, partition=number("number")):
            pass

        class User(Entity, table=Users):
            number: int
            email: Annotated[str, unique]

    Instead:
        class Users(Table, partition="name"):
            pass

        class User(Entity, table=Users):
            name: str
            email: Annotated[str, unique]
    """
    return model.collected("SK114")
