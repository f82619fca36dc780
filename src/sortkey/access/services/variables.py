"""The variables that a function finds in its environment, for what it uses beside tables."""

import os
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from sortkey.access.endpoint import SettingsError


def variable_of(kind: str, name: str) -> str:
    """Return the variable of a queue or bucket: QUEUE_ROOM_EVENTS."""
    return f"{kind}_{name.replace('-', '_').upper()}"


def required(variable: str, fix: str) -> str:
    """Return the value of a variable.

    Raises:
        SettingsError: It is not set.
    """
    value = os.environ.get(variable)
    if not value:
        raise SettingsError(f"{variable} is not set: {fix}")
    return value


def folder_of(url: str) -> Path | None:
    """Return the folder of a URL such as file:///home/ada/queues/events, or None for others."""
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None
