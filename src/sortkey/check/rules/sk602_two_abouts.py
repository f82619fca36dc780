"""SK602 two-abouts: a design says twice what holds for all of it."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK602", "two-abouts", ERROR)
def two_abouts(model: Model) -> Iterator[Finding]:
    """A design says twice what holds for all of it.

    Only the first counts. The tenant, the environments or the standard of the other would be passed
    over without a word.

    Flagged:
        about = About(tenant="org_id")
        also = About(environments=("dev", "prod"))

    Instead:
        about = About(tenant="org_id", environments=("dev", "prod"))
    """
    return model.collected("SK602")
