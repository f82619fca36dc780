"""One-on-One's data: two plain tables with natural keys, their indexes and access patterns.

Attributes keep the names of the original document (``pointsLeft``). What it did not have is marked
with the reason why it is there.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Annotated
from zlib import crc32

from pydantic import BaseModel, Field
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    About,
    Alarms,
    Entity,
    Op,
    Page,
    Role,
    Settings,
    Table,
    exists,
    gsi,
    invariant,
    merged,
    missing,
    pattern,
    refers,
    transact,
    value_of,
)
from sortkey.operations.update import Update

DAILY_POINTS = 15
LONGEST_CALL = timedelta(minutes=15)
LONGEST_WAIT = timedelta(minutes=10)
KEPT_FOR = timedelta(days=90)
CANDIDATES = 25
HISTORY_PAGE = 20

# One partition holds the whole queue, which bounds it to about 1,000 joins, leaves and matches a
# second. More shards raise that. The number may grow at any time and never shrink: the first shard
# has the documented name, and what was written under a smaller number lies in one that is read.
QUEUE = "WAITING"
QUEUE_SHARDS = 1


def named(name: str) -> Callable[[str], str]:
    """A table's name in an environment: the documented one in production."""
    return lambda environment: name if environment == "prod" else f"{environment}-{name}"


# Each table has one kind of record, so that no attribute needs to tell kinds apart.
class Users(
    Table,
    name=named("Users"),
    partition="userId",
    type_attribute=None,
    settings=Settings(alarms=Alarms()),
):
    """Who learns: points, and whether they wait or talk."""

    # Added: the document finds waiting people by a Boolean, which cannot be a key. It holds only
    # those who wait, and of them only the keys, so that no other change is written to it.
    waiting_index = gsi("queue", "lastQueueEntry", project="KEYS_ONLY", name="WaitingIndex")


class Sessions(
    Table,
    name=named("Sessions"),
    partition="sessionId",
    ttl="expiresAt",
    type_attribute=None,
    settings=Settings(alarms=Alarms()),
):
    """Calls of two people, kept for 90 days."""

    user_sessions_index = gsi("userA", "startTime", name="UserSessionsIndex")
    # The document describes this index and does not name it.
    partner_sessions_index = gsi("userB", "startTime", name="PartnerSessionsIndex")


class User(Entity, table=Users, stored=to_camel):
    """Somebody who learns."""

    user_id: str
    points_left: Annotated[int, Field(ge=0, le=DAILY_POINTS)] = DAILY_POINTS
    # Added: the UTC day that the points belong to, so that nobody has to reset them at midnight.
    points_day: date | None = None
    last_session_timestamp: datetime | None = None
    is_waiting_in_queue: bool = False
    last_queue_entry: datetime | None = None
    # Added: the key of WaitingIndex. The name of a queue while waiting, and absent otherwise.
    queue: str | None = None
    # Added: a match must not take somebody who talks, and its condition sees only this record.
    current_session: str | None = None
    # Added: when that call began, for the same reason: it counts for 15 minutes only.
    current_session_start: datetime | None = None
    email: str | None = None

    waiting = Users.waiting_index.key()

    def points_on(self, day: date) -> int:
        """The points left on a day: all of them where those stored are of an earlier one."""
        is_new_day = self.points_day is None or self.points_day < day
        return DAILY_POINTS if is_new_day else self.points_left

    def waits_at(self, moment: datetime) -> bool:
        """Whether the user is in the queue, and not for so long that nobody counts on it."""
        entered = self.last_queue_entry
        return self.queue is not None and entered is not None and entered > moment - LONGEST_WAIT

    def talks_at(self, moment: datetime) -> bool:
        """Whether the user is in a call that is not over by its length."""
        began = self.current_session_start
        if self.current_session is None or began is None:
            return False
        return began > moment - LONGEST_CALL


class Session(
    Entity,
    table=Sessions,
    stored=to_camel,
    relations=(refers("user_a", User), refers("user_b", User)),
):
    """One call; ``userA`` is who had waited longer."""

    session_id: str
    user_a: str
    user_b: str
    # Set when the pair is matched, so that no session is missing from the indexes.
    start_time: datetime
    end_time: datetime | None = None
    duration: int | None = None  # in started minutes
    room_name: str
    created_at: datetime
    expires_at: TTL

    as_first = Sessions.user_sessions_index.key()
    as_second = Sessions.partner_sessions_index.key()

    def includes(self, user_id: str) -> bool:
        """Whether this user is one of the two."""
        return user_id in {self.user_a, self.user_b}


def queue_of(user_id: str) -> str:
    """The shard of the queue in which a user waits."""
    shard = crc32(user_id.encode()) % QUEUE_SHARDS
    return f"{QUEUE}#{shard}" if shard else QUEUE


def queues() -> list[str]:
    """Every shard of the queue."""
    return [QUEUE, *(f"{QUEUE}#{shard}" for shard in range(1, QUEUE_SHARDS))]


class Waiting(BaseModel, frozen=True):
    """Somebody in the queue, as the index shows it."""

    user_id: str
    last_queue_entry: datetime


# Conditions, each a promise that a write keeps.


def does_not_wait(user: User, moment: datetime) -> bool:
    """The user is in no queue, or has been for so long, or since nobody knows when."""
    return (
        missing(user.queue)
        | missing(user.last_queue_entry)
        | (value_of(user.last_queue_entry) <= moment - LONGEST_WAIT)
    )


def does_not_talk(user: User, moment: datetime) -> bool:
    """The user is in no call, or in one that is over by its length or whose start is unknown."""
    return (
        missing(user.current_session)
        | missing(user.current_session_start)
        | (value_of(user.current_session_start) <= moment - LONGEST_CALL)
    )


def has_points_of(user: User, day: date) -> bool:
    """The points are of this day, and not all are spent."""
    return (value_of(user.points_day) >= day) & (user.points_left > 0)


def has_points_of_before(user: User, day: date) -> bool:
    """The points are of an earlier day."""
    return missing(user.points_day) | (value_of(user.points_day) < day)


def still_waits(user: User, entered: datetime) -> bool:
    """The user is in the queue since the moment that was read."""
    return exists(user.queue) & (user.last_queue_entry == entered)


def has_points_as_read(user: User, read: User) -> bool:
    """Nobody has changed the points, their day or the last session since they were read."""
    return (
        (user.points_left == read.points_left)
        & (user.points_day == read.points_day)
        & (user.last_session_timestamp == read.last_session_timestamp)
    )


def talks_in(user: User, session_id: str) -> bool:
    """The user is in this call, and in no later one."""
    return user.current_session == session_id


def is_not_ended(session: Session) -> bool:
    """Nobody has ended the call."""
    return missing(session.end_time)


# What is asked of users.


@pattern("A user's status", rate="50/s", fresh=True)
def user_status(user_id: str) -> Op[User | None]:
    """Who has just joined or was just matched sees it."""
    return User.get(user_id=user_id).consistently()


@pattern("Register a user", rate="10/min")
def register_user(user_id: str, email: str | None, day: date) -> Op[User]:
    """A new user, with the points of the day."""
    return User(user_id=user_id, email=email, points_day=day).create()


@pattern("Join the queue, with points of today", rate="5/s")
def join_queue(user_id: str, moment: datetime) -> Op[User]:
    """Once, and only with points left and not while in a call."""
    return _joining(user_id, moment).where(lambda u: has_points_of(u, moment.date()))


@pattern("Join the queue, as the first write of a day", rate="1/s")
def join_queue_on_new_day(user_id: str, moment: datetime) -> Op[User]:
    """The same, and the points of the new day are stored."""
    return (
        _joining(user_id, moment)
        .set(lambda u: u.points_left)
        .to(DAILY_POINTS)
        .set(lambda u: u.points_day)
        .to(moment.date())
        .where(lambda u: has_points_of_before(u, moment.date()))
    )


def _joining(user_id: str, moment: datetime) -> Update[User]:
    """Into the queue, of whoever is neither there nor in a call."""
    return (
        User.update(user_id=user_id)
        .set(lambda u: u.is_waiting_in_queue)
        .to(value=True)
        .set(lambda u: u.queue)
        .to(queue_of(user_id))
        .set(lambda u: u.last_queue_entry)
        .to(moment)
        .where(lambda u: does_not_wait(u, moment))
        .where(lambda u: does_not_talk(u, moment))
    )


@pattern("Leave the queue", rate="1/s")
def leave_queue(user_id: str) -> Op[User]:
    """The same whether or not the user waits."""
    return (
        User.update(user_id=user_id)
        .set(lambda u: u.is_waiting_in_queue)
        .to(value=False)
        .remove(lambda u: u.queue)
    )


@pattern(
    "Waiting users, oldest first",
    rate="2/s",
    page=CANDIDATES,
    where=lambda user, since: (
        user.queue in queues()
        and user.last_queue_entry is not None
        and user.last_queue_entry > since
    ),
    order=lambda user: user.last_queue_entry,
)
def waiting_users(since: datetime, after: str | None = None) -> Op[Page[Waiting]]:
    """Those whose entry is younger than a time, from all shards of the queue."""
    entries = [
        User.query(User.waiting, queue=queue).gt(last_queue_entry=since).select(Waiting)
        for queue in queues()
    ]
    return merged(*entries, by=lambda entry: entry.last_queue_entry).page(CANDIDATES, after)


# What is asked of sessions.


def new_session(first: Waiting, second: Waiting, session_id: str, moment: datetime) -> Session:
    """The session of a pair that is matched at a moment."""
    return Session(
        session_id=session_id,
        user_a=first.user_id,
        user_b=second.user_id,
        start_time=moment,
        room_name=session_id,
        created_at=moment,
        expires_at=moment + KEPT_FOR,
    )


@pattern("Match two waiting users", rate="3/s")
def match_users(first: Waiting, second: Waiting, session_id: str, moment: datetime) -> Op[None]:
    """Both leave the queue for one new session, or nothing happens."""
    session = new_session(first, second, session_id, moment)
    taken = [
        User.update(user_id=person.user_id)
        .set(lambda u: u.is_waiting_in_queue)
        .to(value=False)
        .remove(lambda u: u.queue)
        .set(lambda u: u.current_session)
        .to(session_id)
        .set(lambda u: u.current_session_start)
        .to(moment)
        .where(lambda u, entered=person.last_queue_entry: still_waits(u, entered))
        .where(lambda u: does_not_talk(u, moment))
        for person in (first, second)
    ]
    return transact(*taken, session.create())


@pattern("A session by its id", rate="10/s", fresh=True)
def session_by_id(session_id: str) -> Op[Session | None]:
    """As it is, not as it was a moment ago."""
    return Session.get(session_id=session_id).consistently()


@pattern("End a session", rate="3/s")
def end_session(session: Session, first: User, second: User, end: datetime) -> Op[None]:
    """Once: the end, and the points of both as they were read, less the minutes."""
    minutes = started_minutes(session.start_time, end)
    ended = (
        Session.update(session_id=session.session_id)
        .set(lambda s: s.end_time)
        .to(end)
        .set(lambda s: s.duration)
        .to(minutes)
        .where(is_not_ended)
    )
    paid = [charged(user, session.session_id, minutes, end) for user in (first, second)]
    return transact(ended, *paid)


def started_minutes(start: datetime, end: datetime) -> int:
    """How many minutes began between two times."""
    return max(0, -((start - end) // timedelta(minutes=1)))


def charged(user: User, session_id: str, minutes: int, end: datetime) -> Update[User]:
    """A user who pays for a call with the points of the day on which it ended."""
    day, points = end.date(), user.points_left
    if user.points_day is None or user.points_day <= day:
        points = max(0, user.points_on(day) - minutes)
    else:
        day = user.points_day  # the day of the call is over, and its points with it
    pays = (
        User.update(user_id=user.user_id)
        .set(lambda u: u.points_left)
        .to(points)
        .set(lambda u: u.points_day)
        .to(day)
        .set(lambda u: u.last_session_timestamp)
        .to(max(end, user.last_session_timestamp or end))
        .where(lambda u: has_points_as_read(u, user))
    )
    if user.current_session != session_id:
        return pays  # who has moved on stays in the next call
    return (
        pays.remove(lambda u: u.current_session)
        .remove(lambda u: u.current_session_start)
        .where(lambda u: talks_in(u, session_id))
    )


@pattern(
    "The sessions of a user within two times, newest first",
    rate="2/s",
    page=HISTORY_PAGE,
    where=lambda session, user_id, since, until: (
        session.includes(user_id) and since <= session.start_time <= until
    ),
    order=lambda session: session.start_time,
    descending=True,
    ignore={"SK417": "a call has two people, and each of the documented indexes finds one side"},
)
def session_history(
    user_id: str,
    since: datetime,
    until: datetime,
    after: str | None = None,
    size: int = HISTORY_PAGE,
) -> Op[Page[Session]]:
    """One page of both indexes, whichever of the two the user was; both times are included."""
    as_first = Session.query(Session.as_first, user_a=user_id)
    as_second = Session.query(Session.as_second, user_b=user_id)
    return merged(
        as_first.between(start_time=(since, until)).reverse(),
        as_second.between(start_time=(since, until)).reverse(),
        by=lambda session: session.start_time,
    ).page(size, after)


# What is true after every write.


@invariant("Whoever waits is in a queue, and nobody else is")
def waits_in_a_queue(user: User) -> bool:
    """The flag of the document, and the key of the index that was added for it."""
    return user.is_waiting_in_queue is (user.queue is not None)


@invariant("Whoever is in a queue has entered it at some time")
def entered_the_queue(user: User) -> bool:
    """Without the time, the index would not have the user, and nobody would find a partner."""
    return user.queue is None or user.last_queue_entry is not None


@invariant("A session is of two users, who are not the same")
def is_of_two_users(session: Session, users: list[User]) -> bool:
    """Both are registered."""
    known = {user.user_id for user in users}
    return session.user_a != session.user_b and {session.user_a, session.user_b} <= known


@invariant("Whoever is in a call is one of its two")
def is_in_own_call(user: User, sessions: list[Session]) -> bool:
    """A session is never removed before its ninety days are over."""
    return user.current_session is None or any(
        session.session_id == user.current_session and session.includes(user.user_id)
        for session in sessions
    )


about = About(name="One-on-One", environments=("dev", "prod"), users=50_000)

member = Role(
    "member",
    [user_status, register_user, join_queue, join_queue_on_new_day, leave_queue, session_history],
    acts_for="user_id",
)
# Both are in a session, so none of them owns it: the functions check who asks.
calls = Role("calls", [user_status, session_by_id, end_session])
matchmaker = Role("matchmaker", [waiting_users, match_users])
