"""What the shuttle asks of the store that its sessions come from, while that is in use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FormerSession:
    """A row as it is; whether it fits a session is for whoever takes it over to say."""

    id: str
    shop: str
    state: str
    is_online: bool
    scope: str | None
    expires: datetime | None
    access_token: str = field(repr=False)
    user_id: int | None


class FormerSessions(Protocol):
    """What the shuttle asks of the former store while it is in use."""

    def get(self, session_id: str) -> FormerSession | None:
        """The session with this id, expired or not."""
        ...

    def after(self, session_id: str | None, most: int) -> Sequence[FormerSession]:
        """The next sessions in the order of their ids."""
        ...

    def ids_of_shop(self, shop: str) -> Sequence[str]:
        """The ids of a shop's sessions."""
        ...

    def delete(self, session_id: str) -> None:
        """Remove a session, if it is there."""
        ...

    def count(self) -> int:
        """How many there are."""
        ...
