"""The functions of One-on-One, their roles, and what they use beside the tables.

Each function has a role of its own, with the patterns that its code uses and no others. None of
them represents one user, as those of `member` do: a function takes its caller from the token that
the gateway has verified.
"""

from datetime import timedelta

from sortkey import ExternalService, Function, HttpApi, Role, Route, Schedule, Setting
from sortkey_systems.api.variables import AUDIENCE, ISSUER
from sortkey_systems.oneonone.design import (
    close_room,
    due_calls,
    end_session,
    join_queue,
    join_queue_on_new_day,
    leave_lost_call,
    leave_queue,
    log_and_close_again,
    log_ended_call,
    log_open_call,
    match_users,
    recheck_room,
    register_user,
    session_by_id,
    session_history,
    user_status,
    waiting_users,
)

_PACKAGE = "sortkey_systems.oneonone"

LIVEKIT_URL = Setting("LIVEKIT_URL", "The address of your LiveKit project: wss://...livekit.cloud")
LIVEKIT_API_KEY = Setting("LIVEKIT_API_KEY", "The API key of your LiveKit project")
LIVEKIT_API_SECRET = Setting(
    "LIVEKIT_API_SECRET", "The API secret of your LiveKit project", secret=True
)

api = HttpApi("api", issuer=ISSUER, audience=AUDIENCE)
livekit = ExternalService(
    "livekit",
    fake=f"{_PACKAGE}.fake_livekit:fake",
    settings=(LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET),
)

# A user who acts pays a call that nobody ended, and a waiting user is matched.
_SETTLING = (user_status, session_by_id, end_session, leave_lost_call)
_MATCHING = (waiting_users, match_users)
_CLOSING = (recheck_room, close_room)

# What a client may do without a function, as the user of its session.
member = Role(
    "member",
    [user_status, register_user, join_queue, join_queue_on_new_day, leave_queue, session_history],
    acts_for="user_id",
)

joins = Role("join", [register_user, join_queue, join_queue_on_new_day, *_SETTLING, *_MATCHING])
leaves = Role("leave", [register_user, leave_queue, *_SETTLING])
reads_status = Role("status", [register_user, *_SETTLING, *_MATCHING])
enters = Role("token", [user_status, session_by_id, end_session])
ends = Role("end", [user_status, session_by_id, end_session, *_CLOSING])
reads_history = Role("history", [session_history])
receives = Role(
    "webhook",
    [
        *(user_status, session_by_id, end_session),
        *(log_open_call, log_ended_call, log_and_close_again, *_CLOSING),
    ],
)
sweeps = Role("sweep", [due_calls, user_status, session_by_id, end_session, *_MATCHING, *_CLOSING])

# The HTTP API as one program, such as a container that serves all operations.
service = Role(
    "service",
    [
        *dict.fromkeys(
            pattern
            for role in (joins, leaves, reads_status, enters, ends, reads_history, receives)
            for pattern in role.patterns
        )
    ],
)

join = Function(
    "join", f"{_PACKAGE}.functions:join", role=joins, triggers=[Route(api, "POST /queue")]
)
leave = Function(
    "leave", f"{_PACKAGE}.functions:leave", role=leaves, triggers=[Route(api, "DELETE /queue")]
)
status = Function(
    "status", f"{_PACKAGE}.functions:status", role=reads_status, triggers=[Route(api, "GET /me")]
)
token = Function(
    "token",
    f"{_PACKAGE}.functions:token",
    role=enters,
    triggers=[Route(api, "POST /sessions/{session_id}/token")],
    calls=[livekit],
)
end = Function(
    "end",
    f"{_PACKAGE}.functions:end",
    role=ends,
    triggers=[Route(api, "POST /sessions/{session_id}/end")],
    calls=[livekit],
)
history = Function(
    "history",
    f"{_PACKAGE}.functions:history",
    role=reads_history,
    triggers=[Route(api, "GET /sessions")],
)
# LiveKit sends no token of a user, but signs its requests.
webhook = Function(
    "webhook",
    f"{_PACKAGE}.functions:webhook",
    role=receives,
    triggers=[Route(api, "POST /livekit/webhook", open=True)],
    calls=[livekit],
)
# Two sweeps at once do no harm, so no part of the account's concurrency is reserved.
sweep = Function(
    "sweep",
    f"{_PACKAGE}.functions:sweep",
    role=sweeps,
    triggers=[Schedule("rate(1 minute)")],
    timeout=timedelta(seconds=50),
    calls=[livekit],
)
