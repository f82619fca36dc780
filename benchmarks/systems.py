"""The systems' patterns on generated data: their cost with few users and with many.

Both sizes are queried for the same users, so that only the untouched data differs.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from benchmarks.figures import Series, ratio
from benchmarks.progress import Progress
from benchmarks.table import Cell, Table, times
from sortkey import DB, Entity, Keyring, LocalKey, Op, utc_now
from sortkey.access.filling import fill
from sortkey_systems.commitcollect import generator as riders
from sortkey_systems.commitcollect.design.accounts import UserProfile, profile
from sortkey_systems.commitcollect.design.milestones import milestones
from sortkey_systems.commitcollect.design.workouts import recent_workouts
from sortkey_systems.oneonone import design as oneonone
from sortkey_systems.oneonone import generator as callers
from sortkey_systems.shuttle import generator as shops
from sortkey_systems.shuttle.design.jobs import JobStatus, jobs_by_status, jobs_of_shop
from sortkey_systems.shuttle.design.shops import Shop, shop_by_domain

FEW, MANY = 100, 2_000
PEOPLE = 50
_CALLS_A_ROUND = 200

Question = Callable[[str], Op[Any]]


@dataclass(frozen=True, slots=True)
class System:
    """A system, its generator, and the patterns to run for one user."""

    name: str
    generator: Any
    person: Callable[[Sequence[Entity]], str]
    questions: dict[str, Question]


def _user(records: Sequence[Entity]) -> str:
    return next(r.user_id for r in records if isinstance(r, UserProfile))


def _caller(records: Sequence[Entity]) -> str:
    return next(r.user_id for r in records if isinstance(r, oneonone.User))


def _shop(records: Sequence[Entity]) -> str:
    return next(r.domain for r in records if isinstance(r, Shop))


def _history(user_id: str) -> Op[Any]:
    now = utc_now()
    return oneonone.session_history(user_id, now - timedelta(days=365), now)


def _finished_jobs(domain: str) -> Op[Any]:
    return jobs_by_status(domain, JobStatus.COMPLETED)


SYSTEMS = (
    System(
        "CommitCollect",
        riders,
        _user,
        {
            "profile": profile,
            "recent workouts": recent_workouts,
            "milestones": milestones,
        },
    ),
    System(
        "One-on-One",
        callers,
        _caller,
        {"user status": oneonone.user_status, "history": _history},
    ),
    System(
        "Shuttle",
        shops,
        _shop,
        {
            "shop": shop_by_domain,
            "jobs": jobs_of_shop,
            "jobs by status": _finished_jobs,
        },
    ),
)


@dataclass(frozen=True, slots=True)
class PatternTimes:
    """Microseconds of one pattern, with few users and with many."""

    system: str
    question: str
    few: Series
    many: Series


def measure_systems(rounds: int, progress: Progress) -> list[PatternTimes]:
    """Measure every pattern at both sizes, taking turns."""
    return [each for system in SYSTEMS for each in _measure(system, rounds, progress)]


def _measure(system: System, rounds: int, progress: Progress) -> list[PatternTimes]:
    people = [system.person(records) for records in _first(system)]
    opened = {users: _filled(system, users, progress) for users in (FEW, MANY)}
    taken: dict[tuple[str, int], list[float]] = {}
    for turn in range(rounds):
        progress.say(f"{system.name}: round {turn + 1} of {rounds}")
        for name, question in system.questions.items():
            for users, db in opened.items():
                taken.setdefault((name, users), []).append(_microseconds(db, question, people))
    for db in opened.values():
        db.close()
    return [
        PatternTimes(
            system.name, name, Series(tuple(taken[name, FEW])), Series(tuple(taken[name, MANY]))
        )
        for name in system.questions
    ]


def _first(system: System) -> list[Sequence[Entity]]:
    return [
        records for records, _ in zip(system.generator.records(FEW), range(PEOPLE), strict=False)
    ]


def _filled(system: System, users: int, progress: Progress) -> DB:
    progress.say(f"{system.name}: {users:,} users")
    db = DB.memory(*system.generator.TABLES, secrets=Keyring(LocalKey.new("benchmark")))
    for records in system.generator.records(users):
        fill(db, records)
    return db


def _microseconds(db: DB, question: Question, people: Sequence[str]) -> float:
    began = time.perf_counter()
    for number in range(_CALLS_A_ROUND):
        db(question(people[number % len(people)]))
    return (time.perf_counter() - began) / _CALLS_A_ROUND * 1e6


def systems_table(measured: Sequence[PatternTimes]) -> Table:
    """Return the table of patterns at both sizes, and the ratio between them."""
    return Table(
        title="The systems' patterns in process, in memory, on generated data",
        columns=("microseconds", f"{FEW} users", f"{MANY:,} users", "ratio"),
        rows=tuple(
            (
                Cell(f"{each.system}: {each.question}"),
                Cell(f"{each.few.median:.0f} ±{each.few.spread:.0%}"),
                Cell(f"{each.many.median:.0f} ±{each.many.spread:.0%}"),
                Cell(times(ratio(each.many, each.few))),
            )
            for each in measured
        ),
    )
