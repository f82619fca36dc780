"""The schema of One-on-One, as it was first written down."""

from typing import Annotated, TypeAlias

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import Entity, Table, gsi, raw_pattern


class Users(Table, raw=True, partition="userId", type_attribute=None):
    pass


class Sessions(Table, raw=True, partition="sessionId", type_attribute=None, ttl="expiresAt"):
    user_sessions = gsi("userA", "startTime", name="UserSessionsIndex")
    # The document gives it no name.
    of_second = gsi("userB", "startTime")


UserId: TypeAlias = Annotated[str, Field(min_length=1)]


class User(Entity, table=Users, stored=to_camel):
    user_id: UserId
    points_left: int = 15
    last_session_timestamp: str | None = None
    is_waiting_in_queue: bool = False
    last_queue_entry: str | None = None
    email: str | None = None


class Session(Entity, table=Sessions, stored=to_camel):
    session_id: str
    user_a: UserId
    user_b: UserId
    start_time: str
    end_time: str | None = None
    duration: int = 0
    room_name: str
    created_at: str
    expires_at: int
    as_first = Sessions.user_sessions.key()
    as_second = Sessions.of_second.key()


status = raw_pattern(
    "Retrieve user status",
    table=Users,
    operation="GetItem",
    key={"userId": "{user_id}"},
    entity=User,
    arguments={"user_id": UserId},
    where=lambda user, user_id: user.user_id == user_id,
)
spend = raw_pattern(
    "Enforce point usage",
    table=Users,
    operation="UpdateItem",
    key={"userId": "{user_id}"},
    update="SET pointsLeft = :left",
    values={":left": "{left}"},
    entity=User,
    arguments={"user_id": UserId, "left": int},
)
waiting = raw_pattern(
    "Who waits in the queue",
    table=Users,
    operation="Scan",
    filter="isWaitingInQueue = :yes",
    values={":yes": True},
    entity=User,
    rate="2/s",
    where=lambda user: user.is_waiting_in_queue,
)
history = raw_pattern(
    "Session history by user",
    table=Sessions,
    operation="Query",
    index="UserSessionsIndex",
    key_condition="userA = :user",
    values={":user": "{user_id}"},
    entity=Session,
    arguments={"user_id": UserId},
    where=lambda session, user_id: user_id in {session.user_a, session.user_b},
)
log = raw_pattern(
    "Store a session",
    table=Sessions,
    operation="PutItem",
    item={
        "sessionId": "{session_id}",
        "userA": "{user_a}",
        "userB": "{user_b}",
        "startTime": "{start}",
        "roomName": "{room}",
        "createdAt": "{start}",
        "expiresAt": "{expires}",
    },
    entity=Session,
    arguments={
        "session_id": str,
        "user_a": UserId,
        "user_b": UserId,
        "room": str,
        "start": str,
        "expires": int,
    },
)
