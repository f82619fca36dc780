"""The settings of LiveKit, the video service: read by functions, and by the API in service."""

from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, SecretStr

from sortkey_systems.api.settings import Settings
from sortkey_systems.oneonone.design.functions import (
    LIVEKIT_API_KEY,
    LIVEKIT_API_SECRET,
    LIVEKIT_URL,
)

_SCHEMES = {"ws", "wss", "http", "https"}


def _checked_address(text: str) -> str:
    address = urlsplit(text)
    if address.scheme not in _SCHEMES or not address.hostname or not _has_port(address):
        raise ValueError("must be an address such as wss://host")
    if address.path.strip("/") or address.query or address.username is not None:
        raise ValueError("must have nothing but a host and a port")
    return text


def _has_port(address: SplitResult) -> bool:
    """Return whether the port of an address is valid or missing."""
    try:
        return address.port != 0
    except ValueError:
        return False


class RoomSettings(Settings):
    """The address of a LiveKit project, and its API key and secret."""

    livekit_url: Annotated[str, AfterValidator(_checked_address), LIVEKIT_URL]
    livekit_api_key: Annotated[str, LIVEKIT_API_KEY]
    livekit_api_secret: Annotated[SecretStr, LIVEKIT_API_SECRET]
