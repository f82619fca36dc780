"""One-on-One under load: users who wait, are matched, talk and end their calls."""

import os
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from benchmarks.load.crowd import Read, Visit
from sortkey import DB
from sortkey_systems.oneonone import calling, history, queueing
from sortkey_systems.oneonone.design import DAILY_POINTS, Session, User
from sortkey_systems.oneonone.design.functions import livekit
from sortkey_systems.oneonone.errors import OneOnOneError
from sortkey_systems.oneonone.queueing import join_and_match
from sortkey_systems.oneonone.registering import register

PEOPLE = 2_000
_NOWHERE = ("ws://127.0.0.1:1", "a key for a benchmark", "a secret for a benchmark")


class OneOnOne:
    """Two thousand users, who come at random and sometimes with two devices at once."""

    system = "oneonone"
    refusals = OneOnOneError

    def __init__(self) -> None:
        self._calls: dict[str, str] = {}

    def prepare(self, db: DB) -> None:
        """Register every user."""
        # Nothing listens there: the rooms of calls stay due.
        for setting, value in zip(livekit.settings, _NOWHERE, strict=True):
            os.environ.setdefault(setting.variable, value)
        for number in range(PEOPLE):
            register(db, f"user{number}")

    def visit(self, chance: Random) -> Visit:
        """Return a visit: users in a call mostly end it, the others mostly look or join."""
        who = f"user{int(PEOPLE * chance.random() ** 2)}"
        call = self._calls.get(who)
        if call is not None and chance.random() < 0.7:
            return self._of_call(who, call, chance)
        match chance.choices(("status", "join", "leave", "history"), (35, 40, 5, 20))[0]:
            case "status":
                return Visit(
                    "status",
                    who,
                    "GET",
                    "/me",
                    lambda db: queueing.status(db, who),
                    learn=lambda read: self._talks(who, read),
                )
            case "join":
                return Visit(
                    "join",
                    who,
                    "POST",
                    "/queue",
                    lambda db: join_and_match(db, who),
                    learn=lambda read: self._talks(who, read),
                )
            case "leave":
                return Visit("leave", who, "DELETE", "/queue", lambda db: queueing.leave(db, who))
            case _:
                return Visit(
                    "history", who, "GET", "/sessions", lambda db: history.list_sessions(db, who)
                )

    def _of_call(self, who: str, call: str, chance: Random) -> Visit:
        if chance.random() < 0.3:
            path = f"/sessions/{call}/token"
            return Visit("token", who, "POST", path, lambda db: calling.admit(db, who, call))
        self._calls.pop(who, None)
        path = f"/sessions/{call}/end"
        return Visit("end", who, "POST", path, lambda db: calling.end(db, who, call))

    def _talks(self, who: str, read: Read) -> None:
        if call := read("session_id"):
            self._calls[who] = call

    def faults(self, db: DB) -> Iterator[str]:
        """Yield every user in two calls, every one-sided call, and every wrong payment."""
        minutes: dict[str, int] = defaultdict(int)
        open_calls: dict[str, list[str]] = defaultdict(list)
        for session in db.each(Session.scan()):
            for person in (session.user_a, session.user_b):
                if session.duration is None:
                    open_calls[person].append(session.session_id)
                else:
                    minutes[person] += int(session.duration)
        for user in db.each(User.scan()):
            yield from self._faults_of(user, minutes[user.user_id], open_calls[user.user_id])

    def _faults_of(self, user: User, minutes: int, calls: list[str]) -> Iterator[str]:
        here = [] if user.current_session is None else [user.current_session]
        if here != calls:
            yield f"{user.user_id} is in {here}, but the open calls are {calls}"
        if here and user.queue:
            yield f"{user.user_id} waits during a call"
        if user.points_left != max(0, DAILY_POINTS - minutes):
            yield f"{user.user_id} has {user.points_left} points after {minutes} minutes"
