"""SK602 two-abouts: a design has more than one About."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK602", "two-abouts", ERROR)
def two_abouts(model: Model) -> Iterator[Finding]:
    """A design has more than one About.

    Only the first one takes effect. The tenant, the environments or the standard of the other would
    be silently ignored.

    Flagged:
        about = About(tenant="org_id")
        also = About(environments=("dev", "prod"))

    Instead:
        about = About(tenant="org_id", environments=("dev", "prod"))
    """
    return model.collected("SK602")
