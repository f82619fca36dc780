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

    def flush(self) -> None:
        """Commit the writes made since the last flush."""
        ...

    def tend(self) -> bool:
        """Do one bounded piece of upkeep, and return whether more is waiting."""
        ...

    def close(self) -> None:
        """Release the database."""
        ...
