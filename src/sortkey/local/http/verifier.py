"""The interface of who verifies tokens, which needs none of the packages for tokens."""

from typing import Any, NamedTuple, Protocol


class Unauthorized(Exception):  # noqa: N818 - API Gateway's own name
    """A request has no valid token; the message says why, and is empty if there is none."""


class Verified(NamedTuple):
    """The claims of a token that was verified."""

    claims: dict[str, Any]


class Verifier(Protocol):
    """Verifies the tokens of an API."""

    def verified(self, header: str | None) -> Verified:
        """Return the claims of the token in an Authorization header.

        Raises:
            Unauthorized: There is no valid token.
        """
        ...
