"""The roles that use a design, and its overall settings: for `check`, IAM and deployment."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from sortkey.design.acknowledging import Ignored, with_reasons
from sortkey.design.declaring.lease import ShardLease
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.findings import refusal
from sortkey.design.tables.settings import SecretKey, Standard
from sortkey.design.tables.table import Table
from sortkey.operations.plan import name_in

# The most characters that IAM allows in a managed policy, without white space.
LONGEST_POLICY = 6144
# The most managed policies that IAM attaches to a role, without a larger quota.
MOST_POLICIES = 10
# The processors of Lambda.
Architecture: TypeAlias = Literal["arm64", "x86_64"]


@dataclass(frozen=True, slots=True)
class Role:
    """A program or a group of people, with the patterns that it may use and nothing else.

    ``acts_for`` names the field of the subject that each of its sessions represents, such as
    ``"user_id"``: a session can then access only that subject's records. ``follows`` names the
    tables whose streams it reads, with `follow` or as a Lambda function, and ``leases`` the entity
    in which it stores how far it has read. ``attached_to`` is the name or the ARN of an existing
    IAM role that gets its policies, with ``{environment}`` for the environment.
    """

    name: str
    patterns: Sequence[Pattern[..., Any]]
    acts_for: str | None = None
    follows: Sequence[type[Table]] = ()
    leases: type[ShardLease] | None = None
    attached_to: str | None = None

    def __post_init__(self) -> None:
        strangers = [item for item in self.patterns if not is_pattern(item)]
        if strangers:
            shown = getattr(strangers[0], "__name__", None) or repr(strangers[0])
            raise refusal(
                f'Role "{self.name}"',
                f"{shown} is not a pattern, so its requests are unknown",
                "Put @pattern(...) on the function",
                code="SK601",
                name="role-without-pattern",
            )

    def principal_in(self, environment: str) -> str | None:
        """Return the name of the IAM role that gets the policies in an environment, if declared."""
        if self.attached_to is None:
            return None
        return name_in(environment, self.attached_to).rpartition("/")[2]

    def __str__(self) -> str:
        return f'Role "{self.name}"'


def is_pattern(item: object) -> bool:
    """Whether something is a pattern, regardless of its annotation."""
    return isinstance(item, Pattern)


@dataclass(frozen=True, slots=True)
class About:
    """Settings of a whole design: ``about = About(tenant="org_id")`` in its module.

    ``tenant`` names the field that separates customers, ``environments`` the environments that the
    design is deployed to, and ``users`` the number of users that the declared rates are for.
    ``standard`` is the standard of every table that does not adopt another. ``secret_key`` is the
    key of the secret fields in AWS KMS, if they do not use local keys. ``architecture`` is that of
    the processors that its functions run on. ``ignore`` names the rules of `check` that do not
    apply to the design, each with a reason.
    """

    name: str = ""
    tenant: str | None = None
    environments: tuple[str, ...] = ("dev",)
    users: int | None = None
    standard: Standard | None = None
    secret_key: SecretKey | None = None
    architecture: Architecture = "x86_64"
    ignore: Ignored = field(default_factory=dict[str, str], hash=False)

    def __post_init__(self) -> None:
        with_reasons(self.ignore, "About")

    def __str__(self) -> str:
        return "The design"
