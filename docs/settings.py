"""The tables of settings in the guide about services: ``python -m docs.settings`` writes them."""

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from sortkey import Setting
from sortkey_systems.api.function_identity import FunctionIdentity
from sortkey_systems.api.service_settings import ServiceSettings
from sortkey_systems.api.settings import Settings

PAGE = Path(__file__).parent / "guides/serve-an-api.md"
# Those with settings of their own.
SYSTEMS = ("agentcore", "commitcollect", "oneonone", "shuttle")

_HEAD = ["| variable | what it is | default |", "|---|---|---|"]


def settings_of(system: str) -> Any:
    """Return the class of the settings of a system."""
    return import_module(f"sortkey_systems.{system}.asgi").app.settings


def tables() -> dict[str, str]:
    """Return each table, by the comment that marks its place."""
    common = ServiceSettings.model_fields
    found = {
        "every system": _table(ServiceSettings),
        **{system: _table(settings_of(system), without=common) for system in SYSTEMS},
        "a function": _table(FunctionIdentity),
    }
    return {f"<!-- settings of {name} -->": table for name, table in found.items()}


def written(text: str) -> str:
    """Return the text of the page with current tables."""
    for mark, table in tables().items():
        place = re.compile(re.escape(mark) + r"\n\n(\|.*\n)*")
        text = place.sub(lambda _, new=f"{mark}\n\n{table}": new, text)
    return text


def _table(kind: type[Settings], without: Iterable[str] = ()) -> str:
    """Return a table with the settings that are needed first."""
    fields = {name: one for name, one in kind.declared().items() if name not in set(without)}
    ordered = sorted(fields, key=lambda name: not _is_needed(kind, name))
    rows = [_row(fields[name], needed=_is_needed(kind, name)) for name in ordered]
    return "\n".join([*_HEAD, *rows, ""])


def _is_needed(kind: type[Settings], name: str) -> bool:
    return kind.declared()[name].default is None and kind.model_fields[name].is_required()


def _row(setting: Setting, *, needed: bool) -> str:
    default = "**needed**" if needed else f"`{setting.default}`" if setting.default else ""
    secret = ", a secret" if setting.secret else ""
    return f"| `{setting.variable}`{secret} | {setting.description} | {default} |"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
