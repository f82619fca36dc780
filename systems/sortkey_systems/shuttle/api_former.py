"""The former store of sessions over HTTP, while the sessions move."""

from functools import cache
from typing import Annotated

from fastapi import Depends

from sortkey_systems.shuttle import settings
from sortkey_systems.shuttle.former_sessions import FormerSessions

# The environment variable with the SQLAlchemy URL of the former store; set it until all sessions
# are moved.
FORMER = settings.FORMER.variable


@cache
def _opened(url: str) -> FormerSessions:
    from sortkey_systems.shuttle.relational_sessions import RelationalSessions  # noqa: PLC0415 - it needs SQLAlchemy

    return RelationalSessions(url)


async def _former() -> FormerSessions | None:
    url = settings.FormerSettings.current().former
    return _opened(url.get_secret_value()) if url else None


Former = Annotated[FormerSessions | None, Depends(_former)]
