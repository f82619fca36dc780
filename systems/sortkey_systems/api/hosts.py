"""Requests for other hosts are refused: a page elsewhere could name them, and so could a cache."""

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from sortkey_systems.api.problems import problem_response

_MISDIRECTED = 421


class AllowedHosts:
    """Middleware that refuses requests for other hosts than these, or ``*.`` and a domain."""

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._domains = tuple(host.removeprefix("*") for host in hosts if host.startswith("*."))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request for another host."""
        if scope["type"] == "http" and not self._is_allowed(Headers(scope=scope).get("host", "")):
            response = problem_response("UnknownHost", _MISDIRECTED, "this host is not served here")
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _is_allowed(self, named: str) -> bool:
        host = named.partition(":")[0].lower()
        return "*" in self._hosts or host in self._hosts or host.endswith(self._domains)
