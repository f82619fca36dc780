"""The schema of One-on-One, as it was first written down."""

from pydantic.alias_generators import to_camel

from sortkey import Entity, Table, gsi, raw_pattern


class Users(Table, raw=True, partition="userId", type_attribute=None):
    pass


class Sessions(Table, raw=True, partition="sessionId", type_attribute=None, ttl="expiresAt"):
    user_sessions = gsi("userA", "startTime", name="UserSessionsIndex")
    # The document gives it no name.
    of_second = gsi("userB", "startTime")


class User(Entity, table=Users, stored=to_camel):
    user_id: str
    points_left: int = 15
    last_session_timestamp: str | None = None
    is_waiting_in_queue: bool = False
    last_queue_entry: str | None = None
    email: str | None = None


class Session(Entity, table=Sessions, stored=to_camel):
    session_id: str
    user_a: str
    user_b: str
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
    arguments={"user_id": str},
)
spend = raw_pattern(
    "Enforce point usage",
    table=Users,
    operation="UpdateItem",
    key={"userId": "{user_id}"},
    update="SET pointsLeft = :left",
    values={":left": "{left}"},
    arguments={"user_id": str, "left": int},
)
waiting = raw_pattern(
    "Who waits in the queue",
    table=Users,
    operation="Scan",
    filter="isWaitingInQueue = :yes",
    values={":yes": True},
    rate="2/s",
)
history = raw_pattern(
    "Session history by user",
    table=Sessions,
    operation="Query",
    index="UserSessionsIndex",
    key_condition="userA = :user",
    values={":user": "{user_id}"},
    arguments={"user_id": str},
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
        "expiresAt": "{expires}",
    },
    arguments={"session_id": str, "user_a": str, "user_b": str, "start": str, "expires": int},
)
