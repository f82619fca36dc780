"""`Service`: an API in service, as an ASGI application that is made when the server starts.

Importing it reads nothing, so that tools can. When the server starts it (ASGI's lifespan), it reads
the settings, opens the database and begins to fetch the keys of the issuer. If a setting is wrong,
the server prints one message and exits.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from sortkey import DB, Op, SortkeyError, Table
from sortkey_systems.api.app import Api
from sortkey_systems.api.health import PATHS, Health, Readiness
from sortkey_systems.api.hosts import AllowedHosts
from sortkey_systems.api.logs import AccessLog, log_to_stderr
from sortkey_systems.api.service_settings import ServiceSettings
from sortkey_systems.api.settings import WrongSettings
from sortkey_systems.api.verifiers import verifier_of

_log = logging.getLogger(__name__)

S = TypeVar("S", bound=ServiceSettings)

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_REQUEST_HEADERS = ("authorization", "content-type", "x-correlation-id")
_RESPONSE_HEADERS = ("retry-after", "x-correlation-id", "x-request-id")


class Service(Generic[S]):
    """An API with its settings and tables: the ``app`` of the module ``asgi`` of a system.

    ``probes`` returns a read of each table, with patterns that the API needs anyway, so that its
    role allows them; they tell whether the tables can be reached.
    """

    def __init__(
        self,
        api: Api,
        settings: type[S],
        tables: Sequence[type[Table]],
        probes: Callable[[], Sequence[Op[Any]]],
    ) -> None:
        self.api = api
        self.settings = settings
        self.tables = tuple(tables)
        self.probes = probes
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request; the server starts and stops the service with the scope lifespan."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if self._app is None:
            raise RuntimeError("the server has not started the service: serve it with its lifespan")
        await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Start when the server does, and stop with it: its messages are those of ASGI."""
        await receive()
        begun = "startup"
        try:
            async with self._started() as self._app:
                await send({"type": "lifespan.startup.complete"})
                begun = "shutdown"
                await receive()
        except (WrongSettings, SortkeyError) as error:
            await send({"type": f"lifespan.{begun}.failed", "message": str(error)})
        except Exception:  # noqa: BLE001 - it is logged
            # A server takes an error for an application without a lifespan, and would serve it.
            _log.exception("the %s has failed", begun)
            await send({"type": f"lifespan.{begun}.failed", "message": ""})
        else:
            await send({"type": "lifespan.shutdown.complete"})
        finally:
            self._app = None

    @asynccontextmanager
    async def _started(self) -> AsyncGenerator[ASGIApp]:
        # In threads: a secret, or the Region of AWS, may have to be fetched.
        settings = await asyncio.to_thread(self.settings.start)
        log_to_stderr(settings.log_level, settings.log_format)
        db = await asyncio.to_thread(self._open, settings)
        try:
            yield self._made(settings, db)
        finally:
            await asyncio.to_thread(db.close)

    def _open(self, settings: S) -> DB:
        return DB.connect(
            *self.tables,
            target=settings.target,
            environment=settings.environment,
            cursor_secret=settings.cursor_secrets,
            secrets=settings.keyring,
        )

    def _made(self, settings: S, db: DB) -> ASGIApp:
        """Return the application with what goes around it, from the inside to the outside."""
        verifier = verifier_of(settings)
        verifier.prepare()
        app: Any = self.api.app(db, verifier, settings.rates)
        if settings.allowed_origins:
            app = CORSMiddleware(
                app,
                allow_origins=settings.allowed_origins,
                allow_methods=_METHODS,
                allow_headers=_REQUEST_HEADERS,
                expose_headers=_RESPONSE_HEADERS,
            )
        if settings.allowed_hosts:
            app = AllowedHosts(app, settings.allowed_hosts)
        app = Health(app, Readiness(lambda: db.all(*self.probes())))
        if settings.access_log:
            app = AccessLog(app, quiet=PATHS)
        if settings.trusted_proxies:
            app = ProxyHeadersMiddleware(app, list(settings.trusted_proxies))
        return app
