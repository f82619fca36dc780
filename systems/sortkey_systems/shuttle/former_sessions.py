"""The interface of the former store of sessions, while it is in use."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class FormerSession:
    """A row of the former store, which may not be a valid session."""

    id: str
    shop: str
    state: str
    is_online: bool
    scope: str | None
    # A time that cannot be read is the text that is stored.
    expires: datetime | str | None
    access_token: str = field(repr=False)
    user_id: int | None
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    account_owner: bool = False
    locale: str | None = None
    collaborator: bool | None = None
    email_verified: bool | None = None
    refresh_token: str | None = field(default=None, repr=False)
    refresh_token_expires: datetime | str | None = None


class FormerSessions(Protocol):
    """The former store of sessions, while it is in use."""

    def get(self, session_id: str) -> FormerSession | None:
        """Return the session with this id, expired or not."""
        ...

    def after(self, session_id: str | None, limit: int) -> Sequence[FormerSession]:
        """Return at most ``limit`` sessions after this id, in the order of their ids."""
        ...

    def ids_of_shop(self, shop: str) -> Sequence[str]:
        """Return the ids of a shop's sessions."""
        ...

    def delete(self, session_id: str) -> None:
        """Delete a session, if it exists."""
        ...

    def count(self) -> int:
        """Return the number of sessions."""
        ...
