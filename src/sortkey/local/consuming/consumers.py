"""All consumers and schedules of a run, each in a thread, and the levels of the queues."""

import time
from functools import partial
from pathlib import Path

from sortkey.access.targets import endpoint_target
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import OnChange, OnMessage, Schedule
from sortkey.folders.queues import FolderQueue
from sortkey.local.conflicts import buckets_of, queues_of
from sortkey.local.consuming.loop import Loop
from sortkey.local.consuming.queues import QueueConsumer
from sortkey.local.consuming.schedules import PlannedCall, Scheduler
from sortkey.local.consuming.streams import StreamConsumer
from sortkey.local.crew import Crew
from sortkey.local.meters import SQS
from sortkey.local.started import Consumed, NextCall
from sortkey.local.surroundings import Surroundings

_SAMPLE_SECONDS = 1.0
_END_SECONDS = 3.0
_MILLISECONDS = 1000


class Consumers:
    """What calls the functions of a design by itself."""

    def __init__(self, design: Design, environment: str, around: Surroundings) -> None:
        self._environment = environment
        self._around = around
        state = around.state
        self.queues: dict[str, Path] = {
            one.name: state.queue(one.name) for one in queues_of(design)
        }
        self.buckets = {one.name: state.bucket(one.name) for one in buckets_of(design)}
        self.dead_letters: dict[str, dict[str, Path]] = {
            "queues": {name: state.dead_letters("queues", name) for name in self.queues},
            "functions": {},
        }
        self._loops: list[Loop] = []
        self._readers: list[StreamConsumer] = []
        self._scheduler: Scheduler | None = None

    def start(self, crew: Crew, engine: str) -> None:
        """Begin, with the functions of a crew and the engine at an address."""
        around = self._around
        for function, trigger in crew.triggers(OnMessage):
            queue = FolderQueue(self.queues[trigger.queue.name])
            # Nobody works on a message: those who did ended with the last run.
            queue.release(around.clock())
            consumer = QueueConsumer(
                trigger,
                around.names.queue(trigger.queue.name),
                function,
                queue=queue,
                dead=FolderQueue(self.dead_letters["queues"][trigger.queue.name]),
                around=around,
            )
            self._loops.append(Loop(f"messages of {trigger.queue.name}", consumer.step))
        for number, (function, trigger) in enumerate(crew.triggers(OnChange)):
            table = trigger.table.definition.name_in(self._environment)
            reader = StreamConsumer(
                trigger,
                table,
                function,
                number=number,
                transport=endpoint_target(engine).open,
                dead=self._dead_letters_of(function.name),
                around=around,
            )
            self._readers.append(reader)
            self._loops.append(Loop(f"changes of {table}", reader.step))
        planned = [
            PlannedCall(
                trigger.expression,
                around.names.schedule(function.name, number),
                function,
                self._dead_letters_of(function.name),
            )
            for function in crew
            for number, trigger in enumerate(
                (one for one in function.function.triggers if isinstance(one, Schedule)), 1
            )
        ]
        self._scheduler = Scheduler(planned, around=around)
        if planned:
            self._loops.append(Loop("schedules", self._scheduler.step))
        around.meters.sample(self._measure)
        self._loops.append(Loop("meters", self._sample))
        for loop in self._loops:
            loop.start()

    def next_calls(self) -> list[NextCall]:
        """Return when each schedule is due next."""
        if self._scheduler is None:
            return []
        return [
            NextCall(one.function.name, one.expression, due)
            for one, due in self._scheduler.next_times()
        ]

    def wake(self) -> None:
        """Look at the clock again, which may have been moved."""
        for loop in self._loops:
            loop.wake()

    def stop(self) -> None:
        """Begin no more calls."""
        for loop in self._loops:
            loop.stop()
        if self._scheduler is not None:
            self._scheduler.stop()

    def join(self) -> None:
        """Wait for the threads, after the functions have ended."""
        until = time.monotonic() + _END_SECONDS
        for loop in self._loops:
            loop.join(max(0.0, until - time.monotonic()))
        for reader in self._readers:
            reader.close()

    def _dead_letters_of(self, function: str) -> FolderQueue:
        folder = self._around.state.dead_letters("functions", function)
        self.dead_letters["functions"][function] = folder
        return FolderQueue(folder)

    # -- levels -------------------------------------------------------------------------------

    def _sample(self) -> float:
        self._around.meters.look()
        return _SAMPLE_SECONDS

    def _measure(self) -> None:
        """Add the depth and the age of every queue to the meters."""
        names = self._around.names
        for name, folder in self.queues.items():
            self._add_depth(names.queue(name), folder)
        for name, folder in self.dead_letters["queues"].items():
            self._add_depth(names.dead_letters(name), folder)
        for name, folder in self.dead_letters["functions"].items():
            self._add_depth(names.failed_events(name), folder)

    def _add_depth(self, queue: str, folder: Path) -> None:
        now = self._around.clock()
        depth = FolderQueue(folder).depth(now)
        age = 0.0 if depth.oldest is None else max(0.0, now - depth.oldest / _MILLISECONDS)
        add = partial(self._around.meters.add, SQS, dimensions={"QueueName": queue})
        add("ApproximateNumberOfMessagesVisible", value=depth.visible)
        add("ApproximateNumberOfMessagesNotVisible", value=depth.invisible)
        add("ApproximateAgeOfOldestMessage", value=age)


def consumed(crew: Crew) -> tuple[list[Consumed], list[Consumed]]:
    """Return who gets the messages of queues, and who the changes of tables."""
    messages = [
        Consumed(trigger.queue.name, function.name)
        for function, trigger in crew.triggers(OnMessage)
    ]
    changes = [
        Consumed(trigger.table.__name__, function.name)
        for function, trigger in crew.triggers(OnChange)
    ]
    return messages, changes
