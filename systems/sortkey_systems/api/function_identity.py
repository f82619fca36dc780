"""The caller of a function on AWS Lambda, if no authorizer of API Gateway verifies tokens.

An authorizer verifies RS256 only; of an API with other tokens, the function verifies them. Which of
them does is a setting: nothing that a caller sends can change it.
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from sortkey_systems.api.callers import Caller, NotSignedIn
from sortkey_systems.api.settings import ON_LAMBDA, Settings
from sortkey_systems.api.variables import TOKENS_VERIFIED_BY

if TYPE_CHECKING:
    from sortkey_systems.api.service_settings import IdentitySettings
    from sortkey_systems.api.verifying import Verifier


class FunctionIdentity(Settings):
    """Who verifies tokens; with ``application``, the function needs `IdentitySettings` too."""

    tokens_verified_by: Annotated[Literal["gateway", "application"], TOKENS_VERIFIED_BY]


def is_verified_here() -> bool:
    """Return whether the function verifies tokens itself."""
    return FunctionIdentity.current().tokens_verified_by == "application"


def verified_caller(headers: Mapping[str, Any]) -> Caller:
    """Return the caller that the token in the headers of an event identifies.

    Raises:
        NotSignedIn: There is no token, or it is not valid here.
        IssuerUnavailable: The keys of the issuer cannot be fetched.
    """
    # HTTP APIs write names in lower case, and REST APIs as the caller did.
    values = [value for name, value in headers.items() if name.lower() == "authorization"]
    value: object = values[0] if len(values) == 1 else None
    scheme, _, token = value.partition(" ") if isinstance(value, str) else ("", "", "")
    if scheme.lower() != "bearer" or not token:
        raise NotSignedIn("send a token in the header Authorization: Bearer ...")
    return _verifier().read(token.strip())


_VERIFIERS: "dict[IdentitySettings, Verifier]" = {}


def _verifier() -> "Verifier":
    # Imported only where it is needed: behind an authorizer, a function starts without it.
    from sortkey_systems.api.service_settings import IdentitySettings  # noqa: PLC0415
    from sortkey_systems.api.verifiers import verifier_of  # noqa: PLC0415

    settings = IdentitySettings.current()
    if settings not in _VERIFIERS:
        _VERIFIERS[settings] = verifier_of(settings)
    return _VERIFIERS[settings]


if ON_LAMBDA in os.environ and is_verified_here():
    # While the function starts: wrong settings end it, and the keys are there for its first call.
    _verifier().prepare()
