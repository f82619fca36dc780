"""What runs, and where: what `sortkey run` prints when everything has started."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sortkey.design.declaring.functions import Route


@dataclass(frozen=True, slots=True)
class ServedRoute:
    """A route of an API, by the API's name, and the function that answers it."""

    api: str
    route: Route
    function: str


@dataclass(frozen=True, slots=True)
class NextCall:
    """A schedule of a function, and when it is due next, in seconds since 1970."""

    function: str
    expression: str
    due: float | None


@dataclass(frozen=True, slots=True)
class Consumed:
    """A queue or a table by its name, and the function that gets its messages or changes."""

    source: str
    function: str


@dataclass(frozen=True, slots=True)
class Started:
    """Everything that runs of a design."""

    design: str
    environment: str
    state: Path
    engine: str
    apis: Mapping[str, str]
    issuer: str | None
    routes: Sequence[ServedRoute]
    schedules: Sequence[NextCall]
    messages: Sequence[Consumed]
    changes: Sequence[Consumed]
    queues: Mapping[str, Path]
    buckets: Mapping[str, Path]
    dead_letters: Mapping[str, Mapping[str, Path]]
    fakes: Mapping[str, Mapping[str, str]]

    def as_json(self) -> dict[str, Any]:
        """Return the addresses and folders, for programs."""
        return {
            "version": 1,
            "design": self.design,
            "environment": self.environment,
            "state": str(self.state),
            "engine": self.engine,
            "apis": dict(self.apis),
            "issuer": self.issuer,
            "queues": {name: str(path) for name, path in self.queues.items()},
            "buckets": {name: str(path) for name, path in self.buckets.items()},
            "dead_letters": {
                kind: {name: str(path) for name, path in folders.items()}
                for kind, folders in self.dead_letters.items()
            },
            "schedules": [
                {"function": one.function, "expression": one.expression, "due": one.due}
                for one in self.schedules
            ],
        }
