"""The names of functions and of what they use: in AWS, and in code.

A name that is too long for its kind of resource is cut off, and different names stay different.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from sortkey.design.declaring.deployed_names import DeployedNames
from sortkey.errors import Refused
from sortkey.synth.model import QueueResource
from sortkey.synth.naming import pascal, shortened, snake

# The longest names that AWS allows.
_FUNCTION, _ROLE, _RULE, _QUEUE, _API = 64, 64, 64, 80, 128
# The name of a bucket may have 63 characters; it ends in the account and the region.
_BUCKET = 63 - len("-123456789012-ap-southeast-1")
_PLACE = re.compile(r"\{([^}]+)\}")


@dataclass(frozen=True, slots=True)
class ProgramNames:
    """The deployed names of functions and of what they use, all with the prefix of the design."""

    names: DeployedNames

    def function(self, name: str) -> str:
        """Return the name of a function."""
        return shortened(self._own(name), _FUNCTION)

    def function_role(self, name: str) -> str:
        """Return the name of the execution role of a function."""
        return shortened(f"{self._own(name)}-function", _ROLE)

    def function_logs(self, name: str) -> str:
        """Return the log group of a function, where Lambda would look for it."""
        return f"/aws/lambda/{self.function(name)}"

    def schedule(self, function: str, number: int) -> str:
        """Return the name of one of the schedules of a function, numbered from 1."""
        own = self._own(function)
        return shortened(own if number == 1 else f"{own}.{number}", _RULE)

    def queue(self, name: str) -> str:
        """Return the name of a queue."""
        return shortened(self._own(name), _QUEUE)

    def dead_letters(self, name: str) -> str:
        """Return the name of the queue of the messages of a queue that failed too often."""
        return shortened(f"{self._own(name)}-dead-letters", _QUEUE)

    def failed_events(self, function: str) -> str:
        """Return the name of the queue of the events and changes that a function cannot handle."""
        return shortened(f"{self._own(function)}-failed-events", _QUEUE)

    def bucket(self, name: str) -> str:
        """Return the name of a bucket without its account and region; S3 allows lower case only."""
        return shortened(self._own(name).lower().replace("_", "-"), _BUCKET)

    def api(self, name: str) -> str:
        """Return the name of an HTTP API."""
        return shortened(self._own(name), _API)

    def api_logs(self, name: str) -> str:
        """Return the log group of an API: under this path, AWS needs no policy for each."""
        return f"/aws/vendedlogs/{self.api(name)}"

    def _own(self, name: str) -> str:
        return f"{self.names.prefix}-{name}"


def api_id(name: str) -> str:
    """Return the id of an API: ``admin`` is ``AdminApi``, and ``api`` is ``Api``."""
    own = pascal(name)
    return own if own.endswith("Api") else f"{own}Api"


def setting_id(variable: str) -> str:
    """Return the name of a parameter: ``LIVEKIT_URL`` is ``LivekitUrl``."""
    return "".join(word.capitalize() for word in variable.split("_"))


def route_id(api: str, method: str, path: str) -> str:
    """Return the id of a route: ``GET /notes/{note_id}`` is ``ApiGetNotesByNoteId``."""
    words = re.findall(r"[A-Za-z0-9]+", _PLACE.sub(r"by_\1", path))
    return "".join((api, method.capitalize(), *(pascal(word) for word in words)))


def check_ids(ids: Iterable[str]) -> None:
    """Raise an error if two resources would have the same name in the code of a target."""
    seen: dict[str, str] = {}
    for own in ids:
        other = seen.setdefault(snake(own), own)
        if other is not own:
            raise Refused(
                f"two resources of the stack would be called {own} and {other}: rename a function, "
                "a queue, a bucket, an API, a setting or a role"
            )


def check_queue_names(queues: Iterable[QueueResource]) -> None:
    """Raise an error if a queue has the name of another one's dead letters."""
    seen: set[str] = set()
    for queue in queues:
        if queue.name in seen:
            raise Refused(f"two queues would be called {queue.name}: rename one of them")
        seen.add(queue.name)
