"""Generate realistic users and calls, with edge cases; the same seed gives the same data."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

from sortkey import Entity, Table
from sortkey_systems.oneonone.design import (
    DAILY_POINTS,
    KEPT_FOR,
    MAX_CALL,
    QUEUE,
    Session,
    Sessions,
    User,
    Users,
    started_minutes,
)

TABLES: tuple[type[Table], ...] = (Users, Sessions)

# The current time of the data. It is in the future, so that the sessions have not expired.
NOW = datetime(2036, 5, 14, 18, 30, tzinfo=UTC)

_NAMES = (
    "ana", "björn", "chloé", "dmitri", "émile", "fatima", "giulia", "hiro", "ingrid", "joão",
    "kübra", "łukasz", "mei", "niamh", "ólafur", "priya", "renée", "søren", "tomáš", "zoë",
)  # fmt: skip
_EVENING = (17, 18, 18, 19, 19, 19, 20, 20, 20, 21, 21, 22)
_MOST_CALLS = 400


def records(users: int, *, seed: int = 1) -> Iterator[Sequence[Entity]]:
    """Yield the records of each user: the user, and the calls in which the user is ``userA``."""
    for number in range(users):
        # Each user has a random generator of their own, so that users do not depend on each other.
        chance = Random(f"{seed}/{number}")
        calls = list(_calls(chance, number, users))
        yield [_user(chance, number), *calls]


def user_id(number: int) -> str:
    """Return the id of a user; some ids are prefixes of others, and one in ten has a name."""
    name = _NAMES[number // 10 % len(_NAMES)]
    return f"{name}-{number}" if number % 10 == 0 else f"user{number}"


def _user(chance: Random, number: int) -> User:
    name = user_id(number)
    email = f"{name}@example.org" if chance.random() < 0.7 else None
    active = chance.random()
    if active < 0.04:  # in the queue; some of them for too long
        entered = NOW - timedelta(minutes=chance.choice((0, 1, 1, 2, 3, 4, 6, 9, 15, 45)))
        return User(
            user_id=name,
            points_left=chance.randint(1, DAILY_POINTS),
            points_day=NOW.date(),
            is_waiting_in_queue=True,
            last_queue_entry=entered,
            queue=QUEUE,
            email=email,
        )
    days = 0 if active < 0.4 else int(chance.expovariate(0.1))
    last = NOW - timedelta(days=days, minutes=chance.randint(20, 600))
    if active > 0.97:  # written before points had a day
        return User(user_id=name, points_left=chance.randint(0, DAILY_POINTS), email=email)
    return User(
        user_id=name,
        points_left=chance.choice((0, 0, 3, 5, 8, 10, 12, DAILY_POINTS)),
        points_day=last.date(),
        last_session_timestamp=last,
        last_queue_entry=last - timedelta(minutes=chance.randint(6, 20)),
        email=email,
    )


def _calls(chance: Random, number: int, users: int) -> Iterator[Session]:
    if users == 1:
        return
    many = min(_MOST_CALLS, int(chance.paretovariate(0.9)) - 1)  # most have few, and some very many
    start = NOW - timedelta(minutes=chance.randint(20, 60))
    for call in range(many):
        partner = _partner(chance, number, users)
        yield _session(chance, f"{number:07d}-{call:04d}", number, partner, start)
        start -= _pause(chance)
        if chance.random() < 0.6:
            start = start.replace(hour=chance.choice(_EVENING))
        if chance.random() < 0.03:  # at the very end of a day
            start = start.replace(hour=23, minute=59, second=59, microsecond=999999)


def _pause(chance: Random) -> timedelta:
    if chance.random() < 0.05:
        return timedelta(0)  # two begin at the same time
    if chance.random() < 0.4:
        return timedelta(minutes=chance.randint(16, 90))
    return timedelta(days=chance.randint(1, 4), seconds=chance.randint(0, 3600))


def _partner(chance: Random, number: int, users: int) -> int:
    """Return another user; users with low numbers have more calls."""
    other = int(users * chance.random() ** 2)
    return (other + 1) % users if other == number else other


def _session(chance: Random, name: str, first: int, second: int, start: datetime) -> Session:
    session = Session(
        session_id=name,
        user_a=user_id(first),
        user_b=user_id(second),
        start_time=start,
        room_name=name,
        created_at=start,
        expires_at=start + KEPT_FOR,
    )
    if chance.random() < 0.03:  # not ended
        return session
    seconds = min(MAX_CALL.total_seconds(), 5 + chance.expovariate(1 / 300))
    session.end_time = start + timedelta(seconds=int(seconds))
    session.duration = started_minutes(start, session.end_time)
    return session
