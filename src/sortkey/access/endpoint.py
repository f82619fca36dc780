"""The address of a DynamoDB endpoint."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from sortkey.errors import SortkeyError

_PORTS = {"http": 80, "https": 443}


class SettingsError(SortkeyError):
    """A setting that is needed to reach DynamoDB is missing or malformed."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A DynamoDB endpoint: ``http`` or ``https``, a host and a port."""

    scheme: str
    host: str
    port: int

    @classmethod
    def parse(cls, url: str) -> "Endpoint":
        """Return the endpoint at a URL such as ``http://127.0.0.1:8000``."""
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
                f"the endpoint {shown} has more than a scheme, a host and a port: {example}"
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
        """The value of the Host header: the host, with its port unless it is the default."""
        is_default = self.port == _PORTS[self.scheme]
        return self.host_and_port.rpartition(":")[0] if is_default else self.host_and_port

    @property
    def host_and_port(self) -> str:
        """The host and its port, as in ``example.org:443`` or ``[::1]:8000``."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}"
