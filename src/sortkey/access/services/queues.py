"""Sending messages to a queue of the design."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.access.services.clients import client_of
from sortkey.access.services.variables import folder_of, required, variable_of
from sortkey.clock import now
from sortkey.design.declaring.services import Queue
from sortkey.errors import Refused, SortkeyError
from sortkey.folders.queues import FolderQueue

# The limits of one SendMessageBatch.
_MOST_MESSAGES = 10
_MOST_BYTES = 1024 * 1024


class NotQueued(SortkeyError):  # noqa: N818 - says what happened
    """Some messages were not stored in a queue; ``messages`` has them, and ``reasons`` why."""

    def __init__(self, queue: str, messages: Sequence[Any], reasons: Sequence[str]) -> None:
        super().__init__(
            f"{queue} did not take {len(messages)} of the messages ({', '.join(reasons)}): send "
            "`error.messages` again; the others are in the queue"
        )
        self.messages = tuple(messages)
        self.reasons = tuple(reasons)


def send(queue: Queue, *messages: Any) -> None:
    """Send messages to a queue, each as JSON.

    The queue's address is in the environment of the function: give it ``sends_to=[queue]``. In
    async code, call it with ``asyncio.to_thread``.

    Raises:
        Refused: A message is too large, or cannot be written as JSON; nothing was sent.
        NotQueued: Some messages were not taken.
    """
    texts = [_text(queue, message) for message in messages]
    url = required(
        variable_of("QUEUE", queue.name), f"give the function sends_to=[Queue({queue.name!r})]"
    )
    folder = folder_of(url)
    if folder is not None:
        FolderQueue(folder).send(texts, now())
        return
    failed: list[tuple[Any, str]] = []
    begin = 0
    for batch in _batches(texts):
        answer = client_of("sqs").send_message_batch(
            QueueUrl=url,
            Entries=[
                {"Id": str(number), "MessageBody": text} for number, text in enumerate(batch, begin)
            ],
        )
        failed += [
            (messages[int(one["Id"])], one.get("Message") or one["Code"])
            for one in answer.get("Failed", ())
        ]
        begin += len(batch)
    if failed:
        raise NotQueued(
            str(queue), [message for message, _ in failed], [reason for _, reason in failed]
        )


def _text(queue: Queue, message: Any) -> str:
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise Refused(
            f"a message for {queue} cannot be written as JSON ({error}): send "
            'model.model_dump(mode="json") of a record'
        ) from error
    size = len(text.encode())
    if size > _MOST_BYTES:
        raise Refused(
            f"a message for {queue} has {size:,} bytes, and SQS takes 1 MiB: store the content in "
            "a bucket, and send its key"
        )
    return text


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Yield the messages of each request, in order."""
    batch: list[str] = []
    size = 0
    for text in texts:
        more = len(text.encode())
        if batch and (len(batch) == _MOST_MESSAGES or size + more > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += more
    if batch:
        yield batch
