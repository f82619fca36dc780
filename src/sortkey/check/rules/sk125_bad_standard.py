"""SK125 bad-standard: a house standard cannot be kept as it is written."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK125", "bad-standard", ERROR)
def bad_standard(model: Model) -> Iterator[Finding]:
    """A house standard cannot be kept as it is written.

    Its names are templates that nothing fills, or two tables would get one name. Whatever adopts it
    would be wrong in the same way.

    Flagged:
        house = Standard("house", table_name="{environment}-tables")

    Instead:
        house = Standard("house", table_name="{environment}-{name}")
    """
    return model.collected("SK125")
