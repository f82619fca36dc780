"""SK126 exemption-without-reason: a point of the standard is left out without a reason."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK126", "exemption-without-reason", ERROR)
def exemption_without_reason(model: Model) -> Iterator[Finding]:
    """A point of the standard is left out without a reason.

    Whoever reads the design later must be able to judge whether the reason still holds.

    Flagged:
        exempt = Exemption("ttl", "")

    Instead:
        exempt = Exemption("ttl", "nothing in it expires")
    """
    return model.collected("SK126")
