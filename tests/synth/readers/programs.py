"""What runs of a deployed stack, as one value for all targets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

Json = Any


@dataclass
class DeployedPrograms:
    """Each by its name: functions, with what calls them and what they use.

    Statements have no names, because targets add some of their own.
    """

    settings: dict[str, Json] = field(default_factory=dict[str, Json])
    functions: dict[str, Json] = field(default_factory=dict[str, Json])
    # The trust, the managed policies and all other statements of each execution role.
    roles: dict[str, Json] = field(default_factory=dict[str, Json])
    # The function, the service that may call it, and for what.
    permissions: list[Json] = field(default_factory=list[Json])
    retries: dict[str, Json] = field(default_factory=dict[str, Json])
    logs: dict[str, Json] = field(default_factory=dict[str, Json])
    queues: dict[str, Json] = field(default_factory=dict[str, Json])
    buckets: dict[str, Json] = field(default_factory=dict[str, Json])
    # The statements about each queue and bucket.
    guards: dict[str, list[Json]] = field(default_factory=dict[str, list[Json]])
    rules: dict[str, Json] = field(default_factory=dict[str, Json])
    sources: list[Json] = field(default_factory=list[Json])
    apis: dict[str, Json] = field(default_factory=dict[str, Json])
    stages: dict[str, Json] = field(default_factory=dict[str, Json])
    authorizers: dict[str, Json] = field(default_factory=dict[str, Json])
    routes: dict[tuple[str, str], Json] = field(default_factory=dict[tuple[str, str], Json])


def rules_of(statements: Iterable[Mapping[str, Json]]) -> list[Json]:
    """The statements of a policy in JSON, without their names and in an order of their own."""
    return ordered(
        (
            said["Effect"],
            "*" if said.get("Principal") == {"AWS": "*"} else said.get("Principal"),
            sorted(many(said["Action"])),
            sorted(many(said["Resource"])),
            said.get("Condition", {}),
        )
        for said in statements
    )


def ordered(values: Iterable[Json]) -> list[Json]:
    """Values of any kind in one order, each once."""
    return [value for _, value in sorted({repr(value): value for value in values}.items())]


def many(values: Json) -> list[str]:
    """A list, where one text may stand alone."""
    return [values] if isinstance(values, str) else list(cast("list[str]", values))
