"""Events of LiveKit, as recorded in ``payloads``: with other values, signed, and as requests.

The payloads have the fields of LiveKit's protocol in the JSON form of protobuf, in which it sends
them: 64-bit numbers are strings, zeros are left out.
"""

import json
from base64 import b64encode
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.systems.conftest import LIVEKIT

from sortkey import utc_now
from sortkey_systems.oneonone.livekit import LiveKitSettings
from sortkey_systems.oneonone.tokens import sign
from sortkey_systems.oneonone.webhooks import MEDIA_TYPE, Event, Request

FOLDER = Path(__file__).parent / "payloads"
KINDS = sorted(file.stem for file in FOLDER.glob("*.json"))
SETTINGS = LiveKitSettings(
    LIVEKIT["LIVEKIT_URL"], LIVEKIT["LIVEKIT_API_KEY"], LIVEKIT["LIVEKIT_API_SECRET"]
)


def payload(kind: str) -> dict[str, Any]:
    """The content of an event as it was recorded."""
    return json.loads((FOLDER / f"{kind}.json").read_text("utf-8"))


def content(
    kind: str,
    room: str,
    at: datetime,
    user: str | None = None,
    *,
    participant: str | None = None,
    joined: datetime | None = None,
) -> dict[str, Any]:
    """The content of an event of a room; a user has one connection, unless another is named."""
    found = payload(kind)
    found["room"]["name"] = room
    found["createdAt"] = str(int(at.timestamp()))
    found["id"] = f"EV_{kind}_{room}_{participant or user}"
    if user is not None:
        began = str(int((joined or at).timestamp()))
        found["participant"] |= {
            "sid": participant or f"PA_{user}",
            "identity": user,
            "joinedAt": began,
        }
    return found


def event(kind: str, room: str, at: datetime, user: str | None = None, **more: Any) -> Event:
    """An event as it is read from a request."""
    return Event.model_validate(content(kind, room, at, user, **more))


def signature(body: bytes, **changed: Any) -> str:
    """The token with which LiveKit signs a body, or one with other claims."""
    now = int(utc_now().timestamp())
    hashed = b64encode(sha256(body).digest()).decode()
    claims = {"iss": SETTINGS.key, "nbf": now, "exp": now + 300, "sha256": hashed, **changed}
    return sign(claims, SETTINGS.secret)


def request(content: dict[str, Any], **changed: Any) -> Request:
    """The request in which LiveKit sends an event."""
    body = json.dumps(content).encode()
    return Request(MEDIA_TYPE, signature(body, **changed), body)
