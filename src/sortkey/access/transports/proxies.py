"""The proxy that the environment names for an endpoint, if any. No I/O.

The variables have the same meaning as in requests and botocore: ``https_proxy`` or ``http_proxy``
by the endpoint's scheme, else ``all_proxy``; ``no_proxy`` lists the hosts to connect to directly.
Lower case takes precedence, even if it is empty. Endpoints on this machine are not exempt.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, unquote, urlsplit

from sortkey.access.endpoint import Endpoint, SettingsError

_HTTP_PORT = 80
_EXAMPLE = "write it like http://proxy.example.org:3128 or http://user:password@10.0.0.1:3128"
# "[::1]:8000" or "example.org:8000", each with or without its port; a bare "::1" is neither.
_WITH_PORT = re.compile(r"(?:\[(?P<ipv6>[^]]*)]|(?P<name>[^:]*))(?::(?P<port>\d+))?")


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, and the variable that names it; its text never shows the credentials.

    ``authorization`` is the header line with the credentials, or empty.
    """

    address: Endpoint
    variable: str
    authorization: bytes = field(default=b"", repr=False)

    def __str__(self) -> str:
        return str(self.address)


def proxy_for(endpoint: Endpoint, environ: Mapping[str, str]) -> Proxy | None:
    """Return the proxy to reach an endpoint through, or None to connect directly.

    Raises:
        SettingsError: The variable does not name a supported proxy.
    """
    variable = _set(f"{endpoint.scheme}_proxy", environ) or _set("all_proxy", environ)
    if variable is None:
        return None
    exempt = _set("no_proxy", environ)
    if exempt is not None and _is_among(endpoint, environ[exempt]):
        return None
    return _parse(environ[variable], variable)


def _set(name: str, environ: Mapping[str, str]) -> str | None:
    """Return the name, in lower or upper case, of the variable that has a value."""
    if name in environ:
        return name if environ[name] else None
    if name == "http_proxy" and "REQUEST_METHOD" in environ:
        # In a CGI process, any client can set HTTP_PROXY with a header named "Proxy".
        return None
    return name.upper() if environ.get(name.upper()) else None


# -- hosts without a proxy ------------------------------------------------------------------------


def _is_among(endpoint: Endpoint, hosts: str) -> bool:
    return any(_is_named(endpoint, host.strip().lower()) for host in hosts.split(","))


def _is_named(endpoint: Endpoint, entry: str) -> bool:
    """Return whether an entry of ``no_proxy`` names the endpoint, its domain or its network."""
    if entry == "*":
        return True
    parts = _WITH_PORT.fullmatch(entry)
    host = (parts["ipv6"] or parts["name"] or "") if parts else entry
    if parts and parts["port"] and int(parts["port"]) != endpoint.port:
        return False
    try:
        address = ip_address(endpoint.host)
    except ValueError:
        domain = host.lstrip(".")
        return bool(domain) and f".{endpoint.host}".endswith(f".{domain}")
    try:
        return address in ip_network(host, strict=False)
    except ValueError:
        return False


# -- the proxy's URL ------------------------------------------------------------------------------


def _parse(value: str, variable: str) -> Proxy:
    """Return the proxy at a URL; no error shows the URL, because it may contain a password."""
    url = value.strip()
    parts = _split(url if "://" in url else f"http://{url.removeprefix('//')}")
    if parts is None:
        raise SettingsError(
            f"the proxy in {variable} is malformed: {_EXAMPLE}, and percent-encode characters like "
            "@ : / # in a password"
        )
    if parts.scheme == "https":
        raise SettingsError(
            f"{variable} names a proxy with https, and TLS to the proxy itself is not supported: "
            "write http, which most proxies support; requests to an https endpoint stay encrypted"
        )
    if parts.scheme != "http":
        raise SettingsError(
            f"{variable} names a proxy that is not an HTTP proxy, such as SOCKS, and only HTTP "
            f"proxies are supported: {_EXAMPLE}, or add the endpoint's host to NO_PROXY"
        )
    address = Endpoint("http", parts.hostname or "", parts.port or _HTTP_PORT)
    return Proxy(address, variable, _authorization(parts))


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port
        host = (parts.hostname or "").encode("idna")  # as name resolution does
    except ValueError:
        return None
    # A "/" in a password ends the host; the "@" after it gives that away.
    is_cut = "@" in f"{parts.path}{parts.query}{parts.fragment}"
    return None if is_cut or not host else parts


def _authorization(parts: SplitResult) -> bytes:
    if not parts.username and not parts.password:
        return b""
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return b"Proxy-Authorization: Basic %b\r\n" % b64encode(pair.encode())
