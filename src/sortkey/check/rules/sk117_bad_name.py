"""SK117 bad-name: a table or an index has a name that DynamoDB does not take."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK117", "bad-name", ERROR)
def bad_name(model: Model) -> Iterator[Finding]:
    """A table or an index has a name that DynamoDB does not take.

    Names have 3 to 255 letters, digits, dots, dashes and underscores.

    Flagged:
        class Orders(Table, name="my orders"):
            pass

    Instead:
        class Orders(Table, name="my-orders"):
            pass
    """
    return model.collected("SK117")
