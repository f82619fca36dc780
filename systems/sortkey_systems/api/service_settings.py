"""The settings that the systems have in common: whose tokens they take, and how they serve."""

import re
from ipaddress import ip_network
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from sortkey import Keyring, KmsKey, LocalKey, SettingsError
from sortkey_systems.api.addresses import Address
from sortkey_systems.api.callers import RoleClaims
from sortkey_systems.api.rates import RequestRate, RequestRates
from sortkey_systems.api.settings import Settings, Words
from sortkey_systems.api.variables import (
    ACCESS_LOG,
    ADDRESS_BURST,
    ADDRESS_PER_SECOND,
    ALLOWED_HOSTS,
    ALLOWED_ORIGINS,
    AUDIENCE,
    CALLER_BURST,
    CALLER_PER_SECOND,
    CURSOR_SECRET,
    ENVIRONMENT,
    ISSUER,
    JWKS_URL,
    KEYS,
    LOG_FORMAT,
    LOG_LEVEL,
    RATE_LIMIT,
    ROLES_CLAIM,
    TARGET,
    TOKEN_ALGORITHMS,
    TRUSTED_PROXIES,
)

Algorithm: TypeAlias = Literal["RS256", "ES256"]

_HOST = re.compile(r"(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*|\*", re.ASCII)
_ORIGIN = re.compile(r"https://[^/\s@]+|http://(localhost|127\.0\.0\.1)(:\d+)?|\*", re.ASCII)


def _hosts(words: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(_HOST.fullmatch, words)):
        raise ValueError("must have hosts without a port, such as api.example.org")
    return words


def _origins(words: tuple[str, ...]) -> tuple[str, ...]:
    if not all(map(_ORIGIN.fullmatch, words)):
        raise ValueError("must have origins without a path, such as https://app.example.org")
    return words


def _networks(words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        try:
            ip_network(word)
        except ValueError:
            raise ValueError("must have addresses or networks, such as 10.0.0.0/16") from None
    return words


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def keyring_of(secret: SecretStr) -> Keyring:
    """Return the keyring with the keys in a text.

    Raises:
        ValueError: It has no keys, or one of them is wrong; the message has no part of the text.
    """
    entries = [word.partition("=")[::2] for word in secret.get_secret_value().split()]
    if not entries or not all(name and where for name, where in entries):
        raise ValueError("must have keys as NAME=TEXT or NAME=kms:KEY, separated by spaces")
    try:
        return Keyring(*(_key(name, where) for name, where in entries))
    except SettingsError:
        raise ValueError(
            "must have keys with different names, each the text of a local key or kms: and a key"
        ) from None


def _key(name: str, where: str) -> KmsKey | LocalKey:
    scheme, is_elsewhere, key_id = where.partition(":")
    if is_elsewhere and scheme == "kms":
        return KmsKey(name, key_id)
    return LocalKey.from_text(name, where)


def _not_blank(secret: SecretStr | None) -> SecretStr | None:
    if secret is not None and not secret.get_secret_value().split():
        raise ValueError("must have a secret")
    return secret


def _checked_keys(secret: SecretStr) -> SecretStr:
    keyring_of(secret)
    return secret


_Positive = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=1, le=10**9)]


class IdentitySettings(Settings):
    """Whose tokens a system takes, and where it finds the keys to verify them."""

    issuer: Annotated[Address, ISSUER]
    audience: Annotated[Words, Field(min_length=1), AUDIENCE]
    token_algorithms: Annotated[
        tuple[Algorithm, ...], BeforeValidator(str.split), Field(min_length=1), TOKEN_ALGORITHMS
    ]
    jwks_url: Annotated[Address | None, JWKS_URL] = None
    roles_claim: Annotated[str, ROLES_CLAIM]

    @property
    def claims(self) -> RoleClaims:
        """The names of the claims with roles."""
        return RoleClaims(self.roles_claim)


class ServiceSettings(IdentitySettings):
    """The settings of every system that is served over HTTP."""

    environment: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,64}$"), ENVIRONMENT]
    target: Annotated[str, TARGET]
    cursor_secret: Annotated[SecretStr | None, AfterValidator(_not_blank), CURSOR_SECRET] = None
    rate_limit: Annotated[bool, RATE_LIMIT]
    caller_per_second: Annotated[_Positive, CALLER_PER_SECOND]
    caller_burst: Annotated[_Count, CALLER_BURST]
    address_per_second: Annotated[_Positive, ADDRESS_PER_SECOND]
    address_burst: Annotated[_Count, ADDRESS_BURST]
    allowed_hosts: Annotated[Words, AfterValidator(_hosts), ALLOWED_HOSTS] = ()
    allowed_origins: Annotated[Words, AfterValidator(_origins), ALLOWED_ORIGINS] = ()
    trusted_proxies: Annotated[Words, AfterValidator(_networks), TRUSTED_PROXIES] = ()
    log_level: Annotated[
        Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper), LOG_LEVEL
    ]
    log_format: Annotated[Literal["text", "json"], LOG_FORMAT]
    access_log: Annotated[bool, ACCESS_LOG]

    @property
    def rates(self) -> RequestRates | None:
        """The rates of requests, or None if nothing is limited."""
        if not self.rate_limit:
            return None
        return RequestRates(
            caller=RequestRate(self.caller_per_second, self.caller_burst),
            address=RequestRate(self.address_per_second, self.address_burst),
        )

    @property
    def cursor_secrets(self) -> list[str] | None:
        """The secrets of cursors, of which the first one encrypts."""
        secret = self.cursor_secret
        return None if secret is None else secret.get_secret_value().split()

    @property
    def keyring(self) -> Keyring | None:
        """The keys of secret fields; None for a system without such fields."""
        return None


class SecretFieldSettings(ServiceSettings):
    """The settings of a system with secret fields."""

    keys: Annotated[SecretStr, AfterValidator(_checked_keys), KEYS]

    @property
    def keyring(self) -> Keyring | None:
        """The keys of secret fields."""
        return keyring_of(self.keys)
