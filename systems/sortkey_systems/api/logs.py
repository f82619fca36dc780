"""The log of a service: one line for each message, as text or as JSON, and one for each request."""

import json
import logging
import sys
import time
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_access = logging.getLogger("sortkey_systems.access")

# The server's own loggers; its log of requests would have their queries, and so cursors.
_SERVER_ACCESS = "uvicorn.access"
_SERVER = ("uvicorn", "uvicorn.error", _SERVER_ACCESS)
_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_ERROR = 500


class JsonLines(logging.Formatter):
    """Formats each message as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a message."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "request", {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)


class _ToStderr(logging.StreamHandler[Any]):
    """The handler of `log_to_stderr`."""


def log_to_stderr(level: str, style: Literal["text", "json"]) -> None:
    """Log to standard error from now on, with the messages of the server."""
    handler = _ToStderr(sys.stderr)
    handler.setFormatter(JsonLines() if style == "json" else logging.Formatter(_TEXT))
    for name in _SERVER:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = name != _SERVER_ACCESS
    root = logging.getLogger()
    for earlier in [one for one in root.handlers if isinstance(one, _ToStderr)]:
        root.removeHandler(earlier)
    root.addHandler(handler)
    root.setLevel(level)


class AccessLog:
    """Middleware that logs each request, without its query, headers and body."""

    def __init__(self, app: ASGIApp, quiet: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._quiet = quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log a request when it has been answered."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = _ERROR, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            # Quoted again, since a path can have line breaks, which would forge lines of the log.
            path = quote(scope["path"])
            milliseconds = round((time.perf_counter() - began) * 1000, 1)
            client = scope.get("client")
            request = {
                "method": scope["method"],
                "path": path,
                "status": status,
                "milliseconds": milliseconds,
                "client": client[0] if client else None,
            }
            _access.log(
                logging.DEBUG if path in self._quiet and status < _ERROR else logging.INFO,
                "%s %s %d %.1f ms",
                request["method"],
                path,
                status,
                milliseconds,
                extra={"request": request},
            )
