"""The deployed resources besides the keys of tables, as one value for all targets."""

from dataclasses import dataclass, field
from typing import Any

from tests.synth.readers.programs import DeployedPrograms

Json = Any


@dataclass
class Deployed:
    """Each by its name: the settings of tables, and what goes with them.

    Outputs go by their descriptions, and roles, each once, by who may assume them: targets name
    them each in its own way.
    """

    settings: dict[str, Json] = field(default_factory=dict[str, Json])
    scalings: dict[tuple[str, str], Json] = field(default_factory=dict[tuple[str, str], Json])
    policies: dict[str, Json] = field(default_factory=dict[str, Json])
    # The names of existing roles that a policy is attached to.
    attached: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    parameters: dict[str, Json] = field(default_factory=dict[str, Json])
    topics: set[str] = field(default_factory=set[str])
    alarms: dict[str, Json] = field(default_factory=dict[str, Json])
    backups: dict[str, Json] = field(default_factory=dict[str, Json])
    backed_up: dict[str, Json] = field(default_factory=dict[str, Json])
    vaults: dict[str, bool] = field(default_factory=dict[str, bool])
    # The alias of a key, with whether it rotates, has replicas, and is kept.
    keys: dict[str, Json] = field(default_factory=dict[str, Json])
    dashboards: dict[str, list[Json]] = field(default_factory=dict[str, list[Json]])
    outputs: dict[str, str] = field(default_factory=dict[str, str])
    roles: list[Json] = field(default_factory=list[Json])
    programs: DeployedPrograms = field(default_factory=DeployedPrograms)
