"""SK110 too-many-key-attributes: an index is keyed on more attributes than DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK110", "too-many-key-attributes", ERROR)
def too_many_key_attributes(model: Model) -> Iterator[Finding]:
    """An index is keyed on more attributes than DynamoDB takes.

    A global index has one to four attributes for its partition, and as many for its sort key.

    Flagged:
        class Sales(Table, partition="id"):
            by_place = gsi(["continent", "country", "state", "city", "street"])

    Instead:
        class Sales(Table, partition="id"):
            by_place = gsi(["continent", "country", "state", "city"], "street")
    """
    return model.collected("SK110")
