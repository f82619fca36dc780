"""SK110 too-many-key-attributes: an index has more key attributes than DynamoDB allows."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK110", "too-many-key-attributes", ERROR)
def too_many_key_attributes(model: Model) -> Iterator[Finding]:
    """An index has more key attributes than DynamoDB allows.

    A global index has one to four attributes in its partition key and up to four in its sort key.

    Flagged:
        class Sales(Table, partition="id"):
            by_place = gsi(["continent", "country", "state", "city", "street"])

    Instead:
        class Sales(Table, partition="id"):
            by_place = gsi(["continent", "country", "state", "city"], "street")
    """
    return model.collected("SK110")
