"""The names that functions, queues and APIs have in AWS; meters, events and alarms show them."""

from dataclasses import dataclass

from sortkey.synth.naming import shortened

# The longest names that AWS allows.
_FUNCTION, _RULE, _QUEUE, _API = 64, 64, 80, 128


@dataclass(frozen=True, slots=True)
class LocalNames:
    """The names in one environment, which all begin with the prefix of the design."""

    prefix: str

    def function(self, name: str) -> str:
        """Return the name of a function."""
        return shortened(f"{self.prefix}-{name}", _FUNCTION)

    def queue(self, name: str) -> str:
        """Return the name of a queue."""
        return shortened(f"{self.prefix}-{name}", _QUEUE)

    def dead_letters(self, queue: str) -> str:
        """Return the name of the queue of the messages of another one that failed too often."""
        return shortened(f"{self.prefix}-{queue}-dead-letters", _QUEUE)

    def failed_events(self, function: str) -> str:
        """Return the name of the queue of the events that a function could not handle."""
        return shortened(f"{self.prefix}-{function}-failed-events", _QUEUE)

    def rule(self, function: str, number: int) -> str:
        """Return the name of the rule of one of a function's schedules, numbered from 1."""
        own = function if number == 1 else f"{function}-{number}"
        return shortened(f"{self.prefix}-{own}", _RULE)

    def api(self, name: str) -> str:
        """Return the name of an API."""
        return shortened(f"{self.prefix}-{name}", _API)
