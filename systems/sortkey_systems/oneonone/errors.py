"""What One-on-One refuses, and why."""


class OneOnOneError(Exception):
    """Catch this to catch every refusal of One-on-One; nothing was written."""


class BadInput(OneOnOneError):
    """A value that cannot be what it should; ``field`` names it."""

    def __init__(self, field: str, fault: str) -> None:
        super().__init__(f"{field} {fault}")
        self.field = field


class UserUnknown(OneOnOneError):
    """There is no such user."""

    def __init__(self, user_id: str) -> None:
        super().__init__(f"there is no user {user_id}")


class AlreadyWaiting(OneOnOneError):
    """The user is in the queue."""


class AlreadyTalking(OneOnOneError):
    """The user is in a call."""


class NoPointsLeft(OneOnOneError):
    """The user has spent the points of the day."""


class SessionUnknown(OneOnOneError):
    """There is no such session, or it has expired."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"there is no session {session_id}")


class NotInSession(OneOnOneError):
    """The session is other people's."""


class SessionEnded(OneOnOneError):
    """The call is over: somebody ended it, or it began 15 minutes ago."""


class NotSignedIn(OneOnOneError):
    """The request comes with no identity that an authorizer has confirmed."""
