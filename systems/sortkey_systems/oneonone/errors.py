"""Errors of One-on-One."""


class OneOnOneError(Exception):
    """Base class of all errors of One-on-One; nothing was written."""


class BadInput(OneOnOneError):
    """A value is not valid; ``field`` names it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field} {reason}")
        self.field = field


class UserNotFound(OneOnOneError):
    """The user does not exist."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"user {user_id} does not exist")


class NoPointsLeft(OneOnOneError):
    """The user has no points left today."""


class SessionNotFound(OneOnOneError):
    """The session does not exist, or has expired."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} does not exist")


class NotInSession(OneOnOneError):
    """The user is not in the session."""


class SessionEnded(OneOnOneError):
    """The call has ended, or the points of a user have run out."""


class NotSignedIn(OneOnOneError):
    """The request has no identity confirmed by an authorizer."""


class BadSignature(OneOnOneError):
    """The request is not signed by the video service."""


class WrongMediaType(OneOnOneError):
    """The body has another media type."""


class TooLarge(OneOnOneError):
    """The body is too large."""


class TryAgain(OneOnOneError):
    """Other requests are changing the same records."""


class VideoServerError(OneOnOneError):
    """The video service has answered with an error."""


class VideoServerUnreachable(VideoServerError):
    """The video service has not answered."""
