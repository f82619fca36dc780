"""What a design knows of and keeps: findings that are right here, each with its reason."""

from collections.abc import Mapping
from typing import TypeAlias

from sortkey.design.findings import DesignError, Finding

# The code or the name of a rule, or an aspect of `prove`, and why what it finds is right where this
# stands.
Ignored: TypeAlias = Mapping[str, str]

# What `prove` finds may be acknowledged under these names; no rule is called so.
PROVED_ASPECTS = frozenset({"affordable", "scalable"})


def with_reasons(ignore: Ignored | None, where: str) -> Ignored:
    """What is ignored, each with a reason; an ignored finding without one is refused."""
    given = dict(ignore or {})
    for rule, reason in given.items():
        if not reason.strip():
            raise DesignError(
                [
                    Finding(
                        "SK603",
                        "ignored-without-reason",
                        where,
                        f"{rule} is ignored, and nothing says why",
                        f'Write ignore={{"{rule}": "why it is right here"}}',
                    )
                ]
            )
    return given
