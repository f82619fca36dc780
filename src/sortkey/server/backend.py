"""What the server needs of an engine, and nothing else."""

from typing import Any, Protocol


class Backend(Protocol):
    """An engine, as the server sees it."""

    @property
    def writing(self) -> bool:
        """Whether writes wait for `flush`; until then no reply may tell of them."""
        ...

    def reply(self, operation: str, body: Any) -> bytes:
        """The answer as JSON; a ServiceError if the request is refused."""
        ...

    def flush(self) -> None:
        """Commit the writes made since the last flush."""
        ...

    def tend(self) -> bool:
        """Do one bounded piece of upkeep; whether more is waiting."""
        ...

    def close(self) -> None:
        """Release the database."""
        ...
