"""Scenarios: which weather there is, by name or from a file."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, cast

from sortkey.engine.weather.faults import FAULT_KINDS, Fault
from sortkey.errors import SortkeyError
from sortkey.wording.prose import listed
from sortkey.wording.spelling import meant_by


class ScenarioError(SortkeyError):
    """A scenario that does not exist, or whose file is wrong."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The weather: its name and its settings. Capacity is in units a second."""

    # Shown in the log and by `sortkey top`; the name of the file, unless it is set.
    name: str
    # Throttle as DynamoDB does.
    throttling: bool = True
    # The read units of a partition.
    partition_reads: float = 3000.0
    # The write units of a partition.
    partition_writes: float = 1000.0
    # The read units of a new table on demand.
    on_demand_reads: float = 12_000.0
    # The write units of a new table on demand.
    on_demand_writes: float = 4_000.0
    # Unused provisioned capacity is kept for so long.
    burst_seconds: float = 300.0
    # A partition is split after it was throttled for so long; 0 for never.
    split_seconds: float = 300.0
    # A table or an index takes so long to be created, changed or deleted, and changes are limited
    # as the service limits them; 0 for no time and no limits.
    change_seconds: float = 0.0
    # A transaction takes so long, and other writes of its items conflict with it meanwhile.
    transaction_seconds: float = 0.0
    # Reads of global indexes see each item in a state that it had within so many seconds; 0 for the
    # present state.
    index_lag_seconds: float = 0.0
    # So do other eventually consistent reads: of tables and local indexes.
    stale_seconds: float = 0.0
    # The service's clock is so far ahead of its clients'; behind, if it is negative.
    clock_ahead_seconds: float = 0.0
    # What goes wrong with requests, see below.
    faults: tuple[Fault, ...] = ()
    # The seed of chance: with another one, other requests fail.
    seed: int = 0

    def __post_init__(self) -> None:
        """Reject settings with which the service could not work."""
        if abs(self.clock_ahead_seconds) > _MOST_AHEAD_SECONDS:
            raise ScenarioError(
                f"{self.name}: clock_ahead_seconds must be at most {_MOST_AHEAD_SECONDS:,}, a year"
            )
        # No number of partitions that serve nothing is enough.
        for setting in ("partition_reads", "partition_writes"):
            if getattr(self, setting) <= 0:
                raise ScenarioError(f"{self.name}: {setting} must be more than 0")


# These may be negative.
_SIGNED = frozenset({"clock_ahead_seconds"})
_MOST_AHEAD_SECONDS = 366 * 24 * 3600

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
        # Transactions that take long enough to meet each other.
        Scenario(name="slow-transactions", throttling=False, transaction_seconds=0.05),
        # Reads that miss the latest writes, those of indexes for longer.
        Scenario(
            name="lagging-indexes", throttling=False, index_lag_seconds=1.0, stale_seconds=0.1
        ),
        # The service's clock is two minutes ahead of its clients'.
        Scenario(name="clock-ahead", throttling=False, clock_ahead_seconds=120.0),
        # The service's clock is two minutes behind its clients'.
        Scenario(name="clock-behind", throttling=False, clock_ahead_seconds=-120.0),
        # A network and a service that now and then fail, and do not say whether they wrote.
        Scenario(
            name="bad-network",
            throttling=False,
            faults=(
                Fault(kind="lost-request", share=0.01),
                Fault(kind="lost-response", share=0.01),
                Fault(kind="error-before", share=0.01),
                Fault(kind="error-after", share=0.01),
                Fault(kind="latency", share=0.05, seconds=0.05),
                Fault(kind="latency", share=0.01, seconds=0.5),
                Fault(kind="short-page", share=0.2),
            ),
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
            near = meant_by(name, SCENARIOS)
            others = f"use one of {listed(SCENARIOS)}, or the name of a .toml file"
            advice = f"did you mean {near}?" if near else others
            raise ScenarioError(f"there is no weather {name!r}; {advice}")
        return found
    path = Path(name)
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ScenarioError(f"the weather in {name} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ScenarioError(f"the weather in {name} cannot be read: {error}") from error
    return _from_settings(path, settings)


def _from_settings(path: Path, settings: dict[str, Any]) -> Scenario:
    known = {field.name: field.type for field in fields(Scenario)}
    like: object = settings.pop("like", "hot-day")
    base = SCENARIOS.get(like) if isinstance(like, str) else None
    if base is None:
        raise ScenarioError(f"{path}: like must be one of {listed(SCENARIOS)}, and is {like!r}")
    _refuse_settings(str(path), settings, known)
    given: object = settings.get("faults", [])
    if not isinstance(given, list):
        raise ScenarioError(f"{path}: write each fault as a table [[faults]]")
    faults = [
        _fault(f"{path}: fault {number}", each)
        for number, each in enumerate(cast("list[object]", given), start=1)
    ]
    values: dict[str, Any] = {"name": path.stem, **settings}
    if faults:
        values["faults"] = tuple(faults)
    return replace(base, **values)


def _fault(place: str, settings: object) -> Fault:
    if not isinstance(settings, dict):
        raise ScenarioError(f"{place}: write it as a table [[faults]]")
    given = cast("dict[str, Any]", settings)
    for setting in ("operations", "tables"):
        names = given.get(setting, [])
        if not isinstance(names, list) or not all(
            isinstance(name, str) for name in cast("list[object]", names)
        ):
            raise ScenarioError(f"{place}: {setting} must be a list of names, and is {names!r}")
        given[setting] = tuple(cast("list[str]", names))
    _refuse_settings(place, given, {field.name: field.type for field in fields(Fault)})
    if given.get("kind") not in FAULT_KINDS:
        raise ScenarioError(
            f"{place}: there is no kind {given.get('kind')!r}; use one of {listed(FAULT_KINDS)}"
        )
    if not given.get("share", 2.0) <= 1:
        raise ScenarioError(f"{place}: share must be a number from 0 to 1")
    is_latency, has_seconds = given["kind"] == "latency", given.get("seconds", 0) > 0
    if is_latency and not has_seconds:
        raise ScenarioError(f"{place}: latency needs seconds, a number that is more than 0")
    if has_seconds and not is_latency:
        raise ScenarioError(f"{place}: only latency has seconds, not {given['kind']}")
    return Fault(**given)


def _refuse_settings(place: str, settings: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for setting, value in settings.items():
        kind = known.get(setting)
        if kind is None:
            near = meant_by(setting, known)
            raise ScenarioError(
                f"{place}: there is no setting {setting}"
                + (f"; did you mean {near}?" if near else f"; use {listed(known)}")
            )
        if kind is bool and not isinstance(value, bool):
            raise ScenarioError(f"{place}: {setting} must be true or false, and is {value!r}")
        if kind is int and (isinstance(value, bool) or not isinstance(value, int)):
            raise ScenarioError(f"{place}: {setting} must be a whole number, and is {value!r}")
        if kind is float and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ScenarioError(f"{place}: {setting} must be a number, and is {value!r}")
        if kind is float and not isfinite(value):
            raise ScenarioError(f"{place}: {setting} must be a number, and is {value!r}")
        if kind is float and value < 0 and setting not in _SIGNED:
            raise ScenarioError(f"{place}: {setting} must not be negative, and is {value!r}")
        if kind is str and not isinstance(value, str):
            raise ScenarioError(f"{place}: {setting} must be text, and is {value!r}")
