"""How a table is run: billing, expiry, stream, recovery, encryption and what happens at the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from sortkey.design.findings import DesignError, Finding

StreamView: TypeAlias = Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
Removal: TypeAlias = Literal["retain", "destroy"]
MOST_RECOVERY_DAYS = 35


@dataclass(frozen=True, slots=True)
class OnDemand:
    """Billed for each request, with optional ceilings in units a second."""

    most_reads: int | None = None
    most_writes: int | None = None


@dataclass(frozen=True, slots=True)
class Provisioned:
    """Billed for what is reserved, in units a second; with ``most_*`` it scales by itself."""

    reads: int
    writes: int
    most_reads: int | None = None
    most_writes: int | None = None
    target_percent: int = 70


@dataclass(frozen=True, slots=True)
class Alarms:
    """When somebody is told: thresholds over a period, and where the news goes."""

    throttled_requests: int = 1
    system_errors: int = 1
    latency_ms: int | None = None
    period_seconds: int = 300
    notify: str | None = None


@dataclass(frozen=True, slots=True)
class Standard:
    """A house standard that tables adopt; `check` and `synth` hold them to it."""

    name: str
    table_name: str | None = None
    key_names: tuple[str, str] | None = None
    index_key_names: tuple[str, str] | None = None
    prefixes: frozenset[str] = frozenset()
    exported_as: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """A table's settings; everything has the value that a new table should have."""

    billing: OnDemand | Provisioned = field(default_factory=OnDemand)
    ttl: str | None = None
    stream: StreamView | None = None
    recovery_days: int | None = MOST_RECOVERY_DAYS
    encryption: Literal["service", "aws-managed"] | str = "service"  # noqa: PYI051 - or a key's ARN
    deletion_protection: bool = True
    removal: Removal | Mapping[str, Removal] = "retain"
    table_class: Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"] = "STANDARD"
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    alarms: Alarms | None = None
    standard: Standard | None = None
    ephemeral: bool = False

    def __post_init__(self) -> None:
        days = self.recovery_days
        if days is not None and not 1 <= days <= MOST_RECOVERY_DAYS:
            raise DesignError(
                [
                    Finding(
                        "SK111",
                        "recovery-days",
                        "Settings",
                        f"recovery_days is {days}, and DynamoDB keeps 1 to {MOST_RECOVERY_DAYS}",
                        "Give a number of days in this range, or None for no recovery",
                    )
                ]
            )

    def with_ttl(self, attribute: str | None) -> "Settings":
        """The same with this TTL attribute, if one is named."""
        return self if attribute is None else replace(self, ttl=attribute)

    def removal_in(self, environment: str) -> Removal:
        """What happens to the table when it leaves the design, in this environment."""
        if isinstance(self.removal, str):
            return self.removal
        return self.removal.get(environment, "retain")
