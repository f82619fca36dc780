"""What can go wrong in CommitCollect, each with a name of its own."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from pydantic import ValidationError

from sortkey import ValueRefused


class CommitCollectError(Exception):
    """Catch this to catch all of them; nothing was written that should not have been."""


class BadInput(CommitCollectError):
    """Something given cannot be right; ``field`` names it. Nothing was written."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class NotSignedIn(CommitCollectError):
    """There is no such session, or it is over."""


class AccountGone(CommitCollectError):
    """There is no such account, or it is being deleted."""


class StateInvalid(CommitCollectError):
    """The state is not this session's, was used, or is too old: start connecting again."""


class NotConnected(CommitCollectError):
    """No Strava athlete is connected to the account."""


class AthleteAlreadyConnected(CommitCollectError):
    """Somebody else has connected this Strava athlete; nothing was written."""

    def __init__(self, athlete_id: str) -> None:
        super().__init__(f"the Strava athlete {athlete_id} is connected to another account")
        self.athlete_id = athlete_id


class EventInProgress(CommitCollectError):
    """Another delivery of the event is being processed; it may come again after ``until``."""

    def __init__(self, request_id: str, until: datetime | None) -> None:
        super().__init__(f"the event {request_id} is being processed")
        self.request_id = request_id
        self.until = until


class WorkoutNotFound(CommitCollectError):
    """There is no such workout, or it was deleted."""


class ModelUnavailable(CommitCollectError):
    """There is no such model, or it is retired."""


class ModelIncomplete(CommitCollectError):
    """A model lacks a part that is to be awarded."""


class ModelExists(CommitCollectError):
    """There is a model with this id already."""


class MilestoneNotFound(CommitCollectError):
    """There is no such milestone."""


class Contended(CommitCollectError):
    """Others changed the same records each time: ask again later. Nothing was written."""


@contextmanager
def refusing_bad_input() -> Generator[None]:
    """Within the block, a value that a record does not take, or cannot store, is told by field."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(place) for place in first["loc"]) or error.title
        raise BadInput(field, first["msg"]) from None
    except ValueRefused as error:
        raise BadInput(error.field, str(error)) from None
