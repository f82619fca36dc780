"""The interface of an engine that the server needs."""

from typing import Any, Protocol


class Backend(Protocol):
    """An engine, as the server sees it."""

    @property
    def writing(self) -> bool:
        """Whether writes wait for `flush`; until then, their replies must be held."""
        ...

    def reply(self, operation: str, body: Any) -> bytes:
        """Return the response as JSON.

        Raises:
            ServiceError: The request is rejected.
        """
        ...

    def can_write(self) -> bool:
        """Return whether a prompt call can write again, after one found the file locked."""
        ...

    def beside(self) -> "Backend":
        """Return an engine with the same data, for threads beside an event loop."""
        ...

    def flush(self) -> None:
        """Commit the writes made since the last flush."""
        ...

    def tend(self) -> bool:
        """Do one bounded piece of upkeep, and return whether more is waiting."""
        ...

    def close(self) -> None:
        """Release the database."""
        ...
