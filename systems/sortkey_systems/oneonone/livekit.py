"""LiveKit, the video service: tokens for its rooms, and the deletion of rooms.

A user joins a room with a token, which the application signs. Its claims are those that LiveKit
documents: ``sub`` is the identity of the participant, and the grant ``video`` names the room and
what the participant may do there. The token is checked when a participant connects, and never
again: LiveKit itself gives everybody in a room new tokens, which are valid for ten more minutes.
So the end of a token ends no call, and a room has to be deleted. A room comes into being again when
somebody joins it, so it is deleted again when no token for it is valid any more; see `closing`.
"""

import http.client
import json
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from threading import Lock
from typing import Any, cast
from urllib.parse import urlsplit

from sortkey import utc_now
from sortkey_systems.oneonone.calling import Admission
from sortkey_systems.oneonone.errors import VideoServerError, VideoServerUnreachable
from sortkey_systems.oneonone.room_settings import RoomSettings
from sortkey_systems.oneonone.tokens import sign

# Requests are signed one by one, so a short time is enough.
_REQUEST_LASTS = timedelta(minutes=1)
_TIMEOUT_SECONDS = 3.0
_LARGEST_ANSWER = 64 * 1024
_SCHEMES = {"ws": "http", "wss": "https", "http": "http", "https": "https"}


@dataclass(frozen=True, slots=True)
class LiveKitSettings:
    """The address of a LiveKit project, and its API key and secret."""

    url: str
    key: str
    secret: str = field(repr=False)


# `livekit-server --dev` has these. They are public: use them on your own machine only.
DEVELOPMENT = LiveKitSettings("ws://127.0.0.1:7880", "devkey", "secret")


@dataclass(frozen=True, slots=True)
class RoomPass:
    """What a client needs to join a room: the server's address and a token."""

    user_id: str
    room_name: str
    until: datetime
    url: str
    token: str = field(repr=False)


class LiveKit:
    """A LiveKit project."""

    def __init__(self, settings: LiveKitSettings) -> None:
        self.settings = settings
        self._lock = Lock()
        # A sweep sends its requests on one connection.
        self._kept: http.client.HTTPConnection | None = None

    def pass_for(self, admission: Admission) -> RoomPass:
        """Return the pass of a user who is admitted to a room.

        The token has neither the name nor the e-mail address of the user: LiveKit logs identities.
        """
        grant = {
            "room": admission.room_name,
            "roomJoin": True,
            "canPublish": True,
            "canSubscribe": True,
            "canPublishData": True,
        }
        token = self._token(admission.until, {"sub": admission.user_id, "video": grant})
        room, until = admission.room_name, admission.until
        return RoomPass(admission.user_id, room, until, self.settings.url, token)

    def delete_room(self, name: str) -> bool:
        """Delete a room, which disconnects everybody in it; return whether it existed.

        Raises:
            VideoServerUnreachable: There is no answer.
            VideoServerError: The answer is another error.
        """
        status, answer = self._call("DeleteRoom", {"room": name}, {"roomCreate": True})
        if status == http.client.OK:
            return True
        # An address without LiveKit answers 404 too, with another code or none.
        if answer.get("code") == "not_found":
            return False
        raise VideoServerError(f"LiveKit did not delete room {name}: {status} {answer.get('code')}")

    def close(self) -> None:
        """Close the connection that is kept, if there is one."""
        self._keep(None)

    def _token(self, expires: datetime, claims: Mapping[str, Any]) -> str:
        """Return a token with the claims that all of LiveKit's tokens have, and these."""
        common = {
            "iss": self.settings.key,
            "nbf": int(utc_now().timestamp()),
            "exp": int(expires.timestamp()),
        }
        return sign({**common, **claims}, self.settings.secret)

    def _call(
        self, method: str, request: Mapping[str, Any], grant: Mapping[str, Any]
    ) -> tuple[int, Mapping[str, Any]]:
        """Return the status and the content of LiveKit's answer (Twirp, in JSON)."""
        token = self._token(utc_now() + _REQUEST_LASTS, {"video": grant})
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        body = json.dumps(request).encode()
        path = f"/twirp/livekit.RoomService/{method}"
        try:
            return self._sent(path, body, headers)
        except (OSError, http.client.HTTPException) as error:
            raise VideoServerUnreachable(f"LiveKit does not answer: {error!r}") from error

    def _sent(
        self, path: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, Any]]:
        """Send a request on the connection that is kept, or on a new one if that was closed."""
        with self._lock:
            kept, self._kept = self._kept, None
        if kept is not None:
            with suppress(ConnectionError, http.client.HTTPException):
                return self._answer(kept, path, body, headers)
        return self._answer(self._connection(), path, body, headers)

    def _answer(
        self,
        connection: http.client.HTTPConnection,
        path: str,
        body: bytes,
        headers: Mapping[str, str],
    ) -> tuple[int, Mapping[str, Any]]:
        """Send a request, and keep the connection unless that fails."""
        try:
            answer = _answer(connection, path, body, headers)
        except BaseException:
            connection.close()
            raise
        self._keep(connection)
        return answer

    def _keep(self, connection: http.client.HTTPConnection | None) -> None:
        """Keep a connection in the place of the one that is kept."""
        with self._lock:
            former, self._kept = self._kept, connection
        if former is not None:
            former.close()

    def _connection(self) -> http.client.HTTPConnection:
        address = urlsplit(self.settings.url)
        host = str(address.hostname)
        if _SCHEMES[address.scheme] == "http":
            return http.client.HTTPConnection(host, address.port, timeout=_TIMEOUT_SECONDS)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(
            host, address.port, timeout=_TIMEOUT_SECONDS, context=context
        )


def _answer(
    connection: http.client.HTTPConnection, path: str, body: bytes, headers: Mapping[str, str]
) -> tuple[int, Mapping[str, Any]]:
    connection.request("POST", path, body, dict(headers))
    response = connection.getresponse()
    text = response.read(_LARGEST_ANSWER)
    if not response.isclosed():
        connection.close()  # the rest of a longer answer would be read as the next one
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    content = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    return response.status, content


@cache
def _client(settings: LiveKitSettings) -> LiveKit:
    return LiveKit(settings)


def livekit() -> LiveKit:
    """Return the LiveKit project in the settings of this process.

    Raises:
        WrongSettings: Some are missing or wrong; the message has all of them.
    """
    found = RoomSettings.current()
    secret = found.livekit_api_secret.get_secret_value()
    return _client(LiveKitSettings(found.livekit_url, found.livekit_api_key, secret))
