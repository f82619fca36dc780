"""Alarms on the metrics that DynamoDB reports, by their names and dimensions.

See "DynamoDB metrics and dimensions" in its developer guide. Throttling is reported by table and
global index, errors and latency by table and operation, invalid requests only for a whole account.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sortkey.design.declaring.deployed_names import DeployedNames
from sortkey.design.tables.settings import Alarms
from sortkey.synth.model import Alarm, Metric, TableResource, Topic
from sortkey.synth.naming import pascal, shortened

# How often DynamoDB reports provisioned capacity; shorter periods have no values.
_PROVISIONED_SECONDS = 300
_LONGEST_NAME = 255
_CONDITIONAL = frozenset({"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"})
_TRANSACTIONS = frozenset({"TransactGetItems", "TransactWriteItems"})


@dataclass(frozen=True, slots=True)
class Watched:
    """A table with its alarms, and the operations that the design's patterns send to it."""

    table: TableResource
    alarms: Alarms
    operations: tuple[str, ...]


def topics_of(watched: Iterable[Watched], names: DeployedNames) -> dict[str | None, Topic]:
    """Return the topics of these tables' alarms: existing ones, or a new one."""
    found: dict[str | None, Topic] = {}
    for one in watched:
        arn = one.alarms.notify
        if arn not in found:
            name = names.topic if arn is None else arn.rpartition(":")[2]
            found[arn] = Topic("AlarmTopic" if arn is None else f"{pascal(name)}Topic", name, arn)
    return found


def alarms_of(watched: Sequence[Watched], names: DeployedNames) -> Iterator[Alarm]:
    """Return the alarms of every table, then the alarm of the account."""
    topics = topics_of(watched, names)
    for one in watched:
        yield from _AlarmWriter(one, topics[one.alarms.notify]).alarms()
    counted = [one for one in watched if one.alarms.user_errors is not None]
    if counted:
        strictest = min(counted, key=lambda one: one.alarms.user_errors or 0)
        yield _user_errors(strictest.alarms, topics[strictest.alarms.notify], names)


def _user_errors(alarms: Alarms, topic: Topic, names: DeployedNames) -> Alarm:
    return Alarm(
        "UserErrorsAlarm",
        names.user_errors,
        "Requests that DynamoDB rejected as invalid, in this account and region",
        (Metric("UserErrors", "Sum", alarms.period_seconds),),
        alarms.user_errors or 0,
        topic,
    )


class _AlarmWriter:
    """Writes the alarms of one table."""

    def __init__(self, watched: Watched, topic: Topic) -> None:
        self._table = watched.table
        self._alarms = watched.alarms
        self._operations = watched.operations
        self._topic = topic

    def alarms(self) -> Iterator[Alarm]:
        """Yield every alarm of the table."""
        indexes = [index.name for index in self._table.global_indexes]
        for index in (None, *indexes):
            yield from self._throttling(index)
            yield from self._consumption(index)
        for operation in self._operations:
            yield self._alarm(
                f"{operation}SystemErrors",
                f"{operation} failed within DynamoDB",
                self._alarms.system_errors,
                self._metric("SystemErrors", operation=operation),
            )
            if self._alarms.latency_ms is not None:
                yield self._alarm(
                    f"{operation}Latency",
                    f"{operation} takes {self._alarms.latency_ms} ms or more on average",
                    self._alarms.latency_ms,
                    Metric(
                        "SuccessfulRequestLatency",
                        "Average",
                        self._alarms.period_seconds,
                        self._table,
                        operation=operation,
                    ),
                )
        yield from self._contention()

    def _throttling(self, index: str | None) -> Iterator[Alarm]:
        for dimension in ("Read", "Write"):
            yield self._alarm(
                f"{dimension}Throttled",
                f"{dimension}s were throttled",
                self._alarms.throttled_requests,
                self._metric(f"{dimension}ThrottleEvents", index=index),
                index=index,
            )

    def _consumption(self, index: str | None) -> Iterator[Alarm]:
        percent = self._alarms.consumed_percent
        if self._table.provisioned is None or percent is None:
            return
        period = max(_PROVISIONED_SECONDS, self._alarms.period_seconds)
        for dimension in ("Read", "Write"):
            units = f"{dimension}CapacityUnits"
            yield self._alarm(
                f"{dimension}Consumption",
                f"{dimension}s consume {percent} % or more of the provisioned capacity",
                percent,
                Metric(f"Consumed{units}", "Sum", period, self._table, index),
                Metric(f"Provisioned{units}", "Average", period, self._table, index),
                index=index,
                expression="100 * m1 / PERIOD(m1) / m2",
            )

    def _contention(self) -> Iterator[Alarm]:
        used = set(self._operations)
        failures, conflicts = self._alarms.conditional_failures, self._alarms.transaction_conflicts
        if failures is not None and used & _CONDITIONAL:
            yield self._alarm(
                "ConditionalFailures",
                "Many conditional writes failed",
                failures,
                self._metric("ConditionalCheckFailedRequests"),
            )
        if conflicts is not None and used & _TRANSACTIONS:
            yield self._alarm(
                "TransactionConflicts",
                "Many requests conflicted with a transaction",
                conflicts,
                self._metric("TransactionConflict"),
            )

    def _metric(
        self, name: str, *, index: str | None = None, operation: str | None = None
    ) -> Metric:
        return Metric(name, "Sum", self._alarms.period_seconds, self._table, index, operation)

    def _alarm(
        self,
        what: str,
        description: str,
        threshold: int,
        *metrics: Metric,
        index: str | None = None,
        expression: str | None = None,
    ) -> Alarm:
        table = self._table
        place = table.name if index is None else f"{table.name}-{index}"
        return Alarm(
            f"{table.id}{pascal(index or '')}{what}Alarm",
            shortened(f"{place}-{_kebab(what)}", _LONGEST_NAME),
            f"{table.name}{'' if index is None else f', {index}'}: {description}",
            metrics,
            threshold,
            self._topic,
            expression,
        )


def _kebab(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).lstrip("-")
