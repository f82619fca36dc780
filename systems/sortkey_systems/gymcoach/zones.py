"""Time zones: which names there are, and which of them have the same local time."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, available_timezones

from sortkey_systems.gymcoach.errors import BadInput

# Files beside the time zones: the zone of a machine, and the time of an unknown zone.
_NOT_ZONES = frozenset({"localtime", "Factory", "posixrules"})


def zone_of(name: str) -> ZoneInfo:
    """Return a time zone, or raise `BadInput` if there is none with this name."""
    if name not in _names():
        raise BadInput("timezone", f"{name!r} is not a time zone")
    return ZoneInfo(name)


def same_zone(name: str) -> tuple[str, ...]:
    """Return all names with the rules of a time zone: ``US/Eastern`` is ``America/New_York``.

    The rules are compared when they are needed, because a later version of them may differ.
    """
    rules = _rules()
    return tuple(sorted(other for other in rules if rules[other] == rules[name]))


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - _NOT_ZONES


@cache
def _rules() -> Mapping[str, bytes]:
    return {name: _file(name) for name in _names()}


def _file(name: str) -> bytes:
    """Return the file of a time zone, from the machine or from the package tzdata."""
    for folder in TZPATH:
        path = Path(folder, name)
        if path.is_file():
            return path.read_bytes()
    return files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
