"""One-on-One's design: two plain tables with natural keys, their indexes and access patterns.

Attributes have the names of the original document (``pointsLeft``). A comment gives the reason for
each addition. The functions that use them, and their roles, are in `functions`.
"""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated
from zlib import crc32

from pydantic import BaseModel, Field
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    About,
    Alarms,
    Check,
    Entity,
    Op,
    Page,
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
from sortkey_systems.oneonone.presence import GRACE, Log, over_at

DAILY_POINTS = 15
MAX_CALL = timedelta(minutes=15)
MAX_WAIT = timedelta(minutes=10)
KEPT_FOR = timedelta(days=90)
CANDIDATES = 25
DUE = 25
BOTH = 2
HISTORY_PAGE = 20

# One partition has the whole queue, and another one all open calls, which limits each to about
# 1,000 writes a second. More shards raise the limit. The number can be raised at any time, but not
# lowered: then entries in the removed shards would not be read. The first shard has the documented
# name. A call is open until its room is closed for good.
QUEUE = "WAITING"
OPEN = "OPEN"
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
    # only waiting users, with the points that limit their call.
    waiting_index = gsi(
        "queue", "lastQueueEntry", project=["pointsLeft", "pointsDay"], name="WaitingIndex"
    )


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
    # Added: the calls that a schedule has to end, or whose room it has to delete, by the time at
    # which that is due.
    open_calls_index = gsi(
        "openCalls",
        "dueAt",
        project=["roomName", "startTime", "deadline", "endTime", "expiresAt"],
        name="OpenCallsIndex",
    )


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
    # Added: a match must not take a user in a call, and its condition sees only this record. It is
    # kept until the call is paid.
    current_session: str | None = None
    # Added: when that call ends at the latest.
    current_session_deadline: datetime | None = None
    email: str | None = None

    waiting = Users.waiting_index.key()

    def is_waiting_at(self, moment: datetime) -> bool:
        """Return whether the user is in the queue, since less than `MAX_WAIT`."""
        entered = self.last_queue_entry
        return self.queue is not None and entered is not None and entered > moment - MAX_WAIT

    def is_in_call_at(self, moment: datetime) -> bool:
        """Return whether the user is in a call that has not reached its deadline."""
        deadline = self.current_session_deadline
        return self.current_session is not None and deadline is not None and deadline > moment


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
    # Added: when the points of one of the two run out, at most 15 minutes after the start.
    deadline: datetime | None = None
    # Added: the key of OpenCallsIndex. The name of a list of calls until the call has ended and
    # nobody can open its room again, then absent.
    open_calls: str | None = None
    # Added: the sort key of that index. When a schedule has to look at the call.
    due_at: datetime | None = None
    # Added: the log of the call. The document wants live logs, and has no attribute for who was
    # there. They show when a user left, which is when the call was over.
    connections: Log | None = None
    # Added: when the video service closed the room, should it not have reported who left.
    room_finished_at: datetime | None = None
    end_time: datetime | None = None
    # In started minutes; the document asks only for a number of minutes.
    duration: Decimal | None = None
    room_name: str
    created_at: datetime
    expires_at: TTL

    as_first = Sessions.user_sessions_index.key()
    as_second = Sessions.partner_sessions_index.key()
    as_open = Sessions.open_calls_index.key()

    def includes(self, user_id: str) -> bool:
        """Return whether the user is in this call."""
        return user_id in {self.user_a, self.user_b}

    @property
    def limit(self) -> datetime:
        """The time at which the call ends at the latest, even if both are in it."""
        return self.deadline or self.start_time + MAX_CALL

    @property
    def ends_by(self) -> datetime:
        """The time at which the call ends unless a user who left comes back."""
        over = self.over_at
        return self.limit if over is None else min(self.limit, over + GRACE)

    @property
    def over_at(self) -> datetime | None:
        """When the first of the two left who has not come back in time, or None."""
        return over_at(self.connections or (), (self.user_a, self.user_b), self.room_finished_at)

    def end_at(self, moment: datetime) -> datetime:
        """Return the end of the call if it is ended now: the minutes after it cost nothing."""
        ended = min(filter(None, (moment, self.limit, self.over_at)))
        return max(ended, self.start_time)


def shard_of(name: str, key: str) -> str:
    """Return the shard of the queue, or of the open calls, that has this key."""
    shard = crc32(key.encode()) % QUEUE_SHARDS
    return f"{name}#{shard}" if shard else name


def shards_of(name: str) -> list[str]:
    """Return all shards of the queue, or of the open calls."""
    return [name, *(f"{name}#{shard}" for shard in range(1, QUEUE_SHARDS))]


class Waiting(BaseModel, frozen=True):
    """An entry of the queue, as read from the index."""

    user_id: str
    last_queue_entry: datetime
    points_left: int
    points_day: date | None = None


class OpenCall(BaseModel, frozen=True):
    """A call that has not ended, or whose room may still be open, as read from the index."""

    session_id: str
    room_name: str
    due_at: datetime
    start_time: datetime
    deadline: datetime | None = None
    end_time: datetime | None = None


def points_on(user: User | Waiting, day: date) -> int:
    """Return a user's points on a day: all if the stored points are from an earlier day."""
    is_new_day = user.points_day is None or user.points_day < day
    return DAILY_POINTS if is_new_day else user.points_left


# Conditions of writes.


def is_not_waiting(user: User, moment: datetime) -> bool:
    """Condition: the user is not in the queue, or the entry is stale."""
    return (
        missing(user.queue)
        | missing(user.last_queue_entry)
        | (value_of(user.last_queue_entry) <= moment - MAX_WAIT)
    )


def is_not_in_call(user: User) -> bool:
    """Condition: the user is not in a call, and has paid the last one."""
    return missing(user.current_session)


def has_points_on(user: User, day: date) -> bool:
    """Condition: the stored points are of this day, and some are left."""
    return (value_of(user.points_day) >= day) & (user.points_left > 0)


def has_points_from_earlier_day(user: User, day: date) -> bool:
    """Condition: the stored points are from an earlier day."""
    return missing(user.points_day) | (value_of(user.points_day) < day)


def is_still_waiting(user: User, entered: datetime) -> bool:
    """Condition: the user has been in the queue since the time that was read."""
    return exists(user.queue) & (user.last_queue_entry == entered)


def points_are_unchanged(user: User, read: User | Waiting) -> bool:
    """Condition: the points and their day are as they were read."""
    return (user.points_left == read.points_left) & (user.points_day == read.points_day)


def is_in_call(user: User, session_id: str) -> bool:
    """Condition: the user is in this call."""
    return user.current_session == session_id


def is_in_no_call_or_another(user: User, session_id: str) -> bool:
    """Condition: the user is not in this call."""
    return missing(user.current_session) | (value_of(user.current_session) != session_id)


def is_not_ended(session: Session) -> bool:
    """Condition: the call has not ended."""
    return missing(session.end_time)


def is_due_as_read(session: Session, read: Session | OpenCall) -> bool:
    """Condition: a schedule looks at the call when it would have when the call was read."""
    if read.due_at is None:
        return missing(session.due_at)
    return value_of(session.due_at) == read.due_at


def is_logged_as_read(session: Session, read: Session) -> bool:
    """Condition: the log of the call is as it was read."""
    log, finished = read.connections, read.room_finished_at
    is_unchanged = (
        missing(session.connections) if log is None else value_of(session.connections) == log
    )
    if finished is None:
        return is_unchanged & missing(session.room_finished_at)
    return is_unchanged & (value_of(session.room_finished_at) == finished)


def is_of_the_same_users(session: Session, read: Session) -> bool:
    """Condition: the call has the users that were read."""
    return (session.user_a == read.user_a) & (session.user_b == read.user_b)


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
        .set(is_waiting_in_queue=True, queue=shard_of(QUEUE, user_id), last_queue_entry=moment)
        .where(lambda u: is_not_waiting(u, moment))
        .where(is_not_in_call)
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
        user.queue in shards_of(QUEUE)
        and user.last_queue_entry is not None
        and user.last_queue_entry > since
    ),
    order=lambda user: user.last_queue_entry,
)
def waiting_users(since: datetime, after: str | None = None) -> Op[Page[Waiting]]:
    """Return a page of the entries since a time, from all shards of the queue."""
    entries = [
        User.query(User.waiting, queue=queue).gt(last_queue_entry=since).select(Waiting)
        for queue in shards_of(QUEUE)
    ]
    return merged(*entries, by=lambda entry: entry.last_queue_entry).page(CANDIDATES, after)


# Patterns of sessions.


def new_session(first: Waiting, second: Waiting, session_id: str, moment: datetime) -> Session:
    """Return the session of two users who are matched now.

    Raises:
        ValueError: One of them has no points.
    """
    minutes = min(points_on(person, moment.date()) for person in (first, second))
    if minutes < 1:
        raise ValueError("a user without points cannot be matched")
    return Session(
        session_id=session_id,
        user_a=first.user_id,
        user_b=second.user_id,
        start_time=moment,
        deadline=moment + min(MAX_CALL, timedelta(minutes=minutes)),
        open_calls=shard_of(OPEN, session_id),
        due_at=moment + min(MAX_CALL, timedelta(minutes=minutes)),
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
            current_session_deadline=session.limit,
        )
        .remove(lambda u: u.queue)
        .where(lambda u, person=person: is_still_waiting(u, person.last_queue_entry))
        .where(lambda u, person=person: points_are_unchanged(u, person))
        .where(is_not_in_call)
        for person in (first, second)
    ]
    return transact(*taken, session.create())


@pattern("A session by its id", rate="10/s", fresh=True)
def session_by_id(session_id: str) -> Op[Session | None]:
    """Return a session; a strongly consistent read."""
    return Session.get(session_id=session_id).consistently()


@pattern("End a session", rate="3/s")
def end_session(
    session: Session, first: User | None, second: User | None, moment: datetime
) -> Op[None]:
    """End an open session, and charge both users; all must be as they were read.

    It ended now, or before at its limit or when a user left. The same write makes the deletion of
    the room due, so that none is forgotten.
    """
    end = session.end_at(moment)
    ended = (
        Session.update(session_id=session.session_id)
        .set(
            end_time=end,
            duration=Decimal(started_minutes(session.start_time, end)),
            open_calls=shard_of(OPEN, session.session_id),
            due_at=end,
        )
        .where(is_not_ended)
        .where(lambda s: is_of_the_same_users(s, session))
        .where(lambda s: is_logged_as_read(s, session))
    )
    paid = [
        charge(user_id, user, session, end)
        for user_id, user in ((session.user_a, first), (session.user_b, second))
    ]
    return transact(ended, *paid)


def started_minutes(start: datetime, end: datetime) -> int:
    """Return the number of minutes that started between two times."""
    return max(0, -((start - end) // timedelta(minutes=1)))


def charge(
    user_id: str, user: User | None, session: Session, end: datetime
) -> Update[User] | Check[User]:
    """Return an update that charges a user the minutes of a call, on the day it ended.

    A user who was deleted, or is not in this call, is not charged.
    """
    session_id = session.session_id
    if user is None or user.user_id != user_id:
        return User.check(user_id=user_id).is_absent()
    if user.current_session != session_id:
        return User.check(user_id=user_id).where(lambda u: is_in_no_call_or_another(u, session_id))
    day, points = end.date(), user.points_left
    if user.points_day is None or user.points_day <= day:
        points = max(0, points_on(user, day) - started_minutes(session.start_time, end))
    else:
        day = user.points_day  # the points of that day have expired
    return (
        User.update(user_id=user_id)
        .set(
            points_left=points,
            points_day=day,
            last_session_timestamp=max(end, user.last_session_timestamp or end),
        )
        .remove(lambda u: u.current_session)
        .remove(lambda u: u.current_session_deadline)
        .where(lambda u: points_are_unchanged(u, user))
        .where(lambda u: is_in_call(u, session_id))
    )


@pattern("Leave a call that no longer exists", rate="1/h")
def leave_lost_call(user_id: str, session_id: str) -> Op[None]:
    """Remove a user from a call whose session has expired or was deleted."""
    left = (
        User.update(user_id=user_id)
        .remove(lambda u: u.current_session)
        .remove(lambda u: u.current_session_deadline)
        .where(lambda u: is_in_call(u, session_id))
    )
    return transact(left, Session.check(session_id=session_id).is_absent())


@pattern("Log who is in the room of an open call", rate="12/s")
def log_open_call(session: Session, connections: Log, finished: datetime | None) -> Op[Session]:
    """Store the log of an open call, which must be as it was read.

    A departure may make the call due before its deadline, and a return at its deadline again.
    """
    logged = session.model_copy(update={"connections": connections, "room_finished_at": finished})
    return (
        _log(session, connections, finished)
        .set(open_calls=shard_of(OPEN, session.session_id), due_at=logged.ends_by)
        .where(is_not_ended)
    )


@pattern("Log who was in the room of an ended call", rate="6/s")
def log_ended_call(session: Session, connections: Log, finished: datetime | None) -> Op[Session]:
    """Store the log of an ended call, which must be as it was read."""
    return _log(session, connections, finished).where(lambda s: exists(s.end_time))


@pattern("Log who came into the room of an ended call", rate="1/min")
def log_and_close_again(session: Session, connections: Log, due_at: datetime) -> Op[Session]:
    """Store the log of an ended call, and make the deletion of its room due again."""
    return (
        _log(session, connections, session.room_finished_at)
        .set(open_calls=shard_of(OPEN, session.session_id), due_at=due_at)
        .where(lambda s: exists(s.end_time))
    )


def _log(session: Session, connections: Log, finished: datetime | None) -> Update[Session]:
    """Return an update that stores the log of a call, which must be as it was read."""
    update = (
        Session.update(session_id=session.session_id)
        .set(connections=connections)
        .where(lambda s: is_logged_as_read(s, session))
    )
    return update if finished is None else update.set(room_finished_at=finished)


@pattern(
    "Calls to end and rooms to delete, longest due first",
    rate="1/min",
    page=DUE,
    where=lambda session, until: (
        session.open_calls in shards_of(OPEN)
        and session.due_at is not None
        and session.due_at <= until
    ),
    order=lambda session: session.due_at,
)
def due_calls(until: datetime, after: str | None = None) -> Op[Page[OpenCall]]:
    """Return a page of the calls that are due up to a time, from all shards."""
    calls = [
        Session.query(Session.as_open, open_calls=shard).le(due_at=until).select(OpenCall)
        for shard in shards_of(OPEN)
    ]
    return merged(*calls, by=lambda call: call.due_at).page(DUE, after)


@pattern("Delete the room of a call again later", rate="3/s")
def recheck_room(call: OpenCall, due_at: datetime) -> Op[Session]:
    """Make the next deletion of an ended call's room due; nobody may have come in meanwhile."""
    return (
        Session.update(session_id=call.session_id)
        .set(due_at=due_at)
        .where(lambda s: exists(s.end_time))
        .where(lambda s: is_due_as_read(s, call))
    )


@pattern("Close the room of a call for good", rate="3/s")
def close_room(call: OpenCall) -> Op[Session]:
    """Take an ended call from the open ones; nobody may have come in meanwhile."""
    return (
        Session.update(session_id=call.session_id)
        .remove(lambda s: s.open_calls)
        .remove(lambda s: s.due_at)
        .where(lambda s: exists(s.end_time))
        .where(lambda s: is_due_as_read(s, call))
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


@invariant("A user's current call is open, and includes that user")
def is_in_own_call(user: User, sessions: list[Session]) -> bool:
    """A call is paid when it ends, and no user leaves it before."""
    return user.current_session is None or any(
        session.session_id == user.current_session
        and session.end_time is None
        and session.includes(user.user_id)
        for session in sessions
    )


@invariant("An open call is the current call of both users")
def is_current_call_of_both(session: Session, users: list[User]) -> bool:
    """Both have to pay it before they can join again."""
    talking = {user.user_id for user in users if user.current_session == session.session_id}
    return session.end_time is not None or len(talking) == BOTH


@invariant("An open call is due when it ends at the latest")
def is_due_in_time(session: Session) -> bool:
    """A schedule finds it then; and an ended call with its room as long as it is in the list."""
    if session.end_time is None:
        return session.open_calls is not None and session.due_at == session.ends_by
    return (session.open_calls is None) is (session.due_at is None)


@invariant("A call lasts from its start to its end, and at most until its limit")
def lasts_its_minutes(session: Session) -> bool:
    """Its users pay these minutes."""
    end = session.end_time
    return end is None or (
        session.start_time <= end <= session.limit
        and session.duration == started_minutes(session.start_time, end)
    )


@invariant("A user is not waiting and in a call at once")
def waits_or_talks(user: User) -> bool:
    """A match takes both from the queue."""
    return user.queue is None or user.current_session is None


@invariant("A waiting user has points")
def waits_with_points(user: User) -> bool:
    """Points change only at the end of a call, and a waiting user is in none."""
    return user.queue is None or user.points_left > 0


@invariant("Both users can pay a call until its deadline")
def can_be_paid(session: Session, users: list[User]) -> bool:
    """The deadline is at most 15 minutes after the start."""
    minutes = started_minutes(session.start_time, session.limit)
    return session.limit <= session.start_time + MAX_CALL and all(
        points_on(user, session.start_time.date()) >= minutes
        for user in users
        if user.current_session == session.session_id
    )


about = About(name="One-on-One", environments=("dev", "prod"), users=50_000)
