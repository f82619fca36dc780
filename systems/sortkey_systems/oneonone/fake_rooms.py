"""A LiveKit that runs in this process, for tests and `sortkey run`: its rooms, calls and webhooks.

It does what LiveKit documents, as far as One-on-One can notice. Tokens need a valid signature and
the right grants. A room comes into being when somebody joins it, and ends some time after the last
one has left. A participant whose identity joins again is replaced. Events are sent in order, signed
for five minutes, and sent again while the receiver fails.
"""

import http.client
import json
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from threading import RLock
from typing import Any, TypeAlias

from sortkey.testing import clock
from sortkey_systems.oneonone.livekit import LiveKitSettings
from sortkey_systems.oneonone.tokens import BadToken, claims_of, sign
from sortkey_systems.oneonone.webhooks import MEDIA_TYPE

Json: TypeAlias = dict[str, Any]
# Sends a body with headers, and returns the status; raises OSError if there is no answer.
Send: TypeAlias = Callable[[bytes, Mapping[str, str]], int]

# The defaults of livekit-server, in seconds.
EMPTY_TIMEOUT = 300
DEPARTURE_TIMEOUT = 20
_SIGNED_FOR = 300
# The pauses of its HTTP client between attempts, which it makes after these statuses and faults.
PAUSES = (1.0, 2.0, 4.0, 8.0)
_TOO_MANY = 429
_SERVER_ERROR = 500


class Denied(Exception):  # noqa: N818 - it says what happened
    """A token is not valid, or does not allow this."""


@dataclass(slots=True)
class Participant:
    """A connection to a room."""

    sid: str
    identity: str
    joined_at: float


@dataclass(slots=True)
class Room:
    """A room that is open."""

    sid: str
    name: str
    created_at: float
    participants: dict[str, Participant] = field(default_factory=dict[str, Participant])
    last_left_at: float | None = None

    def ends_at(self) -> float | None:
        """Return when it ends if nobody joins, or None while there is somebody."""
        if self.participants:
            return None
        if self.last_left_at is None:
            return self.created_at + EMPTY_TIMEOUT
        return self.last_left_at + DEPARTURE_TIMEOUT


class FakeLiveKit:
    """The rooms of a project, changed by the calls of clients and by time."""

    def __init__(
        self,
        settings: LiveKitSettings,
        read_clock: Callable[[], float],
        send: Send,
        pause: Callable[[float], object],
    ) -> None:
        self._settings = settings
        self._clock = read_clock
        self._send = send
        self._pause = pause
        self._rooms: dict[str, Room] = {}
        self._events: deque[Json] = deque()
        self._numbers = count(1)
        self._lock = RLock()

    # Clients.

    def connect(self, token: str) -> Json:
        """Join a room with a token, as a client does; return the participant.

        Raises:
            Denied: The token is not valid now, or is not for joining a room.
        """
        with self._lock:
            room, identity = self._admitted(token)
            former = room.participants.get(identity)
            if former is not None:
                self._remove(room, former, "DUPLICATE_IDENTITY")
            joined = Participant(self._id("PA"), identity, self._clock())
            room.participants[identity] = joined
            self._add("participant_joined", room, _described(joined, "ACTIVE"))
            return {"room": room.name, "sid": joined.sid, "identity": identity}

    def fail_to_connect(self, token: str) -> None:
        """Try to join a room with a token, without ever getting a connection for media."""
        with self._lock:
            room, identity = self._admitted(token)
            tried = Participant(self._id("PA"), identity, self._clock())
            described = _described(tried, "DISCONNECTED", "JOIN_FAILURE")
            self._add("participant_connection_aborted", room, described)

    def leave(self, room_name: str, identity: str) -> bool:
        """Leave a room; return whether the participant was there."""
        with self._lock:
            room = self._rooms.get(room_name)
            here = None if room is None else room.participants.get(identity)
            if room is None or here is None:
                return False
            self._remove(room, here, "CLIENT_INITIATED")
            return True

    # LiveKit's API.

    def call(self, method: str, token: str, request: Json) -> tuple[int, Json]:
        """Return the status and the content of the answer of its RoomService."""
        with self._lock:
            actions: dict[str, Callable[[Json, Json], tuple[int, Json]]] = {
                "CreateRoom": self._create,
                "DeleteRoom": self._delete,
                "ListRooms": self._list,
                "ListParticipants": self._list_participants,
            }
            if method not in actions:
                return _error(http.client.NOT_FOUND, "bad_route")
            try:
                grant = self._grant(token)
                return actions[method](grant, request)
            except Denied as denied:
                return _error(http.client.UNAUTHORIZED, "unauthenticated", str(denied))

    def _create(self, grant: Json, request: Json) -> tuple[int, Json]:
        _require(grant.get("roomCreate"))
        return http.client.OK, _described_room(self._opened(str(request.get("name"))))

    def _delete(self, grant: Json, request: Json) -> tuple[int, Json]:
        _require(grant.get("roomCreate"))
        room = self._rooms.get(str(request.get("room")))
        if room is None:
            return _error(http.client.NOT_FOUND, "not_found", "requested room does not exist")
        self._finish(room, "ROOM_DELETED")
        return http.client.OK, {}

    def _list(self, grant: Json, request: Json) -> tuple[int, Json]:
        _require(grant.get("roomList"))
        names = request.get("names") or list(self._rooms)
        rooms = [_described_room(self._rooms[name]) for name in names if name in self._rooms]
        return http.client.OK, {"rooms": rooms}

    def _list_participants(self, grant: Json, request: Json) -> tuple[int, Json]:
        _require(grant.get("roomAdmin") and grant.get("room") == request.get("room"))
        room = self._rooms.get(str(request.get("room")))
        here: Iterable[Participant] = () if room is None else room.participants.values()
        return http.client.OK, {"participants": [_described(one, "ACTIVE") for one in here]}

    # Time and webhooks.

    def tick(self) -> None:
        """End the rooms whose time is over."""
        with self._lock:
            for room in list(self._rooms.values()):
                ends = room.ends_at()
                if ends is not None and ends <= self._clock():
                    self._finish(room, "ROOM_CLOSED")

    def deliver(self) -> None:
        """Send all events that wait, in order."""
        while self._events:
            self._send_one(self._events.popleft())

    @property
    def waiting_events(self) -> int:
        """The number of events that wait to be sent."""
        return len(self._events)

    def _send_one(self, event: Json) -> None:
        body = json.dumps(event, separators=(",", ":")).encode()
        headers = {
            "authorization": self.signature_of(body),
            "content-type": MEDIA_TYPE,
            "user-agent": "LiveKit",
        }
        for pause in (*PAUSES, None):
            try:
                status = self._send(body, headers)
            except OSError:
                status = _SERVER_ERROR
            if status < _SERVER_ERROR and status != _TOO_MANY:
                return
            if pause is not None:
                self._pause(pause)

    def signature_of(self, body: bytes) -> str:
        """Return the token that signs an event."""
        now = int(self._clock())
        claims = {
            "iss": self._settings.key,
            "nbf": now,
            "exp": now + _SIGNED_FOR,
            "sha256": b64encode(sha256(body).digest()).decode(),
        }
        return sign(claims, self._settings.secret)

    # Rooms.

    def _admitted(self, token: str) -> tuple[Room, str]:
        claims = self._claims(token)
        grant, identity = _grant_in(claims), claims.get("sub")
        name = grant.get("room")
        _require(grant.get("roomJoin") and name and identity)
        return self._opened(str(name)), str(identity)

    def _opened(self, name: str) -> Room:
        if name not in self._rooms:
            self._rooms[name] = Room(self._id("RM"), name, self._clock())
            self._add("room_started", self._rooms[name])
        return self._rooms[name]

    def _finish(self, room: Room, reason: str) -> None:
        for participant in list(room.participants.values()):
            self._remove(room, participant, reason)
        del self._rooms[room.name]
        self._add("room_finished", room)

    def _remove(self, room: Room, participant: Participant, reason: str) -> None:
        del room.participants[participant.identity]
        room.last_left_at = self._clock()
        described = _described(participant, "DISCONNECTED", reason)
        self._add("participant_left", room, described)

    def _add(self, kind: str, room: Room, participant: Json | None = None) -> None:
        event: Json = {"event": kind, "room": _described_room(room)}
        if participant is not None:
            event["participant"] = participant
        event |= {"id": self._id("EV"), "createdAt": str(int(self._clock()))}
        self._events.append(event)

    def _claims(self, token: str) -> Mapping[str, Any]:
        try:
            with clock(self._clock):
                return claims_of(token, self._settings.key, self._settings.secret)
        except BadToken as bad:
            raise Denied(f"invalid token: {bad}") from bad

    def _grant(self, token: str) -> Json:
        return _grant_in(self._claims(token))

    def _id(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers):012d}"


def _grant_in(claims: Mapping[str, Any]) -> Json:
    grant = claims.get("video")
    return dict(grant) if isinstance(grant, Mapping) else {}  # pyright: ignore[reportUnknownArgumentType]


def _require(allowed: object) -> None:
    if not allowed:
        raise Denied("permissions denied")


def _error(status: int, code: str, message: str = "") -> tuple[int, Json]:
    return status, {"code": code, "msg": message}


def _described_room(room: Room) -> Json:
    """Return a room as protobuf writes it: numbers of 64 bits as strings, and no zeros."""
    described: Json = {
        "sid": room.sid,
        "name": room.name,
        "emptyTimeout": EMPTY_TIMEOUT,
        "departureTimeout": DEPARTURE_TIMEOUT,
        "creationTime": str(int(room.created_at)),
        "creationTimeMs": str(int(room.created_at * 1000)),
    }
    if room.participants:
        described["numParticipants"] = len(room.participants)
    return described


def _described(participant: Participant, state: str, reason: str | None = None) -> Json:
    described: Json = {
        "sid": participant.sid,
        "identity": participant.identity,
        "state": state,
        "joinedAt": str(int(participant.joined_at)),
        "joinedAtMs": str(int(participant.joined_at * 1000)),
        "permission": {"canSubscribe": True, "canPublish": True, "canPublishData": True},
    }
    if reason is not None:
        described["disconnectReason"] = reason
    return described
