"""The timeline: what the weather did to which request."""

from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

_MOST_EVENTS = 10_000


@dataclass(frozen=True, slots=True)
class WeatherEvent:
    """One effect of the weather, such as a throttled request or a split partition."""

    at: float
    # The number of the request, counted from 1.
    request: int
    operation: str
    what: str
    # The ARN of a table or an index; or the names of the tables of the request, if it has any.
    resource: str

    def shown(self) -> str:
        """Return the event as a line: request 12, PutItem Orders: lost-response."""
        place = f" {self.resource}" if self.resource else ""
        return f"request {self.request}, {self.operation}{place}: {self.what}"

    def described(self) -> dict[str, Any]:
        """Return the event as JSON."""
        return asdict(self)


class Timeline:
    """The latest events, in order."""

    def __init__(self) -> None:
        self._events: deque[WeatherEvent] = deque(maxlen=_MOST_EVENTS)

    def add(self, event: WeatherEvent) -> None:
        """Add an event."""
        self._events.append(event)

    def __iter__(self) -> Iterator[WeatherEvent]:
        return iter(list(self._events))

    def __len__(self) -> int:
        return len(self._events)
