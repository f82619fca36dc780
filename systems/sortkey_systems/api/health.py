"""Whether a service is alive, and whether it can reach its tables; for who runs it.

No token is needed, nothing is counted, and responses say no more than yes or no.
"""

import asyncio
import logging
import time
from collections.abc import Callable

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sortkey_systems.api.details import UNAVAILABLE
from sortkey_systems.api.problems import problem_response

_log = logging.getLogger(__name__)

ALIVE, READY = "/healthz", "/readyz"
PATHS = frozenset({ALIVE, READY})
_METHODS = {"GET", "HEAD"}


class Readiness:
    """Whether a check succeeds, checked at most once in some seconds, however many ask."""

    def __init__(
        self,
        check: Callable[[], object],
        *,
        seconds: float = 2,
        patience: float = 3,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._check = check
        self._seconds, self._patience = seconds, patience
        self._clock = clock
        self._checked_at = float("-inf")
        self._is_ready = False
        self._under_way: asyncio.Task[None] | None = None

    async def is_ready(self) -> bool:
        """Return whether the last check succeeded; one that takes too long has not."""
        if self._clock() - self._checked_at < self._seconds:
            return self._is_ready
        if self._under_way is None or self._under_way.done():
            self._under_way = asyncio.create_task(self._run())
        done, _ = await asyncio.wait({self._under_way}, timeout=self._patience)
        return bool(done) and self._is_ready

    async def _run(self) -> None:
        try:
            # Not in the threads of the operations, which may all be waiting.
            await asyncio.to_thread(self._check)
        except Exception as error:  # noqa: BLE001 - whatever is wrong, the service is not ready
            _log.warning("not ready: %s: %s", type(error).__name__, error)
            self._is_ready = False
        else:
            self._is_ready = True
        self._checked_at = self._clock()


class Health:
    """Middleware that answers `ALIVE` and `READY` before anything else looks at a request."""

    def __init__(self, app: ASGIApp, readiness: Readiness) -> None:
        self._app = app
        self._readiness = readiness

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request about the health of the service."""
        path = scope["path"] if scope["type"] == "http" else None
        if path not in PATHS:
            await self._app(scope, receive, send)
            return
        response = await self._response(scope["method"], path)
        response.headers["cache-control"] = "no-store"
        await response(scope, receive, send)

    async def _response(self, method: str, path: str) -> Response:
        if method not in _METHODS:
            response = problem_response("MethodNotAllowed", 405, "Method Not Allowed")
            response.headers["allow"] = ", ".join(sorted(_METHODS))
            return response
        if path == ALIVE:
            return JSONResponse({"status": "alive"})
        if await self._readiness.is_ready():
            return JSONResponse({"status": "ready"})
        return problem_response("NotReady", UNAVAILABLE, "the tables cannot be reached")
