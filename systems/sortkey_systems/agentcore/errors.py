"""What AgentCore refuses, and why; nothing was written when one of these is raised."""

from collections.abc import Generator
from contextlib import contextmanager

from pydantic import ValidationError

from sortkey import ValueRefused


class AgentCoreError(Exception):
    """Catch this to catch every refusal of AgentCore."""


class BadInput(AgentCoreError):
    """A value that cannot be taken; ``field`` names it."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}")
        self.field = field


class TierNotFound(AgentCoreError):
    """There is no such tier."""

    def __init__(self, tier_id: str) -> None:
        super().__init__(f"there is no tier {tier_id}")
        self.tier_id = tier_id


class TierExists(AgentCoreError):
    """There is a tier with this id already."""


class TierInUse(AgentCoreError):
    """Somebody is assigned to the tier, or it is the default: it cannot be deleted."""


class AlreadyAssigned(AgentCoreError):
    """The user, or the application role, has an assignment: there is one for each."""


class AssignmentNotFound(AgentCoreError):
    """There is no such assignment."""

    def __init__(self, assignment_id: str) -> None:
        super().__init__(f"there is no assignment {assignment_id}")
        self.assignment_id = assignment_id


class OverrideNotFound(AgentCoreError):
    """There is no such override."""

    def __init__(self, override_id: str) -> None:
        super().__init__(f"there is no override {override_id}")
        self.override_id = override_id


class CostDiffers(AgentCoreError):
    """A cost of this time and id was recorded before, and is another."""


class SessionNotFound(AgentCoreError):
    """There is no such session, or it is somebody else's: nobody learns which."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is no session {session_id}")
        self.session_id = session_id


class RedirectRefused(AgentCoreError):
    """Nobody is sent back to this address: it is none of those that the configuration names."""

    field = "redirect_uri"

    def __init__(self, redirect_uri: str) -> None:
        super().__init__(f"{self.field}: {redirect_uri} is not among those that are allowed")
        self.redirect_uri = redirect_uri


class StateInvalid(AgentCoreError):
    """The state is unknown, was used, or is too old: begin to sign in again."""


class AssistantNotFound(AgentCoreError):
    """There is no such assistant, or it is somebody else's: nobody learns which."""

    def __init__(self, assistant_id: str) -> None:
        super().__init__(f"there is no assistant {assistant_id}")
        self.assistant_id = assistant_id


class WrongStatus(AgentCoreError):
    """The assistant cannot go from its status to this one."""


class Contended(AgentCoreError):
    """Others changed the same record each time that this was tried: ask again."""


@contextmanager
def checked() -> Generator[None]:
    """Within the block, what no record can hold is `BadInput`, with the name of its field."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or error.title
        raise BadInput(field, first["msg"]) from None
    except ValueRefused as error:
        raise BadInput(error.field, str(error)) from None
