"""SK125 bad-standard: a standard cannot be met as written."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK125", "bad-standard", ERROR)
def bad_standard(model: Model) -> Iterator[Finding]:
    """A standard cannot be met as written.

    Its names are templates that cannot be filled in, or they give two tables the same name. Every
    design that adopts the standard would be wrong in the same way.

    Flagged:
        house = Standard("house", table_name="{environment}-tables")

    Instead:
        house = Standard("house", table_name="{environment}-{name}")
    """
    return model.collected("SK125")
