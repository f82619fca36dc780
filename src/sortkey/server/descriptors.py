"""The number of files and connections that a process may have open at the same time."""

import sys

from sortkey.server.connections import MOST_CONNECTIONS

if sys.platform != "win32":
    import resource

# For the database, pipes and connections that are just being opened or closed.
_RESERVE = 64


def raise_limit() -> None:
    """Let this process, and those that it forks, open as many files as it may and can use."""
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_CONNECTIONS + _RESERVE
        if _is_less(soft, wanted):
            raised = hard if _is_less(hard, wanted) else wanted
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))


def most_connections() -> int:
    """Return how many connections a worker may hold."""
    if sys.platform != "win32":
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if _is_less(soft, MOST_CONNECTIONS + _RESERVE):
            return max(soft - _RESERVE, soft // 2)
    return MOST_CONNECTIONS


if sys.platform != "win32":

    def _is_less(limit: int, number: int) -> bool:
        return limit != resource.RLIM_INFINITY and limit < number
