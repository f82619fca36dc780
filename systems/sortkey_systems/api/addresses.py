"""Addresses of others in settings: over TLS, or on this machine."""

from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

_LONGEST = 2048


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def checked_address(text: str) -> str:
    """Return an address that is safe to fetch, unchanged.

    Raises:
        ValueError: It is not https, and not http on this machine; or it has a password.
    """
    example = "must be an address such as https://login.example.org"
    if len(text) > _LONGEST or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(example)
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ValueError(example) from None
    if not host or parts.scheme not in {"https", "http"}:
        raise ValueError(example)
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError("must begin with https://; http is only for this machine")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must have no user name and no password")
    if parts.fragment:
        raise ValueError("must have no part after #")
    return text


Address = Annotated[str, AfterValidator(checked_address)]
