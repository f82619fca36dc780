"""What GymCoach refuses, each with a name of its own; nothing was written when one is raised."""

from collections.abc import Generator
from contextlib import contextmanager

from pydantic import ValidationError

from sortkey import ValueRefused


class GymCoachError(Exception):
    """Catch this to catch every refusal of GymCoach."""


class BadInput(GymCoachError):
    """Something given cannot be right; ``field`` names it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class AccountExists(GymCoachError):
    """Somebody has this id."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"there is an account {user_id}")
        self.user_id = user_id


class AccountGone(GymCoachError):
    """There is no such account, or it is being deleted."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"there is no account {user_id}")
        self.user_id = user_id


class NotThere(GymCoachError):
    """There is no such record, it has expired, or it is somebody else's."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"there is no {kind} {key}")
        self.kind, self.key = kind, key


class AlreadyThere(GymCoachError):
    """There is a record with this key."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"there is a {kind} {key}")
        self.kind, self.key = kind, key


class ChangedMeanwhile(GymCoachError):
    """Somebody else changed the record since it was read: read it and decide again."""


class Contended(GymCoachError):
    """Others changed the same records each time that this was tried: try again later."""


class SessionFinished(GymCoachError):
    """The workout is completed and counted, and stays as it is."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"the workout {session_id} is finished")
        self.session_id = session_id


class TooManyMilestones(GymCoachError):
    """More milestones wait for one workout than fit into a transaction: achieve or unbind some."""


class AlreadyApplied(GymCoachError):
    """The recommendation was applied before."""

    def __init__(self, recommendation_id: str) -> None:
        super().__init__(f"the recommendation {recommendation_id} is applied")
        self.recommendation_id = recommendation_id


class RuleUnusable(GymCoachError):
    """A rule that cannot be evaluated; ``part`` says what of its condition is wrong."""

    def __init__(self, rule_id: str, part: str, reason: str) -> None:
        super().__init__(f"the rule {rule_id} cannot be evaluated: {part}: {reason}")
        self.rule_id, self.part, self.reason = rule_id, part, reason


@contextmanager
def refusing_bad_input() -> Generator[None]:
    """Within the block, a value that a record does not take, or cannot store, is told by field."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(place) for place in first["loc"]) or error.title
        raise BadInput(field, first["msg"]) from None
    except ValueRefused as error:
        raise BadInput(error.field, str(error)) from None
