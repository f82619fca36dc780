"""The consumer of a queue: messages go to a function in batches, and stay if that fails."""

from collections.abc import Sequence

from sortkey.design.declaring.functions import OnMessage
from sortkey.folders.queues import FolderQueue, Message
from sortkey.local.events.failures import BadFailures, failures_in
from sortkey.local.events.messages import message_event
from sortkey.local.functions import FunctionFailed, LocalFunction
from sortkey.local.meters import SQS
from sortkey.local.surroundings import Surroundings
from sortkey.wording.prose import counted

_POLL_SECONDS = 0.1


class QueueConsumer:
    """Calls a function with the messages of a queue."""

    def __init__(
        self,
        trigger: OnMessage,
        deployed_name: str,
        function: LocalFunction,
        *,
        queue: FolderQueue,
        dead: FolderQueue,
        around: Surroundings,
    ) -> None:
        """Move messages to ``dead`` that were delivered too often."""
        self._trigger = trigger
        self._deployed_name = deployed_name
        self._function = function
        self._queue = queue
        self._dead = dead
        self._clock = around.clock
        self._log = around.log
        self._meters = around.meters

    def step(self) -> float:
        """Handle one batch; return how long to wait for the next one."""
        declared = self._trigger.queue
        now = self._clock()
        self._queue.forget(now - declared.retention.total_seconds())
        received = self._queue.receive(self._trigger.batch, now, declared.invisible.total_seconds())
        messages = [one for one in received if not self._bury(one)]
        if messages:
            self._count("NumberOfMessagesReceived", len(messages))
            self._handle(messages, now)
        return 0.0 if received else _POLL_SECONDS

    def _bury(self, message: Message) -> bool:
        """Move a message to the dead letters if it was delivered too often."""
        if message.deliveries <= self._trigger.queue.deliveries:
            return False
        self._queue.move(message.receipt, self._dead)
        often = counted(message.deliveries - 1, "time")
        self._say(f"message {message.id} was delivered {often}, and is a dead letter now")
        return True

    def _handle(self, messages: Sequence[Message], now: float) -> None:
        name = self._trigger.queue.name
        event = message_event(messages, self._deployed_name, now)
        failed = {message.id for message in messages}
        try:
            answer = self._function.invoke(event, f"{counted(len(messages), 'message')} of {name}")
            found = set(failures_in(answer))
            # Lambda fails the batch for an identifier that it does not know.
            if not found - failed:
                failed = found
        except FunctionFailed:
            pass
        except BadFailures as error:
            self._say(f"all messages count as failed, since the answer is wrong: {error}")
        done = [message for message in messages if message.id not in failed]
        for message in done:
            self._queue.delete(message.receipt)
        self._count("NumberOfMessagesDeleted", len(done))
        if failed:
            wait = self._trigger.queue.invisible
            self._say(
                f"{counted(len(failed), 'message')} of {name} failed; visible again after {wait}"
            )

    def _say(self, text: str) -> None:
        self._log.write(self._function.name, text)

    def _count(self, name: str, value: float) -> None:
        self._meters.add(SQS, name, {"QueueName": self._deployed_name}, value)
