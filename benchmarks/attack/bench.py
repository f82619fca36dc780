"""One attack at a time on a fresh server, beside polite clients; what anybody noticed."""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from benchmarks.attack.arena import Arena, Attack, CannotAttackError, Notice
from benchmarks.attack.polite import Company, Experience
from benchmarks.attack.server import Server, Setting

# What a server may take beyond its memory at rest: a request of 16 MB can be half a gigabyte of
# Python objects, and a few are read at a time.
MOST_MEGABYTES = 2000.0
_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Trial:
    """An attack on one kind of server."""

    name: str
    attack: Attack
    setting: Setting


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attack."""

    trial: Trial
    sent: int
    polite: Experience
    megabytes: float
    notices: tuple[Notice, ...]
    missing: str = ""


def hold(trial: Trial, seconds: float, seed: str, folder: Path) -> Outcome:
    """Attack a fresh server for so many seconds."""
    attack, setting = trial.attack, trial.setting
    with TemporaryDirectory(prefix="sortkey-attack-") as home:
        server = Server(setting, Path(home))
        server.start()
        company = Company(server.port, seed, attack.manners)
        arena = Arena(server, Random(seed), seconds, folder)
        missing, grown = "", 0.0
        try:
            try:
                grown = asyncio.run(_attack(attack, arena))
            except CannotAttackError as error:
                missing = str(error)
            polite = company.leave()
            polite.judge_waits(server.slowness())
            if not server.stop():
                arena.notice("the server did not end within ten seconds of SIGTERM")
        finally:
            company.end()
            server.kill()
        if not attack.fails:
            for fault in server.faults():
                arena.notice(f"the server's log tells of a fault:\n{fault}")
        if grown > MOST_MEGABYTES:
            arena.notice(f"the server's memory grew by {grown:,.0f} MB")
        if polite.notices and arena.slowest[0] > 1:
            taken, request = arena.slowest
            arena.notice(f"the slowest request of the attacker took {taken:.1f} s", request)
        return Outcome(trial, arena.sent, polite, grown, tuple(arena.notices), missing)


async def _attack(attack: Attack, arena: Arena) -> float:
    """Run the attack; return the megabytes by which the server grew."""
    before = peak = arena.server.megabytes()

    async def watch() -> None:
        nonlocal peak
        while True:
            peak = max(peak, arena.server.megabytes())
            await asyncio.sleep(_LOOK_SECONDS)

    watching = asyncio.create_task(watch())
    arena.begin()
    try:
        await attack.run(arena)
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    return peak - before


def plan(
    attacks: Mapping[str, Attack], seconds: float, overhead: float, shortest: float
) -> tuple[list[Trial], float]:
    """Return the trials, and the seconds for each.

    In a short time every attack happens once, each on another kind of server; in a longer one
    every attack on every kind of server that it is for.
    """
    every = [
        Trial(name, attack, setting)
        for name, attack in attacks.items()
        for setting in attack.settings
    ]
    if seconds / len(every) < overhead + shortest:
        every = [
            Trial(name, attack, attack.settings[at % len(attack.settings)])
            for at, (name, attack) in enumerate(attacks.items())
        ]
    return every, max(shortest, seconds / len(every) - overhead)
