"""Errors of CommitCollect."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from pydantic import ValidationError

from sortkey import ValueRefused


class CommitCollectError(Exception):
    """Base class of all errors of CommitCollect; the requested change was not made."""


class BadInput(CommitCollectError):
    """A value is not valid; ``field`` names it. Nothing was written."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class NotSignedIn(CommitCollectError):
    """The session does not exist, or has ended."""


class AccountNotFound(CommitCollectError):
    """The account does not exist, or is being deleted."""


class DeletionUnderWay(CommitCollectError):
    """The account is being deleted: sign up again once that is finished."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"the account {user_id} is being deleted; sign up again in some minutes")
        self.user_id = user_id


class NotBackFilled(CommitCollectError):
    """A session is not in the index by user, so a deletion could leave it behind."""

    def __init__(self) -> None:
        super().__init__(
            "some sessions are not back-filled, and a deletion would not find them: run `sortkey "
            "backfill sortkey_systems.commitcollect.design`"
        )


class StateInvalid(CommitCollectError):
    """The state belongs to another session, is used or has expired: start connecting again."""


class NotConnected(CommitCollectError):
    """No Strava athlete is connected to the account."""


class AthleteAlreadyConnected(CommitCollectError):
    """Another user has connected this Strava athlete; nothing was connected or released."""

    def __init__(self, athlete_id: str) -> None:
        super().__init__(f"the Strava athlete {athlete_id} is connected to another account")
        self.athlete_id = athlete_id


class EventInProgress(CommitCollectError):
    """Another delivery of the event is being processed: deliver it again after ``until``."""

    def __init__(self, request_id: str, until: datetime | None) -> None:
        super().__init__(f"the event {request_id} is being processed")
        self.request_id = request_id
        self.until = until


class WorkoutNotFound(CommitCollectError):
    """The workout does not exist, or was deleted."""


class ModelUnavailable(CommitCollectError):
    """The model does not exist, or is retired."""


class ModelIncomplete(CommitCollectError):
    """The model has no record of a part that the milestone has reached."""


class ModelExists(CommitCollectError):
    """A model with this id already exists."""


class MilestoneNotFound(CommitCollectError):
    """The milestone does not exist."""


@contextmanager
def raising_bad_input() -> Generator[None]:
    """Raise `BadInput` for a value that a record rejects or cannot store."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(place) for place in first["loc"]) or error.title
        raise BadInput(field, first["msg"]) from None
    except ValueRefused as error:
        # Its own text names the template of the key, which is of no use to a caller.
        raise BadInput(error.field, "the value cannot be stored") from error
