"""The errors of AgentCore; when one of these is raised, nothing was written."""

from collections.abc import Generator
from contextlib import contextmanager

from pydantic import ValidationError

from sortkey import ValueRefused

# The message of a `ValueRefused` shows how records are stored, which is not for callers.
_UNSTORABLE = "cannot be stored: it is empty, too long, of another type, or contains #"


class AgentCoreError(Exception):
    """The base class of all AgentCore errors."""


class BadInput(AgentCoreError):
    """A value is not valid; ``field`` names it."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field}: {fault}")
        self.field = field


class TierNotFound(AgentCoreError):
    """The tier does not exist."""

    def __init__(self, tier_id: str) -> None:
        super().__init__(f"tier {tier_id} does not exist")
        self.tier_id = tier_id


class TierExists(AgentCoreError):
    """A tier with this id already exists."""


class TierInUse(AgentCoreError):
    """The tier cannot be deleted: it has assignments or is the default."""


class AlreadyAssigned(AgentCoreError):
    """The user or application role already has an assignment; only one is allowed."""


class AssignmentNotFound(AgentCoreError):
    """The assignment does not exist."""

    def __init__(self, assignment_id: str) -> None:
        super().__init__(f"assignment {assignment_id} does not exist")
        self.assignment_id = assignment_id


class OverrideNotFound(AgentCoreError):
    """The override does not exist."""

    def __init__(self, override_id: str) -> None:
        super().__init__(f"override {override_id} does not exist")
        self.override_id = override_id


class CostDiffers(AgentCoreError):
    """A different cost is already recorded with this time and id."""


class SessionNotFound(AgentCoreError):
    """The session does not exist or belongs to another user; the caller cannot see which."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} does not exist")
        self.session_id = session_id


class RedirectRefused(AgentCoreError):
    """The redirect address is not one of the configured ones."""

    field = "redirect_uri"

    def __init__(self, redirect_uri: str) -> None:
        super().__init__(f"{self.field}: {redirect_uri} is not an allowed redirect address")
        self.redirect_uri = redirect_uri


class StateInvalid(AgentCoreError):
    """The state is unknown, used or expired: begin a new sign-in."""


class AssistantNotFound(AgentCoreError):
    """The assistant does not exist or belongs to another user; the caller cannot see which."""

    def __init__(self, assistant_id: str) -> None:
        super().__init__(f"assistant {assistant_id} does not exist")
        self.assistant_id = assistant_id


class WrongStatus(AgentCoreError):
    """The assistant cannot change from its current status to this one."""


@contextmanager
def checked() -> Generator[None]:
    """Raise `BadInput`, with the field's name, for values in the block that no record can hold."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or error.title
        raise BadInput(field, first["msg"]) from None
    except ValueRefused as error:
        raise BadInput(error.field, _UNSTORABLE) from error
