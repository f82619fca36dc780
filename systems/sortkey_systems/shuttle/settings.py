"""The settings of the Inavor Shuttle."""

from importlib.util import find_spec
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from sortkey import Setting
from sortkey_systems.api.service_settings import SecretFieldSettings
from sortkey_systems.api.settings import Settings

HASH_KEY = Setting(
    "SHUTTLE_HASH_KEY",
    "The key of the hash that stands for an erased shop: a random text of at least 32 characters, "
    "which never changes",
    secret=True,
)
FORMER = Setting(
    "SHUTTLE_FORMER",
    "The SQLAlchemy URL of the store that sessions are moved from, until all of them are moved",
    secret=True,
)


def _readable(url: SecretStr | None) -> SecretStr | None:
    if url is not None and find_spec("sqlalchemy") is None:
        raise ValueError("must be read with SQLAlchemy: pip install 'sortkey-systems[shuttle]'")
    return url


class RetentionSettings(Settings):
    """The key of the hash that stands for an erased shop."""

    hash_key: Annotated[SecretStr, HASH_KEY]


class FormerSettings(Settings):
    """The store that sessions are moved from."""

    former: Annotated[SecretStr | None, AfterValidator(_readable), FORMER] = None


class ShuttleSettings(SecretFieldSettings, RetentionSettings, FormerSettings):
    """The settings of the Inavor Shuttle over HTTP."""

    hash_key: Annotated[SecretStr, Field(min_length=32), HASH_KEY]
