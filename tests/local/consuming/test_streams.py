"""Changes go to their function in order; a failure is narrowed down, and buried at last."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.local.doubles import FAILED, ScriptedFunction
from tests.local.surroundings import Place

from sortkey import DB, Entity, OnChange, Settings, Table
from sortkey.access.targets import memory_target
from sortkey.access.transports.transport import Transport
from sortkey.folders.queues import FolderQueue
from sortkey.local.consuming.streams import _POLL_SECONDS, StreamConsumer


class App(Table, settings=Settings(stream="NEW_AND_OLD_IMAGES")):
    pass


class Note(Entity, table=App):
    note_id: str
    text: str = ""
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


class Tag(Entity, table=App):
    name: str
    primary = App.primary.key("TAG#{name}", "TAG")


class Unclosed:
    """A transport that consumers open, while the database keeps it."""

    def __init__(self, transport: Transport) -> None:
        self.send = transport.send

    def close(self) -> None:
        pass


class Followed:
    """A database whose stream a consumer reads."""

    def __init__(self, folder: Path, trigger: OnChange) -> None:
        self.place = Place(folder / "state")
        self.db = DB(memory_target(clock=self.place.clock), App)
        self.function = ScriptedFunction()
        self.trigger = trigger
        self.dead = FolderQueue(self.place.state.dead_letters("functions", "notes"))
        self.consumer = self.new_consumer()

    def new_consumer(self) -> StreamConsumer:
        return StreamConsumer(
            self.trigger,
            "App",
            self.function.as_function,
            transport=lambda: Unclosed(self.db._transport),
            dead=self.dead,
            around=self.place.around,
        )

    def write(self, *names: str) -> None:
        for name in names:
            self.db(Note(note_id=name).put())

    def step(self, most: int = 50) -> None:
        """Let the consumer work until it has nothing to do, or so often."""
        for _ in range(most):
            pause = self.consumer.step()
            if pause >= _POLL_SECONDS:
                return
            time.sleep(pause)

    @property
    def batches(self) -> list[list[str]]:
        return [
            [record["dynamodb"]["Keys"]["PK"]["S"].partition("#")[2] for record in event["Records"]]
            for event in self.function.events
        ]

    @property
    def letters(self) -> list[str]:
        return [one.text for one in self.dead.receive(10, 4e9, 0)]


@pytest.fixture
def follow(tmp_path: Path) -> Callable[..., Followed]:
    def made(**settings: Any) -> Followed:
        return Followed(tmp_path, OnChange(App, **settings))

    return made


def failing_at(name: str, *, reports: bool) -> Callable[[Any], Any]:
    """Fail at a note: as a whole, or with a report of the record."""

    def handle(event: Any) -> Any:
        for record in event["Records"]:
            if record["dynamodb"]["Keys"]["PK"]["S"] == f"NOTE#{name}":
                if not reports:
                    return FAILED
                number = record["dynamodb"]["SequenceNumber"]
                return {"batchItemFailures": [{"itemIdentifier": number}]}
        return {"batchItemFailures": []}

    return handle


def test_changes_come_in_order_and_in_batches(follow: Callable[..., Followed]) -> None:
    followed = follow(batch=2)
    followed.write("1", "2", "3")

    followed.step()

    assert followed.batches == [["1", "2"], ["3"]]


def test_an_event_is_one_of_dynamodb_streams(follow: Callable[..., Followed]) -> None:
    followed = follow()
    followed.db(Note(note_id="1", text="a").put())
    followed.db(Note(note_id="1", text="b").put())
    followed.step()

    _, record = followed.function.events[0]["Records"]
    assert (record["eventName"], record["eventSource"]) == ("MODIFY", "aws:dynamodb")
    assert "table/App/stream/" in record["eventSourceARN"]
    assert record["dynamodb"]["OldImage"]["text"] == {"S": "a"}
    assert record["dynamodb"]["NewImage"]["text"] == {"S": "b"}
    assert record["dynamodb"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert record["dynamodb"]["ApproximateCreationDateTime"] == 1_700_000_000


def test_an_expired_item_is_removed_by_the_service(follow: Callable[..., Followed]) -> None:
    from sortkey.local.events.changes import change_event

    record = {"userIdentity": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}}

    [made] = change_event([record], "arn")["Records"]

    assert made["userIdentity"] == {"principalId": "dynamodb.amazonaws.com", "type": "Service"}


def test_only_the_declared_entities_and_events_come(follow: Callable[..., Followed]) -> None:
    followed = follow(entities=[Note], events=["INSERT"])
    followed.db(Tag(name="t").put())
    followed.write("1", "1", "2")
    followed.db(Note.delete(note_id="2"))

    followed.step()

    assert followed.batches == [["1", "2"]]


def test_a_later_run_continues_after_the_last_change_that_was_handled(
    follow: Callable[..., Followed],
) -> None:
    followed = follow()
    followed.write("1")
    followed.step()
    followed.write("2")

    followed.consumer = followed.new_consumer()
    followed.step()

    assert followed.batches == [["1"], ["2"]]


def test_a_batch_that_fails_is_halved_until_one_record_is_left(
    follow: Callable[..., Followed],
) -> None:
    followed = follow(retries=1)
    followed.function.handle = failing_at("3", reports=False)
    followed.write("1", "2", "3", "4")

    followed.step()

    handled = [batch for batch in followed.batches if "3" not in batch]
    assert handled == [["1", "2"], ["4"]]
    assert [batch for batch in followed.batches if "3" in batch][-2:] == [["3"], ["3"]]
    [letter] = followed.letters
    assert '"batchSize":1' in letter
    assert '"condition":"RetryAttemptsExhausted"' in letter


def test_a_batch_goes_on_from_the_record_that_failed(follow: Callable[..., Followed]) -> None:
    followed = follow(retries=1)
    followed.function.handle = failing_at("3", reports=True)
    followed.write("1", "2", "3", "4")

    followed.step()

    # As on Lambda, the rest of the batch is given up with the record that fails.
    assert followed.batches == [["1", "2", "3", "4"], ["3", "4"]]
    [letter] = followed.letters
    assert '"batchSize":2' in letter

    followed.write("5")
    followed.step()
    assert followed.batches[-1] == ["5"]


def test_a_function_that_recovers_misses_nothing(follow: Callable[..., Followed]) -> None:
    followed = follow()
    followed.function.handle = lambda _: FAILED
    followed.write("1", "2")
    followed.step(4)

    followed.function.handle = lambda _: None
    followed.step()

    assert followed.batches[-2:] == [["1"], ["2"]]
    assert followed.letters == []


@pytest.mark.parametrize("answer", [{"batchItemFailures": [{"itemIdentifier": "unknown"}]}, FAILED])
def test_what_lambda_does_not_understand_is_a_failure(
    follow: Callable[..., Followed], answer: Any
) -> None:
    followed = follow(retries=0)
    followed.function.handle = lambda _: answer
    followed.write("1")

    followed.step()

    assert len(followed.letters) == 1


def test_the_age_of_changes_is_measured(follow: Callable[..., Followed]) -> None:
    followed = follow()
    followed.write("1")
    followed.place.clock.time += 90

    followed.step()

    assert followed.place.total("IteratorAge", FunctionName="notes-dev-notes") == 90_000


def test_changes_of_before_and_after_a_shard_ended_come_in_order(
    follow: Callable[..., Followed],
) -> None:
    followed = follow()
    followed.write("1")
    followed.step()
    followed.place.clock.time += 5 * 3600
    followed.db._transport.engine.tend()  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    followed.write("2")

    followed.step()

    assert followed.batches == [["1"], ["2"]]


def test_an_iterator_that_is_too_old_is_replaced(follow: Callable[..., Followed]) -> None:
    followed = follow()
    followed.write("1")
    followed.step()
    followed.place.clock.time += 20 * 60
    followed.write("2")

    followed.step()

    assert followed.batches == [["1"], ["2"]]


def test_after_a_jump_a_shard_that_is_gone_does_not_hold_up_those_that_follow(
    follow: Callable[..., Followed],
) -> None:
    followed = follow()
    followed.write("1")
    followed.step()
    engine = followed.db._transport.engine  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportAttributeAccessIssue]
    for seconds in (5 * 3600, 3 * 86_400):
        followed.place.clock.time += seconds
        while engine.tend():  # pyright: ignore[reportUnknownMemberType]
            pass

    followed.write("2")
    followed.step()

    assert followed.batches == [["1"], ["2"]]


def test_changes_that_were_trimmed_are_reported(follow: Callable[..., Followed]) -> None:
    followed = follow()
    followed.function.handle = lambda _: None
    followed.write("1")
    followed.step()
    followed.write("2")
    followed.place.clock.time += 2 * 86_400
    followed.write("3")

    followed.consumer = followed.new_consumer()
    followed.step()

    assert followed.batches[-1] == ["3"]
