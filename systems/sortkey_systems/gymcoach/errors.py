"""Errors of GymCoach; nothing was written when one is raised."""

from collections.abc import Generator
from contextlib import contextmanager

from pydantic import ValidationError

from sortkey import ValueRefused


class GymCoachError(Exception):
    """Base class of all errors of GymCoach."""


class BadInput(GymCoachError):
    """A value is not valid; ``field`` names it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class AccountExists(GymCoachError):
    """An account with this id already exists."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"account {user_id} already exists")
        self.user_id = user_id


class AccountNotFound(GymCoachError):
    """The account does not exist, or is being deleted."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"account {user_id} does not exist")
        self.user_id = user_id


class DeletionUnderWay(GymCoachError):
    """The account is being deleted; its id can be used again when the deletion is finished."""

    def __init__(self, user_id: str) -> None:
        super().__init__(
            f"account {user_id} is being deleted: it can be created again in a few minutes"
        )
        self.user_id = user_id


class RecordNotFound(GymCoachError):
    """The record does not exist, has expired, or belongs to another user."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"{kind} {key} does not exist")
        self.kind, self.key = kind, key


class RecordExists(GymCoachError):
    """A record with this key already exists."""

    def __init__(self, kind: str, key: str) -> None:
        super().__init__(f"{kind} {key} already exists")
        self.kind, self.key = kind, key


class RecordChanged(GymCoachError):
    """The record has changed since it was read: read it again and retry."""


class SessionFinished(GymCoachError):
    """The workout is finished: it can only be corrected, with what depends on it."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"workout {session_id} is finished")
        self.session_id = session_id


class SessionOpen(GymCoachError):
    """The workout is not finished."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"workout {session_id} is not finished")
        self.session_id = session_id


class FitnessProfileFull(GymCoachError):
    """The fitness profile has reached the size limit of a record."""

    def __init__(self, user_id: str) -> None:
        super().__init__(
            f"the fitness profile of {user_id} is full: remove injuries that are over, or delete "
            "workouts with exercises that are no longer done"
        )
        self.user_id = user_id


class NotBackFilled(GymCoachError):
    """An item of the former application is in no index, so a deletion could leave it behind."""

    def __init__(self, key: str) -> None:
        super().__init__(
            f"{key} is not back-filled, and a deletion would not find it: run `sortkey backfill "
            "sortkey_systems.gymcoach.design`"
        )
        self.key = key


class NotificationDeclined(GymCoachError):
    """The user does not want notifications of this type."""

    def __init__(self, user_id: str, notification_type: str) -> None:
        super().__init__(f"{user_id} does not want notifications of type {notification_type}")
        self.user_id, self.notification_type = user_id, notification_type


class TooManyChanges(GymCoachError):
    """The workout changes more records than fit into one transaction."""


class AlreadyApplied(GymCoachError):
    """The recommendation is already applied."""

    def __init__(self, recommendation_id: str) -> None:
        super().__init__(f"recommendation {recommendation_id} is already applied")
        self.recommendation_id = recommendation_id


class InvalidRule(GymCoachError):
    """A rule cannot be evaluated; ``part`` names the part of its condition that is wrong."""

    def __init__(self, rule_id: str, part: str, reason: str) -> None:
        super().__init__(f"rule {rule_id} cannot be evaluated: {part}: {reason}")
        self.rule_id, self.part, self.reason = rule_id, part, reason


@contextmanager
def raising_bad_input() -> Generator[None]:
    """Raise `BadInput` for a value that a record rejects or cannot store."""
    try:
        yield
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(place) for place in first["loc"]) or error.title
        raise BadInput(field, first["msg"]) from None
    except ValueRefused as error:
        # Its own text names the template of the key, which is of no use to a caller.
        raise BadInput(error.field, "the value cannot be stored") from None
