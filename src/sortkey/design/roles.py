"""Who uses a design, and what holds for all of it: for `check`, IAM and whoever deploys it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sortkey.design.findings import DesignError, Finding
from sortkey.design.ignoring import Ignored, with_reasons
from sortkey.design.pattern import Pattern
from sortkey.design.settings import Standard

# The characters that IAM takes in a managed policy, without white space.
LONGEST_POLICY = 6144


@dataclass(frozen=True, slots=True)
class Role:
    """A program or a group of people, with the patterns that it may use and nothing else.

    ``acts_for`` names the field of the one subject that each of its sessions stands for, such as
    ``"user_id"``: it then reaches only that subject's records.
    """

    name: str
    patterns: Sequence[Pattern[..., Any]]
    acts_for: str | None = None

    def __post_init__(self) -> None:
        strangers = [item for item in self.patterns if not is_pattern(item)]
        if strangers:
            shown = getattr(strangers[0], "__name__", None) or repr(strangers[0])
            raise DesignError(
                [
                    Finding(
                        "SK601",
                        "role-without-pattern",
                        f'Role "{self.name}"',
                        f"{shown} is not a pattern, so what it sends is not known",
                        "Put @pattern(...) on the function",
                    )
                ]
            )


def is_pattern(item: object) -> bool:
    """Whether something is a pattern, whatever its annotation says."""
    return isinstance(item, Pattern)


@dataclass(frozen=True, slots=True)
class About:
    """What holds for a whole design: ``about = About(tenant="org_id")`` in its module.

    ``tenant`` names the field that keeps customers apart, ``environments`` where the design is
    deployed, and ``users`` how many users the declared rates are of. ``standard`` is the house
    standard of every table that adopts none of its own. ``ignore`` says which rules of `check` are
    not held against the design, and why.
    """

    name: str = ""
    tenant: str | None = None
    environments: tuple[str, ...] = ("dev",)
    users: int | None = None
    standard: Standard | None = None
    ignore: Ignored = field(default_factory=dict[str, str], hash=False)

    def __post_init__(self) -> None:
        with_reasons(self.ignore, "About")
