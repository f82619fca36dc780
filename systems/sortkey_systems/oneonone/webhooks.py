"""Webhooks of LiveKit: whether a request is from it, and what it reports.

LiveKit sends events as POST requests. The header ``Authorization`` is a token, without ``Bearer``,
that LiveKit signs with the API secret for five minutes; its claim ``sha256`` is the hash of the
body, in Base64. So nobody else can send an event or change one, and a request that was seen can be
repeated for some minutes only, which changes nothing: see `receiving`. The media type is unusual so
that no framework reads the body before the signature is verified.
"""

import hmac
import logging
from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from sortkey_systems.oneonone.errors import BadInput, BadSignature, TooLarge, WrongMediaType
from sortkey_systems.oneonone.livekit import LiveKitSettings
from sortkey_systems.oneonone.tokens import BadToken, claims_of

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/webhook+json"
# An event has about a kilobyte. The HTTP API has the same limit for every body.
LARGEST_EVENT = 128 * 1024
_LAST_SECOND = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp())

# Protobuf writes a 64-bit number as a string, and leaves out a zero.
_Seconds = Annotated[int, Field(ge=0, le=_LAST_SECOND)]


class _Reported(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class Room(_Reported):
    """The room of an event."""

    name: str = ""


class Participant(_Reported):
    """A participant of a room: ``sid`` is a connection, ``identity`` the user."""

    sid: str = ""
    identity: str = ""
    joined_at: _Seconds = 0


class Event(_Reported):
    """An event, with the fields that are used; there are many others."""

    event: str = ""
    id: str = ""
    created_at: _Seconds = 0
    room: Room = Room()
    participant: Participant | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it was received; the headers are None if they are missing."""

    media_type: str | None
    authorization: str | None
    body: bytes


def event_of(request: Request, settings: LiveKitSettings) -> Event:
    """Return the event of a request that LiveKit has signed.

    Raises:
        TooLarge, WrongMediaType, BadInput: The request is not one of LiveKit's.
        BadSignature: LiveKit did not sign it, or not now.
    """
    if len(request.body) > LARGEST_EVENT:
        raise TooLarge(f"a body can have at most {LARGEST_EVENT:,} bytes")
    if (request.media_type or "").partition(";")[0].strip().lower() != MEDIA_TYPE:
        raise WrongMediaType(f"the content type must be {MEDIA_TYPE}")
    _check_signature(request, settings)
    try:
        return Event.model_validate_json(request.body)
    except ValidationError as error:
        _log.warning("LiveKit has sent an event that cannot be read: %s", error)
        raise BadInput("body", "is not an event of LiveKit") from None


def _check_signature(request: Request, settings: LiveKitSettings) -> None:
    try:
        claims = claims_of(request.authorization or "", settings.key, settings.secret)
    except BadToken as bad:
        _log.info("a webhook was refused: %s", bad)
        raise BadSignature("the request is not signed by the video service") from None
    expected = b64encode(sha256(request.body).digest())
    # The other side may be any text, of which only ASCII could be compared.
    if not hmac.compare_digest(expected, str(claims.get("sha256")).encode()):
        _log.info("a webhook was refused: its body is not the one that was signed")
        raise BadSignature("the request is not signed by the video service")
