"""Policies of a stack: statements about tables, keys, and what functions use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sortkey.synth.model.services import (
    BucketObjects,
    BucketResource,
    LogStreams,
    QueueResource,
    SettingResource,
)
from sortkey.synth.model.tables import TableResource


@dataclass(frozen=True, slots=True)
class Resource:
    """A table, one of its indexes or its streams, here or in the region of a replica."""

    table: TableResource
    index: str | None = None
    region: str | None = None
    is_stream: bool = False

    @property
    def suffix(self) -> str:
        """The end of the ARN, after the name of the table."""
        if self.is_stream:
            return "/stream/*"
        return "" if self.index is None else f"/index/{self.index}"


@dataclass(frozen=True, slots=True)
class SecretKeyResource:
    """The KMS key of secret fields, with its alias; ``regions`` have replicas of it."""

    alias: str
    description: str
    regions: tuple[str, ...]
    context: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RegionalKey:
    """The key of secret fields, here or in the region of a replica."""

    region: str | None = None


# Operator, condition key, values.
Condition: TypeAlias = tuple[str, str, tuple[str, ...]]

# What functions use beside tables; of a setting, the secret that its value is the ARN of.
Service: TypeAlias = QueueResource | BucketResource | BucketObjects | LogStreams | SettingResource
Place: TypeAlias = Resource | RegionalKey | Service | str


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a policy: actions, resources and conditions."""

    sid: str
    comment: str
    actions: tuple[str, ...]
    # Tables and indexes, the key of secret fields, the ARNs of other keys, or services.
    resources: tuple[Place, ...]
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Policy:
    """Permissions of a role of the design, as a policy to attach to its principals.

    A role whose permissions are too long for one policy has several.

    ``unconfined`` has the patterns for which no condition separates subjects.
    """

    id: str
    name: str
    description: str
    role: str
    statements: tuple[Statement, ...]
    unconfined: tuple[str, ...] = ()
    # The name of an existing IAM role that it is attached to.
    principal: str | None = None
