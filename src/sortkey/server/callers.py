"""The callers that a server answers: hosts and origins, so that no web page can use it unasked.

A browser sends the requests of any page to any address. It names the page in ``Origin``, and the
name under which it looked the server up in ``Host``. So a page of another site is known by its
origin; and a site whose name suddenly leads to this machine (DNS rebinding) by its host.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

ANY = "*"


@dataclass(frozen=True, slots=True)
class Callers:
    """The origins and hosts that may use a server; loopback hosts always may."""

    origins: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def named(cls, origins: Iterable[str], hosts: Iterable[str]) -> "Callers":
        """Return callers with these names; raise ValueError for one that no caller can have."""
        return cls(frozenset(map(_origin, origins)), frozenset(map(_host, hosts)))

    def allow_origin(self, origin: str) -> bool:
        """Return whether pages of this origin may use the server."""
        return ANY in self.origins or origin.lower() in self.origins

    def allow_host(self, host: str) -> bool:
        """Return whether a request may name the server like this, with or without a port."""
        name = _without_port(host)
        return ANY in self.hosts or name in self.hosts or _is_loopback(name)


def _origin(text: str) -> str:
    if text == ANY:
        return text
    try:
        parts = urlsplit(text)
        is_origin = parts.geturl() == f"{parts.scheme}://{parts.netloc}" and bool(parts.hostname)
    except ValueError:
        is_origin = False
    if not is_origin:
        raise ValueError(
            f"{text} is not an origin: write a scheme, a host and perhaps a port, such as "
            "http://localhost:5173, or * for any."
        )
    return text.lower()


def _host(text: str) -> str:
    if not text or any(character in text for character in "/ @"):
        raise ValueError(f'"{text}" is not a host: write a name such as db.internal, or * for any.')
    return _without_port(text)


def _without_port(host: str) -> str:
    name, colon, port = host.lower().rpartition(":")
    return (name if colon and port.isdigit() else host.lower()).strip("[]").rstrip(".")


def _is_loopback(name: str) -> bool:
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
