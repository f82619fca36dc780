"""`StreamHandler.run`: a handler on the stream of a database, without Lambda."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias

from sortkey.access.async_db import AsyncDB
from sortkey.access.db import DB
from sortkey.access.following import FollowSettings, Reader, awaited, blocking
from sortkey.access.streams import entity_in
from sortkey.design.declaring.entity import kind_of

Handle: TypeAlias = Callable[[dict[str, Any]], Iterator[Awaitable[None]]]

_log = logging.getLogger(__name__)
_PAUSE_SECONDS = 1.0


def run_blocking(
    db: DB, handle: Handle, finish: Callable[[Awaitable[None]], None], settings: FollowSettings
) -> None:
    """Handle each record of the stream, one after the other."""
    for raw in blocking(db, _but_leases(settings), settings):
        while True:
            try:
                for awaitable in handle(raw):
                    finish(awaitable)
                break
            except Exception:
                if not settings.waits:
                    raise
                _report(settings, raw)
                time.sleep(_PAUSE_SECONDS)


async def run_awaited(db: AsyncDB, handle: Handle, settings: FollowSettings) -> None:
    """Handle each record of the stream, one after the other."""
    async for raw in awaited(db, _but_leases(settings), settings):
        while True:
            try:
                for awaitable in handle(raw):
                    await awaitable
                break
            except Exception:
                if not settings.waits:
                    raise
                _report(settings, raw)
                await asyncio.sleep(_PAUSE_SECONDS)


def _but_leases(settings: FollowSettings) -> Reader[dict[str, Any]]:
    """Return a reader of all records but those of the leases, which would feed themselves."""
    leases = None if settings.leases is None else kind_of(settings.leases)

    def read(raw: dict[str, Any]) -> dict[str, Any] | None:
        return None if leases is not None and entity_in(raw, settings.table) is leases else raw

    return read


def _report(settings: FollowSettings, raw: dict[str, Any]) -> None:
    number = raw["dynamodb"]["SequenceNumber"]
    _log.exception("stream record %s of %s failed; it is tried again", number, settings.table)
