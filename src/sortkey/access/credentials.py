"""Credentials that sign requests: fixed ones, or those that AWS's own chain finds and renews.

botocore is imported only when AWS's chain is used, which a function on Lambda does not need.
"""

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from sortkey.access.endpoint import Endpoint, SettingsError

if TYPE_CHECKING:  # botocore is an extra; it need not be installed
    from botocore.credentials import Credentials as FoundCredentials
    from botocore.session import Session

# Lambda sets it in the environment of a function.
ON_LAMBDA = "AWS_LAMBDA_FUNCTION_NAME"


@dataclass(frozen=True, slots=True)
class Credentials:
    """An access key and its secret; temporary credentials also have a token, and may expire."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    expires: datetime | None = None


class CredentialSource(Protocol):
    """A source of credentials, used for each request; safe across threads."""

    def is_ready(self) -> bool:
        """Return whether `get` returns without blocking."""
        ...

    def get(self) -> Credentials:
        """Return the credentials to sign with now."""
        ...

    def renew(self) -> bool:
        """Return whether `get` may return new credentials, after DynamoDB rejected these."""
        ...


class StaticCredentials:
    """Always the same credentials."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def is_ready(self) -> bool:
        """Return True: `get` never blocks."""
        return True

    def get(self) -> Credentials:
        """Return the credentials; raise `SettingsError` if they have expired."""
        expires = self._credentials.expires
        if expires is not None and expires <= datetime.now(UTC):
            raise SettingsError(
                f"the credentials of {self._credentials.access_key} expired at {expires}: "
                "pass new ones, or leave out credentials= to use AWS's chain, which renews them"
            )
        return self._credentials

    def renew(self) -> bool:
        """Return False: there are no others."""
        return False


# Emulators accept any credentials, but may separate data by access key: so it is always this one.
LOCAL = StaticCredentials(Credentials("local", "local"))


class AwsCredentials:
    """The credentials that AWS's standard chain finds: environment, profile, role and so on.

    botocore decides when to renew them.
    """

    def __init__(self, profile: str | None = None) -> None:
        self._profile = profile
        self._lock = Lock()
        self._found: FoundCredentials | None = None
        self._last: tuple[object, Credentials] = None, Credentials("", "")

    def is_ready(self) -> bool:
        """Return whether the credentials are found and need no renewal."""
        found = self._found
        if found is None:
            return False
        refresh_needed = getattr(found, "refresh_needed", None)  # only temporary ones have it
        return refresh_needed is None or not refresh_needed()

    def get(self) -> Credentials:
        """Return the credentials to sign with now; finding or renewing them may block."""
        found = self._found or self._find()
        frozen = found.get_frozen_credentials()
        last, credentials = self._last
        if frozen != last:
            credentials = Credentials(
                frozen.access_key or "", frozen.secret_key or "", frozen.token or None
            )
            self._last = frozen, credentials
        return credentials

    def renew(self) -> bool:
        """Return True: the next `get` searches the whole chain again."""
        self._found = None
        return True

    def _find(self) -> "FoundCredentials":
        with self._lock:
            if self._found is None:
                self._found = aws_session(self._profile).get_credentials()
            if self._found is None:
                raise SettingsError(
                    "no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
                    "AWS_SECRET_ACCESS_KEY, or run `aws configure`"
                )
            return self._found


def aws_credentials(profile: str | None = None) -> CredentialSource:
    """Return the credentials for AWS: those that Lambda gives a function, else AWS's chain.

    Lambda sets them in the environment for the life of the process. The chain would find these too,
    but importing botocore is about a third of the work of a function that starts.
    """
    access_key = os.environ.get("AWS_ACCESS_KEY_ID")
    secret_key = os.environ.get("AWS_SECRET_ACCESS_KEY")
    token = os.environ.get("AWS_SESSION_TOKEN")
    expires = "AWS_CREDENTIAL_EXPIRATION" in os.environ
    if not is_on_lambda(profile) or expires or not (access_key and secret_key and token):
        return AwsCredentials(profile)
    return StaticCredentials(Credentials(access_key, secret_key, token))


def is_on_lambda(profile: str | None) -> bool:
    """Return whether this is a function on AWS Lambda that uses what Lambda configures."""
    others = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONFIG_FILE")
    configured = profile is not None or any(os.environ.get(name) for name in others)
    return ON_LAMBDA in os.environ and not configured


def credentials_for(endpoint: Endpoint) -> CredentialSource:
    """Return the default credentials for an endpoint.

    These are the credentials in the environment, else a fixed pair for this machine, else AWS's
    chain.
    """
    access_key = os.environ.get("AWS_ACCESS_KEY_ID")
    secret_key = os.environ.get("AWS_SECRET_ACCESS_KEY")
    if access_key and secret_key:
        token = os.environ.get("AWS_SESSION_TOKEN") or None
        return StaticCredentials(Credentials(access_key, secret_key, token))
    return LOCAL if endpoint.is_loopback else AwsCredentials()


def aws_session(profile: str | None = None) -> "Session":
    """Return a new botocore session, which reads AWS's configuration."""
    try:
        from botocore.session import Session  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise SettingsError(
            "AWS credentials, regions and endpoints need botocore: pip install 'sortkey[aws]'"
        ) from None
    return Session(profile=profile)
