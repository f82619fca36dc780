"""The rows of functions, queues and APIs on the dashboard."""

from collections.abc import Iterator

from sortkey.synth.dashboard import PERIOD
from sortkey.synth.model import (
    DashboardRow,
    FunctionResource,
    Graph,
    HttpApiResource,
    Metric,
    Programs,
    QueueResource,
    Statistic,
)


def program_rows(programs: Programs) -> Iterator[DashboardRow]:
    """Yield a row for each function, queue and API."""
    followers = {source.function.id for source in programs.changes}
    for function in programs.functions:
        yield _function(function, is_follower=function.id in followers)
    for queue in programs.queues:
        if queue.dead_letters is not None:
            yield _queue(queue, queue.dead_letters)
    for api in programs.apis:
        yield _api(api)


def _function(function: FunctionResource, *, is_follower: bool) -> DashboardRow:
    graphs = [
        _graph("Calls", function, "Sum", "Invocations"),
        _graph("Failures", function, "Sum", "Errors", "Throttles"),
        _graph("Duration (ms)", function, "Maximum", "Duration"),
    ]
    if is_follower:
        graphs.append(_graph("Age of changes (ms)", function, "Maximum", "IteratorAge"))
    if function.dead_letters is not None:
        graphs.append(_waiting("Dead letters", function.dead_letters))
    return DashboardRow(function.name, tuple(graphs))


def _queue(queue: QueueResource, letters: QueueResource) -> DashboardRow:
    oldest = _graph("Oldest message (s)", queue, "Maximum", "ApproximateAgeOfOldestMessage")
    waiting = _waiting("Messages", queue)
    return DashboardRow(queue.name, (waiting, oldest, _waiting("Dead letters", letters)))


def _waiting(title: str, queue: QueueResource) -> Graph:
    return _graph(title, queue, "Maximum", "ApproximateNumberOfMessagesVisible")


def _api(api: HttpApiResource) -> DashboardRow:
    return DashboardRow(
        api.name,
        (
            _graph("Requests", api, "Sum", "Count"),
            _graph("Failures", api, "Sum", "4xx", "5xx"),
            _graph("Latency (ms)", api, "Average", "Latency"),
        ),
    )


def _graph(
    title: str,
    of: FunctionResource | QueueResource | HttpApiResource,
    statistic: Statistic,
    *names: str,
) -> Graph:
    return Graph(title, tuple(Metric(name, statistic, PERIOD, of) for name in names))
