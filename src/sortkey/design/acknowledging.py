"""Findings that a design acknowledges as right, each with its reason."""

from collections.abc import Mapping
from typing import TypeAlias

from sortkey.design.findings import refusal

# The code or the name of a rule, an aspect of `prove` or a point of a standard, with the
# reason why the finding is right here.
Ignored: TypeAlias = Mapping[str, str]

# Findings of `prove` are acknowledged by these names, which no rule has.
PROVED_ASPECTS = frozenset({"affordable", "scalable"})


def with_reasons(ignore: Ignored | None, where: str) -> Ignored:
    """Return the ignored rules, each with its reason.

    Raises:
        DesignError: if a reason is missing.
    """
    ignored = dict(ignore or {})
    for rule, reason in ignored.items():
        if not reason.strip():
            raise refusal(
                where,
                f"{rule} is ignored without a reason",
                f'Write ignore={{"{rule}": "why it is right here"}}',
                code="SK603",
                name="ignored-without-reason",
            )
    return ignored
