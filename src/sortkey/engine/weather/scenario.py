"""Scenarios: which weather there is, by name or from a file."""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sortkey.errors import SortkeyError
from sortkey.wording.prose import listed
from sortkey.wording.spelling import meant_by


class ScenarioError(SortkeyError):
    """A scenario that does not exist, or whose file is wrong."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The weather: its name and its settings. Capacity is in units a second."""

    name: str
    # Throttle as DynamoDB does.
    throttling: bool = True
    partition_reads: float = 3000.0
    partition_writes: float = 1000.0
    # The capacity of a new table on demand.
    on_demand_reads: float = 12_000.0
    on_demand_writes: float = 4_000.0
    # Unused provisioned capacity is kept for so long.
    burst_seconds: float = 300.0
    # A partition is split after it was throttled for so long; 0 for never.
    split_seconds: float = 300.0
    # A table or an index takes so long to be created, changed or deleted, and changes are limited
    # as the service limits them; 0 for no time and no limits.
    change_seconds: float = 0.0


SCENARIOS = {
    each.name: each
    for each in (
        # Nothing happens, and the meters run.
        Scenario(name="fair", throttling=False),
        # The service as it is documented, on a day on which its limits are reached.
        Scenario(name="hot-day"),
        # Changes of tables take time.
        Scenario(name="slow-changes", throttling=False, change_seconds=20.0),
        # A tenth of a partition's capacity: a laptop's load is enough to reach it.
        Scenario(
            name="small-partitions",
            partition_reads=300.0,
            partition_writes=100.0,
            on_demand_reads=1_200.0,
            on_demand_writes=400.0,
        ),
    )
}


def scenario(name: str) -> Scenario:
    """Return the scenario with this name, or from this TOML file.

    Raises:
        ScenarioError: There is none, or a setting is wrong.
    """
    if not name.endswith(".toml"):
        found = SCENARIOS.get(name)
        if found is None:
            raise ScenarioError(
                f"There is no weather {name}; use {listed(SCENARIOS)}, or the name of a .toml file"
            )
        return found
    path = Path(name)
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ScenarioError(f"The weather in {name} cannot be read: {error}") from error
    return _from_settings(path, settings)


def _from_settings(path: Path, settings: dict[str, Any]) -> Scenario:
    known = {field.name: field.type for field in fields(Scenario)}
    for setting, value in settings.items():
        kind = known.get(setting)
        if kind is None:
            near = meant_by(setting, known)
            raise ScenarioError(
                f"{path}: there is no setting {setting}"
                + (f"; did you mean {near}?" if near else f"; use {listed(known)}")
            )
        if kind is bool and not isinstance(value, bool):
            raise ScenarioError(f"{path}: {setting} must be true or false, and is {value!r}")
        if kind is float and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ScenarioError(f"{path}: {setting} must be a number, and is {value!r}")
        if kind is float and not 0 <= value < float("inf"):
            raise ScenarioError(f"{path}: {setting} must not be negative, and is {value!r}")
        if kind is str and not isinstance(value, str):
            raise ScenarioError(f"{path}: {setting} must be text, and is {value!r}")
    values: dict[str, Any] = {"name": path.stem, **settings}
    return Scenario(**values)
