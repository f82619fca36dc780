"""One-on-One's design: two plain tables with natural keys, their indexes and access patterns.

Attributes have the names of the original document (``pointsLeft``). A comment gives the reason for
each addition.
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
    Update,
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

DAILY_POINTS = 15
MAX_CALL = timedelta(minutes=15)
MAX_WAIT = timedelta(minutes=10)
KEPT_FOR = timedelta(days=90)
CANDIDATES = 25
HISTORY_PAGE = 20

# One partition has the whole queue, which limits it to about 1,000 joins, leaves and matches a
# second. More shards raise the limit. The number can be raised at any time, but not lowered: then
# entries in the removed shards would not be read. The first shard has the documented name.
QUEUE = "WAITING"
QUEUE_SHARDS = 1


def named(name: str) -> Callable[[str], str]:
    """Return a function that gives a table's name in an environment; production has no prefix."""
    return lambda environment: name if environment == "prod" else f"{environment}-{name}"


# Each table has one entity, so no type attribute is needed.
class Users(
    Table,
    name=named("Users"),
    partition="userId",
    type_attribute=None,
    settings=Settings(alarms=Alarms()),
):
    """Language learners: their points, place in the queue and current call."""

    # Added: the document finds waiting users by a Boolean, which cannot be a key. The index has
    # only waiting users, and only their keys, so that other changes do not write to it.
    waiting_index = gsi("queue", "lastQueueEntry", project="KEYS_ONLY", name="WaitingIndex")


class Sessions(
    Table,
    name=named("Sessions"),
    partition="sessionId",
    ttl="expiresAt",
    type_attribute=None,
    settings=Settings(alarms=Alarms()),
):
    """Calls between two users, kept for 90 days."""

    user_sessions_index = gsi("userA", "startTime", name="UserSessionsIndex")
    # The document describes this index without a name.
    partner_sessions_index = gsi("userB", "startTime", name="PartnerSessionsIndex")


class User(Entity, table=Users, stored=to_camel):
    """A language learner."""

    user_id: str
    points_left: Annotated[int, Field(ge=0, le=DAILY_POINTS)] = DAILY_POINTS
    # Added: the UTC day of the points, so that they need no reset at midnight.
    points_day: date | None = None
    last_session_timestamp: datetime | None = None
    is_waiting_in_queue: bool = False
    last_queue_entry: datetime | None = None
    # Added: the key of WaitingIndex. The name of a queue while waiting, else absent.
    queue: str | None = None
    # Added: a match must not take a user in a call, and its condition sees only this record.
    current_session: str | None = None
    # Added: when that call began: after 15 minutes it does not count any more.
    current_session_start: datetime | None = None
    email: str | None = None

    waiting = Users.waiting_index.key()

    def points_on(self, day: date) -> int:
        """Return the points left on a day: all if the stored points are from an earlier day."""
        is_new_day = self.points_day is None or self.points_day < day
        return DAILY_POINTS if is_new_day else self.points_left

    def is_waiting_at(self, moment: datetime) -> bool:
        """Return whether the user is in the queue, since less than `MAX_WAIT`."""
        entered = self.last_queue_entry
        return self.queue is not None and entered is not None and entered > moment - MAX_WAIT

    def is_in_call_at(self, moment: datetime) -> bool:
        """Return whether the user is in a call that began less than `MAX_CALL` ago."""
        began = self.current_session_start
        if self.current_session is None or began is None:
            return False
        return began > moment - MAX_CALL


class Session(
    Entity,
    table=Sessions,
    stored=to_camel,
    relations=(refers("user_a", User), refers("user_b", User)),
):
    """A call between two users; ``userA`` had waited longer."""

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
        """Return whether the user is in this call."""
        return user_id in {self.user_a, self.user_b}


def queue_of(user_id: str) -> str:
    """Return the shard of the queue in which a user waits."""
    shard = crc32(user_id.encode()) % QUEUE_SHARDS
    return f"{QUEUE}#{shard}" if shard else QUEUE


def queues() -> list[str]:
    """Return all shards of the queue."""
    return [QUEUE, *(f"{QUEUE}#{shard}" for shard in range(1, QUEUE_SHARDS))]


class Waiting(BaseModel, frozen=True):
    """An entry of the queue, as read from the index."""

    user_id: str
    last_queue_entry: datetime


# Conditions of writes.


def is_not_waiting(user: User, moment: datetime) -> bool:
    """Condition: the user is not in the queue, or the entry is stale."""
    return (
        missing(user.queue)
        | missing(user.last_queue_entry)
        | (value_of(user.last_queue_entry) <= moment - MAX_WAIT)
    )


def is_not_in_call(user: User, moment: datetime) -> bool:
    """Condition: the user is not in a call, or the call is stale."""
    return (
        missing(user.current_session)
        | missing(user.current_session_start)
        | (value_of(user.current_session_start) <= moment - MAX_CALL)
    )


def has_points_on(user: User, day: date) -> bool:
    """Condition: the stored points are of this day, and some are left."""
    return (value_of(user.points_day) >= day) & (user.points_left > 0)


def has_points_from_earlier_day(user: User, day: date) -> bool:
    """Condition: the stored points are from an earlier day."""
    return missing(user.points_day) | (value_of(user.points_day) < day)


def is_still_waiting(user: User, entered: datetime) -> bool:
    """Condition: the user has been in the queue since the time that was read."""
    return exists(user.queue) & (user.last_queue_entry == entered)


def points_are_unchanged(user: User, read: User) -> bool:
    """Condition: the points, their day and the last session are as they were read."""
    return (
        (user.points_left == read.points_left)
        & (user.points_day == read.points_day)
        & (user.last_session_timestamp == read.last_session_timestamp)
    )


def is_in_call(user: User, session_id: str) -> bool:
    """Condition: the user is in this call, not in a later one."""
    return user.current_session == session_id


def is_not_ended(session: Session) -> bool:
    """Condition: the call has not ended."""
    return missing(session.end_time)


# Patterns of users.


@pattern("A user's status", rate="50/s", fresh=True)
def user_status(user_id: str) -> Op[User | None]:
    """Return a user; a strongly consistent read."""
    return User.get(user_id=user_id).consistently()


@pattern("Register a user", rate="10/min")
def register_user(user_id: str, email: str | None, day: date) -> Op[User]:
    """Create a user with the points of the day."""
    return User(user_id=user_id, email=email, points_day=day).create()


@pattern("Join the queue with points left today", rate="5/s")
def join_queue(user_id: str, moment: datetime) -> Op[User]:
    """Add a user to the queue who has points left and is neither waiting nor in a call."""
    return _join(user_id, moment).where(lambda u: has_points_on(u, moment.date()))


@pattern("Join the queue as the first write of a day", rate="1/s")
def join_queue_on_new_day(user_id: str, moment: datetime) -> Op[User]:
    """Add a user to the queue, and store the points of the new day."""
    return (
        _join(user_id, moment)
        .set(points_left=DAILY_POINTS, points_day=moment.date())
        .where(lambda u: has_points_from_earlier_day(u, moment.date()))
    )


def _join(user_id: str, moment: datetime) -> Update[User]:
    """Return an update that adds a user to the queue who is neither waiting nor in a call."""
    return (
        User.update(user_id=user_id)
        .set(is_waiting_in_queue=True, queue=queue_of(user_id), last_queue_entry=moment)
        .where(lambda u: is_not_waiting(u, moment))
        .where(lambda u: is_not_in_call(u, moment))
    )


@pattern("Leave the queue", rate="1/s")
def leave_queue(user_id: str) -> Op[User]:
    """Remove a user from the queue, whether or not the user is in it."""
    return User.update(user_id=user_id).set(is_waiting_in_queue=False).remove(lambda u: u.queue)


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
    """Return a page of the entries since a time, from all shards of the queue."""
    entries = [
        User.query(User.waiting, queue=queue).gt(last_queue_entry=since).select(Waiting)
        for queue in queues()
    ]
    return merged(*entries, by=lambda entry: entry.last_queue_entry).page(CANDIDATES, after)


# Patterns of sessions.


def new_session(first: Waiting, second: Waiting, session_id: str, moment: datetime) -> Session:
    """Return the session of two users who are matched now."""
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
    """Remove both users from the queue and create their session, in one transaction."""
    session = new_session(first, second, session_id, moment)
    taken = [
        User.update(user_id=person.user_id)
        .set(
            is_waiting_in_queue=False,
            current_session=session_id,
            current_session_start=moment,
        )
        .remove(lambda u: u.queue)
        .where(lambda u, entered=person.last_queue_entry: is_still_waiting(u, entered))
        .where(lambda u: is_not_in_call(u, moment))
        for person in (first, second)
    ]
    return transact(*taken, session.create())


@pattern("A session by its id", rate="10/s", fresh=True)
def session_by_id(session_id: str) -> Op[Session | None]:
    """Return a session; a strongly consistent read."""
    return Session.get(session_id=session_id).consistently()


@pattern("End a session", rate="3/s")
def end_session(session: Session, first: User, second: User, end: datetime) -> Op[None]:
    """End an open session, and charge both users; their points must be as they were read."""
    minutes = started_minutes(session.start_time, end)
    ended = (
        Session.update(session_id=session.session_id)
        .set(end_time=end, duration=minutes)
        .where(is_not_ended)
    )
    paid = [charge(user, session.session_id, minutes, end) for user in (first, second)]
    return transact(ended, *paid)


def started_minutes(start: datetime, end: datetime) -> int:
    """Return the number of minutes that started between two times."""
    return max(0, -((start - end) // timedelta(minutes=1)))


def charge(user: User, session_id: str, minutes: int, end: datetime) -> Update[User]:
    """Return an update that charges a user the minutes of a call, on the day it ended."""
    day, points = end.date(), user.points_left
    if user.points_day is None or user.points_day <= day:
        points = max(0, user.points_on(day) - minutes)
    else:
        day = user.points_day  # the points of that day have expired
    payment = (
        User.update(user_id=user.user_id)
        .set(
            points_left=points,
            points_day=day,
            last_session_timestamp=max(end, user.last_session_timestamp or end),
        )
        .where(lambda u: points_are_unchanged(u, user))
    )
    if user.current_session != session_id:
        return payment  # the user is already in another call
    return (
        payment.remove(lambda u: u.current_session)
        .remove(lambda u: u.current_session_start)
        .where(lambda u: is_in_call(u, session_id))
    )


@pattern(
    "A user's sessions in a time range, newest first",
    rate="2/s",
    page=HISTORY_PAGE,
    where=lambda session, user_id, since, until: (
        session.includes(user_id) and since <= session.start_time <= until
    ),
    order=lambda session: session.start_time,
    descending=True,
    ignore={"SK417": "a call has two users, and each of the documented indexes finds one of them"},
)
def session_history(
    user_id: str,
    since: datetime,
    until: datetime,
    after: str | None = None,
    size: int = HISTORY_PAGE,
) -> Op[Page[Session]]:
    """Return a page of the user's sessions, merged from both indexes; both times are included."""
    as_first = Session.query(Session.as_first, user_a=user_id)
    as_second = Session.query(Session.as_second, user_b=user_id)
    return merged(
        as_first.between(start_time=(since, until)).reverse(),
        as_second.between(start_time=(since, until)).reverse(),
        by=lambda session: session.start_time,
    ).page(size, after)


# Invariants: they hold after every write.


@invariant("A user is marked as waiting exactly while in a queue")
def waits_in_a_queue(user: User) -> bool:
    """The documented flag matches the key of the index that was added for it."""
    return user.is_waiting_in_queue is (user.queue is not None)


@invariant("A user in a queue has the time of entry")
def entered_the_queue(user: User) -> bool:
    """Without the time, the index would not have the user, who would never be matched."""
    return user.queue is None or user.last_queue_entry is not None


@invariant("A session has two different users")
def is_of_two_users(session: Session, users: list[User]) -> bool:
    """Both users are registered."""
    known = {user.user_id for user in users}
    return session.user_a != session.user_b and {session.user_a, session.user_b} <= known


@invariant("A user's current call includes that user")
def is_in_own_call(user: User, sessions: list[Session]) -> bool:
    """Sessions are kept for 90 days, so the session of a current call exists."""
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
# A session has two users and no owner: the functions check the caller.
calls = Role("calls", [user_status, session_by_id, end_session])
matchmaker = Role("matchmaker", [waiting_users, match_users])
