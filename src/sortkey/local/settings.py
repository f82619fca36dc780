"""The values of a design's settings on this machine: from the environment, ``.env``, defaults."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.services import HttpApi, Setting
from sortkey.local.errors import CannotRun
from sortkey.wording.prose import counted

_QUOTES = ("'", '"')


class _Needed(NamedTuple):
    setting: Setting
    functions: list[str]


def settings_of(function: Function) -> Iterator[Setting]:
    """Yield the settings of a function, and of the APIs whose requests it answers."""
    yield from function.settings
    for api in function.apis:
        yield from settings_of_api(api)


def settings_of_api(api: HttpApi) -> Iterator[Setting]:
    """Yield the settings of an API."""
    for value in (api.issuer, api.audience):
        if isinstance(value, Setting):
            yield value


def values_of(design: Design, given: Mapping[str, str]) -> dict[str, str]:
    """Return the values of all settings by their variables, as far as they have any."""
    found: dict[str, str] = {}
    for function in design.functions:
        for setting in settings_of(function):
            value = given.get(setting.variable) or setting.default
            if value is not None:
                found[setting.variable] = value
    return found


def refuse_missing(design: Design, values: Mapping[str, str], place: Path) -> None:
    """Raise an error if a setting has no value.

    Raises:
        CannotRun: Some have none; ``place`` is the file to write them to.
    """
    needed: dict[str, _Needed] = {}
    for function in design.functions:
        for setting in dict.fromkeys(settings_of(function)):
            if setting.variable not in values:
                one = needed.setdefault(setting.variable, _Needed(setting, []))
                one.functions.append(function.name)
    if needed:
        lines = [
            f"  {name}={'':<{max(map(len, needed)) - len(name)}}  # {one.setting.description}"
            f" ({', '.join(one.functions)})"
            for name, one in sorted(needed.items())
        ]
        raise CannotRun(
            f"{counted(len(needed), 'setting has', 'settings have')} no value. Set the variables, "
            f"or write them to {place}:\n" + "\n".join(lines)
        )


def env_file(path: Path) -> dict[str, str]:
    """Return the variables in a ``.env`` file; none if there is no such file.

    Raises:
        CannotRun: A line is not ``NAME=value``.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        content = line.strip().removeprefix("export ").strip()
        if not content or content.startswith("#"):
            continue
        name, equals, value = content.partition("=")
        if not equals or not name.strip().isidentifier():
            raise CannotRun(f"{path}:{number}: this is not a setting; write NAME=value")
        found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    for quote in _QUOTES:
        if value.startswith(quote) and (end := value.find(quote, 1)) > 0:
            return value[1:end]
    return value.partition(" #")[0].rstrip()
