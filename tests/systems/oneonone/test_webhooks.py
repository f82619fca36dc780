"""A webhook is read if LiveKit has signed it now, and otherwise refused before it is read."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.oneonone.conftest import MORNING, Watch
from tests.systems.oneonone.events import KINDS, SETTINGS, payload, request, signature

from sortkey_systems.oneonone.errors import BadInput, BadSignature, TooLarge, WrongMediaType
from sortkey_systems.oneonone.tokens import sign
from sortkey_systems.oneonone.webhooks import LARGEST_EVENT, MEDIA_TYPE, Request, event_of

pytestmark = pytest.mark.usefixtures("watch")
LEFT = "participant_left"


@pytest.mark.parametrize("kind", KINDS)
def test_every_recorded_event_is_read(kind: str) -> None:
    recorded = payload(kind)

    read = event_of(request(recorded), SETTINGS)

    assert (read.event, read.id) == (kind, recorded["id"])
    assert read.created_at == int(recorded["createdAt"])
    assert read.room.name == recorded.get("room", {}).get("name", "")
    if kind.startswith("participant"):
        assert read.participant
        assert (read.participant.identity, read.participant.sid) == ("ann", "PA_Jr9vWqTcwUbN")
        assert read.participant.joined_at == int(MORNING.timestamp()) + 3


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "APIother"},
        {"exp": int((MORNING - timedelta(minutes=1)).timestamp())},
        {"nbf": int((MORNING + timedelta(minutes=2)).timestamp())},
        {"sha256": None},
        {"sha256": "é"},
        {"sha256": ""},
    ],
)
def test_a_wrong_signature_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(BadSignature):
        event_of(request(payload(LEFT), **changed), SETTINGS)


def test_a_request_without_a_signature_is_refused() -> None:
    signed = request(payload(LEFT))

    for authorization in (None, "", "Bearer", f"Bearer {signed.authorization}", "e30.e30.e30"):
        with pytest.raises(BadSignature):
            event_of(replace(signed, authorization=authorization), SETTINGS)


def test_the_signature_of_another_project_is_refused() -> None:
    body = json.dumps(payload(LEFT)).encode()
    other = replace(SETTINGS, secret="another secret")

    with pytest.raises(BadSignature):
        event_of(Request(MEDIA_TYPE, signature(body), body), other)
    with pytest.raises(BadSignature):
        event_of(Request(MEDIA_TYPE, signature(body), body), replace(SETTINGS, key="APIother"))


def test_a_token_for_a_room_signs_no_event() -> None:
    body = json.dumps(payload(LEFT)).encode()
    exp = int((MORNING + timedelta(minutes=5)).timestamp())
    grant = {"room": "s1", "roomJoin": True}
    joins = sign({"iss": SETTINGS.key, "sub": "ann", "exp": exp, "video": grant}, SETTINGS.secret)

    with pytest.raises(BadSignature):
        event_of(Request(MEDIA_TYPE, joins, body), SETTINGS)


def test_a_body_that_was_changed_is_refused() -> None:
    signed = request(payload(LEFT))

    for body in (signed.body + b" ", signed.body.replace(b"ann", b"bob"), b""):
        with pytest.raises(BadSignature):
            event_of(replace(signed, body=body), SETTINGS)


def test_a_signature_is_too_old_after_five_minutes(watch: Watch) -> None:
    signed = request(payload(LEFT))

    watch.wait(minutes=5, seconds=59)
    assert event_of(signed, SETTINGS)

    watch.wait(seconds=1)
    with pytest.raises(BadSignature):
        event_of(signed, SETTINGS)


def test_another_media_type_is_refused() -> None:
    signed = request(payload(LEFT))

    for media_type in (None, "", "application/json", "application/webhook+json+more"):
        with pytest.raises(WrongMediaType):
            event_of(replace(signed, media_type=media_type), SETTINGS)
    for media_type in ("Application/Webhook+JSON", f"{MEDIA_TYPE}; charset=utf-8"):
        assert event_of(replace(signed, media_type=media_type), SETTINGS)


def test_a_body_has_a_largest_size() -> None:
    body = json.dumps(payload(LEFT)).encode()
    largest = body + b" " * (LARGEST_EVENT - len(body))

    assert event_of(Request(MEDIA_TYPE, signature(largest), largest), SETTINGS)
    with pytest.raises(TooLarge, match="at most 131,072 bytes"):
        event_of(Request(MEDIA_TYPE, signature(largest + b" "), largest + b" "), SETTINGS)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"createdAt": "soon"}',
        b'{"createdAt": -1}',
        b'{"createdAt": 1e30}',
        b'{"room": []}',
        b'{"participant": {"sid": 5}}',
    ],
)
def test_a_signed_body_that_is_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(BadInput, match="is not an event of LiveKit"):
        event_of(Request(MEDIA_TYPE, signature(body), body), SETTINGS)
