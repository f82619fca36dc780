"""Alarms on functions, queues and APIs, by the metrics that their services report.

See "Types of metrics for Lambda functions", "Available CloudWatch metrics for Amazon SQS" and
"Monitor CloudWatch metrics for HTTP APIs" in the guides of the services.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.design.tables.settings import Alarms
from sortkey.synth.model import (
    Alarm,
    FunctionResource,
    HttpApiResource,
    Metric,
    Programs,
    QueueResource,
    Statistic,
    Topic,
)
from sortkey.synth.naming import shortened

_LONGEST_NAME = 255
# The part of the timeout after which a call is slow.
_SLOW_PERCENT = 80
# How old a change or a message may become before it is handled.
_OLD_SECONDS = 15 * 60


def program_alarms(programs: Programs, alarms: Alarms, topic: Topic) -> Iterator[Alarm]:
    """Yield the alarms of everything that runs; periods are those of a table's alarms."""
    writer = _ProgramAlarmWriter(alarms.period_seconds, topic)
    followers = {source.function.id for source in programs.changes}
    for function in programs.functions:
        yield from writer.function(function, is_follower=function.id in followers)
    for queue in programs.queues:
        yield writer.letters(queue) if queue.dead_letters is None else writer.age(queue)
    for api in programs.apis:
        yield writer.api(api)


@dataclass(frozen=True, slots=True)
class _ProgramAlarmWriter:
    period: int
    topic: Topic

    def function(self, function: FunctionResource, *, is_follower: bool) -> Iterator[Alarm]:
        """Yield the alarms of a function."""
        yield self._alarm(function, "errors", "Calls failed", 1, "Errors", "Sum")
        yield self._alarm(function, "throttles", "Calls were throttled", 1, "Throttles", "Sum")
        slow = function.seconds * 10 * _SLOW_PERCENT
        yield self._alarm(
            function,
            "duration",
            f"A call takes {_SLOW_PERCENT} % or more of its timeout",
            slow,
            "Duration",
            "Maximum",
        )
        if is_follower:
            yield self._alarm(
                function,
                "iterator-age",
                f"A change was handled {_OLD_SECONDS // 60} minutes or more after it happened",
                _OLD_SECONDS * 1000,
                "IteratorAge",
                "Maximum",
            )

    def letters(self, queue: QueueResource) -> Alarm:
        """Return the alarm of a queue of dead letters."""
        return self._alarm(
            queue, "messages", queue.comment, 1, "ApproximateNumberOfMessagesVisible", "Maximum"
        )

    def age(self, queue: QueueResource) -> Alarm:
        """Return the alarm of messages that wait for long, although they may be tried again."""
        seconds = max(_OLD_SECONDS, 2 * (queue.invisible_seconds or 0))
        return self._alarm(
            queue,
            "age",
            f"A message has waited for {seconds // 60} minutes or more",
            seconds,
            "ApproximateAgeOfOldestMessage",
            "Maximum",
        )

    def api(self, api: HttpApiResource) -> Alarm:
        """Return the alarm of an API."""
        return self._alarm(api, "server-errors", "Responses had a status of 5xx", 1, "5xx", "Sum")

    def _alarm(  # noqa: PLR0917 - each is a fact of its own
        self,
        of: FunctionResource | QueueResource | HttpApiResource,
        what: str,
        text: str,
        threshold: int,
        metric: str,
        statistic: Statistic,
    ) -> Alarm:
        suffix = "".join(word.title() for word in what.split("-"))
        return Alarm(
            f"{of.id}{suffix}Alarm",
            shortened(f"{of.name}-{what}", _LONGEST_NAME),
            f"{of.name}: {text.rstrip('.')}",
            (Metric(metric, statistic, self.period, of),),
            threshold,
            self.topic,
        )
