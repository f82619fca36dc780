"""Where a DynamoDB answers."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from sortkey.errors import SortkeyError

_PORTS = {"http": 80, "https": 443}


class SettingsError(SortkeyError):
    """Something that is needed to reach a DynamoDB is missing or malformed."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a DynamoDB: ``http`` or ``https``, a host and a port."""

    scheme: str
    host: str
    port: int

    @classmethod
    def parse(cls, url: str) -> "Endpoint":
        """The endpoint at a URL such as ``http://127.0.0.1:8000``."""
        shown = repr(f"...@{url.rpartition('@')[2]}" if "@" in url else url)  # no password
        example = "write it like http://127.0.0.1:8000 or https://dynamodb.eu-west-1.amazonaws.com"
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise SettingsError(f"the endpoint {shown} is malformed ({error}): {example}") from None
        if parts.scheme not in _PORTS or not parts.hostname:
            raise SettingsError(f"the endpoint {shown} is not an http or https URL: {example}")
        if parts.path not in {"", "/"} or parts.query or parts.fragment or "@" in parts.netloc:
            raise SettingsError(
                f"the endpoint {shown} has more than scheme, host and port: {example}"
            )
        return cls(parts.scheme, parts.hostname, port or _PORTS[parts.scheme])

    @property
    def is_encrypted(self) -> bool:
        """Whether requests travel over TLS."""
        return self.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def authority(self) -> str:
        """What the Host header says: the host, and its port unless that is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"
