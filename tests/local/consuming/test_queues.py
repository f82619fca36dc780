"""Messages go to their function, stay if it fails, and become dead letters if it fails often."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.local.doubles import FAILED, ScriptedFunction
from tests.local.surroundings import Place

from sortkey import OnMessage, Queue
from sortkey.folders.queues import FolderQueue
from sortkey.local.consuming.queues import QueueConsumer

EVENTS = Queue("events", invisible=timedelta(minutes=2), deliveries=2)
DEPLOYED = "notes-dev-events"


class Consumed:
    """A queue with its consumer."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder / "state")
        self.function = ScriptedFunction()
        self.queue = FolderQueue(self.place.state.queue("events"))
        self.dead = FolderQueue(self.place.state.dead_letters("queues", "events"))
        self.consumer = QueueConsumer(
            OnMessage(EVENTS, batch=3),
            DEPLOYED,
            self.function.as_function,
            queue=self.queue,
            dead=self.dead,
            around=self.place.around,
        )

    def send(self, *texts: str) -> None:
        for text in texts:
            self.queue.send([text], self.place.clock.time)
            self.place.clock.time += 0.01

    def later(self, seconds: float = 121) -> None:
        self.place.clock.time += seconds
        self.consumer.step()

    @property
    def bodies(self) -> list[list[str]]:
        return [[one["body"] for one in event["Records"]] for event in self.function.events]

    @property
    def left(self) -> int:
        return sum(self.queue.depth(self.place.clock.time)[:2])

    @property
    def dead_count(self) -> int:
        return self.dead.depth(self.place.clock.time).visible


@pytest.fixture
def consumed(tmp_path: Path) -> Consumed:
    return Consumed(tmp_path)


def failing(*bodies: str) -> Callable[[Any], Any]:
    """Handle events, and report the messages with these texts as failed."""

    def handle(event: Any) -> Any:
        failed = [one["messageId"] for one in event["Records"] if one["body"] in bodies]
        return {"batchItemFailures": [{"itemIdentifier": one} for one in failed]}

    return handle


def test_messages_come_in_batches_and_are_deleted(consumed: Consumed) -> None:
    consumed.send("1", "2", "3", "4")

    assert consumed.consumer.step() == 0
    assert consumed.consumer.step() == 0
    assert consumed.consumer.step() > 0

    assert consumed.bodies == [["1", "2", "3"], ["4"]]
    assert consumed.left == 0
    assert consumed.place.total("NumberOfMessagesDeleted", QueueName=DEPLOYED) == 4


def test_an_event_is_one_of_sqs(consumed: Consumed) -> None:
    consumed.send('{"a": 1}')
    consumed.consumer.step()

    [record] = consumed.function.events[0]["Records"]
    assert record["eventSource"] == "aws:sqs"
    assert record["eventSourceARN"] == f"arn:aws:sqs:us-east-1:000000000000:{DEPLOYED}"
    assert record["body"] == '{"a": 1}'
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert record["attributes"]["SentTimestamp"] == "1700000000000"


def test_only_the_messages_that_failed_come_again(consumed: Consumed) -> None:
    consumed.function.handle = failing("2")
    consumed.send("1", "2", "3")
    consumed.consumer.step()
    assert consumed.left == 1

    consumed.later(60)
    consumed.later(61)

    assert consumed.bodies == [["1", "2", "3"], ["2"]]


@pytest.mark.parametrize(
    "answer",
    [
        FAILED,
        {"batchItemFailures": "all"},
        {"batchItemFailures": [{"id": "1"}]},
        {"batchItemFailures": [{"itemIdentifier": ""}]},
        {"batchItemFailures": [{"itemIdentifier": "unknown"}]},
    ],
)
def test_all_messages_come_again_if_the_function_fails(consumed: Consumed, answer: Any) -> None:
    consumed.function.handle = lambda _: answer
    consumed.send("1", "2")
    consumed.consumer.step()

    consumed.later()

    assert consumed.bodies == [["1", "2"], ["1", "2"]]
    assert "2 messages of events failed; visible again after 0:02:00" in consumed.place.log


@pytest.mark.parametrize("answer", [None, {}, {"batchItemFailures": []}, {"statusCode": 200}])
def test_other_answers_are_a_success(consumed: Consumed, answer: Any) -> None:
    consumed.function.handle = lambda _: answer
    consumed.send("1")
    consumed.consumer.step()

    assert consumed.left == 0


def test_a_message_that_failed_too_often_is_a_dead_letter(consumed: Consumed) -> None:
    consumed.function.handle = failing("bad")
    consumed.send("bad", "good")
    for _ in range(4):
        consumed.later()

    assert consumed.bodies == [["bad", "good"], ["bad"]]
    assert (consumed.left, consumed.dead_count) == (0, 1)
    assert "was delivered 2 times, and is a dead letter now" in consumed.place.log


def test_messages_are_forgotten_after_their_retention(consumed: Consumed) -> None:
    consumed.send("1")

    consumed.later(4 * 86_400 + 1)

    assert consumed.bodies == []
    assert consumed.left == 0
