"""Generate realistic users and calls up to now, with edge cases.

The same seed gives the same data at the same time.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random

from sortkey import Entity, Table, utc_now
from sortkey_systems.oneonone.design import (
    DAILY_POINTS,
    KEPT_FOR,
    MAX_CALL,
    QUEUE,
    Session,
    Sessions,
    User,
    Users,
    Waiting,
    new_session,
    started_minutes,
)

TABLES: tuple[type[Table], ...] = (Users, Sessions)

_NAMES = (
    "ana", "björn", "chloé", "dmitri", "émile", "fatima", "giulia", "hiro", "ingrid", "joão",
    "kübra", "łukasz", "mei", "niamh", "ólafur", "priya", "renée", "søren", "tomáš", "zoë",
)  # fmt: skip
_EVENING = (17, 18, 18, 19, 19, 19, 20, 20, 20, 21, 21, 22)
_MOST_CALLS = 400


def records(users: int, *, seed: int = 1) -> Iterator[Sequence[Entity]]:
    """Yield the records of each user: the user, and the calls in which the user is ``userA``."""
    now = utc_now().replace(microsecond=0)
    for number in range(users):
        # Each user has a random generator of their own, so that users do not depend on each other.
        chance = Random(f"{seed}/{number}")
        calls = list(_calls(chance, now, number, users))
        user = _user(chance, now, number)
        # Two neighbours wait or are in a call together.
        pair = number // 2 * 2
        if pair + 1 < users:
            calls += _together(Random(f"{seed}/pair/{pair}"), now, pair, user)
        yield [user, *calls]


def _together(chance: Random, now: datetime, pair: int, user: User) -> Iterator[Session]:
    """Let a user wait or talk if the neighbour does too; yield the call to the first of them."""
    action = chance.random()
    minutes = chance.choice((0, 1, 1, 2, 3, 4, 6, 9, 15, 45))
    if action < 0.08:  # in the queue; some of them for too long
        user.points_left = user.points_left or DAILY_POINTS
        user.points_day = now.date()
        user.is_waiting_in_queue, user.queue = True, QUEUE
        user.last_queue_entry = now - timedelta(minutes=minutes)
    elif action < 0.14:  # in a call; nobody has ended some of them
        user.points_left, user.points_day = DAILY_POINTS, (now - timedelta(minutes=minutes)).date()
        first, second = (
            Waiting(user_id=user_id(number), last_queue_entry=now, points_left=DAILY_POINTS)
            for number in (pair, pair + 1)
        )
        call = new_session(first, second, f"{pair:07d}-open", now - timedelta(minutes=minutes))
        user.current_session, user.current_session_deadline = call.session_id, call.deadline
        if user.user_id == call.user_a:
            yield call


def user_id(number: int) -> str:
    """Return the id of a user; some ids are prefixes of others, and one in ten has a name."""
    name = _NAMES[number // 10 % len(_NAMES)]
    return f"{name}-{number}" if number % 10 == 0 else f"user{number}"


def _user(chance: Random, now: datetime, number: int) -> User:
    name = user_id(number)
    email = f"{name}@example.org" if chance.random() < 0.7 else None
    active = chance.random()
    days = 0 if active < 0.4 else int(chance.expovariate(0.1))
    last = now - timedelta(days=days, minutes=chance.randint(20, 600))
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


def _calls(chance: Random, now: datetime, number: int, users: int) -> Iterator[Session]:
    if users == 1:
        return
    many = min(_MOST_CALLS, int(chance.paretovariate(0.9)) - 1)  # most have few, and some very many
    start = now - timedelta(minutes=chance.randint(20, 60))
    for call in range(many):
        partner = _partner(chance, number, users)
        yield _session(chance, f"{number:07d}-{call:04d}", number, partner, start)
        start -= _pause(chance)
        if chance.random() < 0.6:
            start = start.replace(hour=chance.choice(_EVENING))
        if chance.random() < 0.03:  # at the very end of a day
            start = start.replace(hour=23, minute=59, second=59, microsecond=999999)
        if start > now - MAX_CALL:
            start -= timedelta(days=1)


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
        deadline=start + MAX_CALL,
        room_name=name,
        created_at=start,
        expires_at=start + KEPT_FOR,
    )
    seconds = min(MAX_CALL.total_seconds(), 5 + chance.expovariate(1 / 300))
    session.end_time = start + timedelta(seconds=int(seconds))
    session.duration = Decimal(started_minutes(start, session.end_time))
    return session
