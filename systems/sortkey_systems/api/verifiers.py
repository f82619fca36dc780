"""The verifier of the tokens that settings describe."""

from functools import partial

from sortkey_systems.api.issuer_keys import IssuerKeys, keys_at, keys_of
from sortkey_systems.api.service_settings import IdentitySettings
from sortkey_systems.api.verifying import Verifier


def verifier_of(settings: IdentitySettings) -> Verifier:
    """Return the verifier of the tokens of an issuer; it fetches keys when they are needed."""
    address = settings.jwks_url
    fetch = partial(keys_of, settings.issuer) if address is None else partial(keys_at, address)
    return Verifier(
        IssuerKeys(fetch),
        issuer=settings.issuer,
        audiences=settings.audience,
        algorithms=settings.token_algorithms,
        claims=settings.claims,
    )
