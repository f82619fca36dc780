"""Where an attack happens: a server, a source of chance, and a place for what is noticed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.attack.exchange import BadReplyError, Link, Reply
from benchmarks.attack.polite import Manners
from benchmarks.attack.server import ALL, Server, Setting

_MOST_NOTICES = 5
_PATIENCE_SECONDS = 60.0


class CannotAttackError(Exception):
    """Something that an attack needs is missing on this machine."""


@dataclass(slots=True)
class Notice:
    """Something that should not have happened, and the request that led to it."""

    text: str
    request: bytes = b""


@dataclass(slots=True)
class Arena:
    """One attack on one server."""

    server: Server
    random: Random
    seconds: float
    # Files that attacks keep from run to run.
    folder: Path
    sent: int = 0
    notices: list[Notice] = field(default_factory=list[Notice])
    slowest: tuple[float, bytes] = (0.0, b"")
    ends: float = 0.0

    def begin(self) -> None:
        """Let the time begin to run; an attack that has prepared itself calls this again."""
        self.ends = time.monotonic() + self.seconds

    @property
    def is_on(self) -> bool:
        """Whether there is time left."""
        return time.monotonic() < self.ends

    @property
    def port(self) -> int:
        """The server's port."""
        return self.server.port

    def notice(self, text: str, request: bytes = b"") -> None:
        """Report something that the server should not have done."""
        if len(self.notices) < _MOST_NOTICES:
            self.notices.append(Notice(text, request))

    async def try_request(self, data: bytes, link: Link | None = None) -> Reply | None:
        """Send a request that is HTTP; report a response that no client should ever get.

        It may be refused, but not be a failure of the server's own, and not remain unanswered.
        """
        self.sent += 1
        began = time.monotonic()
        own = link
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                own = own or await Link.open(self.port)
                await own.send(data)
                reply = await own.read()
        except TimeoutError:
            self.notice(f"no response within {_PATIENCE_SECONDS:.0f} s", data)
            return None
        except (OSError, asyncio.IncompleteReadError, BadReplyError) as error:
            self.notice(f"no response: {error!r}", data)
            return None
        finally:
            if own is not None and link is None:
                own.close()
        self.slowest = max(self.slowest, (time.monotonic() - began, data))
        # DynamoDB calls a body that cannot be unpacked its own failure.
        if reply.status >= 500 and b"\r\nContent-Encoding:" not in data[:1000]:
            self.notice(f"status {reply.status}: {reply.body[:300]!r}", data)
        return reply

    async def crowd(self, count: int, work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
        """Run several attackers at once, each with its number."""
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(work(number))

    async def pause(self, seconds: float) -> None:
        """Wait, but not beyond the end."""
        await asyncio.sleep(max(0.0, min(seconds, self.ends - time.monotonic())))


@dataclass(frozen=True, slots=True)
class Attack:
    """A kind of attack: what it does, on which servers, and what polite clients must bear."""

    run: Callable[[Arena], Awaitable[None]]
    settings: tuple[Setting, ...] = ALL
    manners: Manners = Manners()  # noqa: RUF009 - it cannot change
    # Whether the log may tell of failures, since the attack takes something away from the server.
    fails: bool = False
