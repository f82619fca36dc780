"""Messages go to SQS in AWS, and into a folder in `sortkey run`."""

import json
from pathlib import Path
from typing import Any

import pytest

from sortkey import NotQueued, Queue, Refused, SettingsError, send
from sortkey.access.services import queues
from sortkey.folders.queues import FolderQueue

EVENTS = Queue("room-events")
URL = "https://sqs.eu-west-1.amazonaws.com/123456789012/room-events"


class Sqs:
    """Takes messages as SQS does, apart from those that it fails."""

    def __init__(self, *failing: str) -> None:
        self.requests: list[list[str]] = []
        self._failing = failing

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        assert request["QueueUrl"] == URL
        entries = request["Entries"]
        assert len({entry["Id"] for entry in entries}) == len(entries)
        self.requests.append([entry["MessageBody"] for entry in entries])
        failed = [entry for entry in entries if entry["MessageBody"] in self._failing]
        return {
            "Successful": [],
            "Failed": [{"Id": entry["Id"], "Code": "InternalError"} for entry in failed],
        }


@pytest.fixture
def sqs(monkeypatch: pytest.MonkeyPatch) -> Sqs:
    return in_aws(monkeypatch, Sqs("3", "14"))


def in_aws(monkeypatch: pytest.MonkeyPatch, sqs: Sqs) -> Sqs:
    monkeypatch.setenv("QUEUE_ROOM_EVENTS", URL)
    monkeypatch.setattr(queues, "client_of", {"sqs": sqs}.__getitem__)
    return sqs


def test_a_message_is_sent_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    sqs = in_aws(monkeypatch, Sqs())

    send(EVENTS, {"room": "Ådne"})

    assert sqs.requests == [['{"room":"Ådne"}']]


def test_ten_messages_go_into_a_request(monkeypatch: pytest.MonkeyPatch) -> None:
    sqs = in_aws(monkeypatch, Sqs())

    send(EVENTS, *range(25))

    assert [len(each) for each in sqs.requests] == [10, 10, 5]
    assert [text for each in sqs.requests for text in each] == list(map(str, range(25)))


def test_a_request_stays_within_the_size_that_sqs_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    sqs = in_aws(monkeypatch, Sqs())

    send(EVENTS, *["x" * 400_000] * 3)

    assert [len(each) for each in sqs.requests] == [2, 1]


def test_messages_that_were_not_taken_are_in_the_error(sqs: Sqs) -> None:
    with pytest.raises(NotQueued) as caught:
        send(EVENTS, *range(15))

    assert caught.value.messages == (3, 14)
    assert caught.value.reasons == ("InternalError", "InternalError")
    assert len(sqs.requests) == 2


def test_on_this_machine_messages_go_into_a_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "a queue"
    folder.mkdir()
    monkeypatch.setenv("QUEUE_ROOM_EVENTS", folder.as_uri())

    send(EVENTS, {"room": 1}, {"room": 2})

    received = FolderQueue(folder).receive(10, 4e9, 60)
    assert [json.loads(message.text) for message in received] in (
        [{"room": 1}, {"room": 2}],
        [{"room": 2}, {"room": 1}],
    )


@pytest.mark.parametrize(
    ("message", "said"), [({1, 2}, "cannot be written as JSON"), ("x" * 1_100_000, "takes 1 MiB")]
)
def test_a_message_that_sqs_would_not_take_is_refused(sqs: Sqs, message: Any, said: str) -> None:
    with pytest.raises(Refused, match=said):
        send(EVENTS, 1, message)

    assert sqs.requests == []


def test_a_queue_that_the_function_does_not_have_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QUEUE_ROOM_EVENTS", raising=False)

    with pytest.raises(SettingsError, match=r"QUEUE_ROOM_EVENTS is not set.*sends_to=\[Queue"):
        send(EVENTS, 1)
