"""A database with a key."""

from collections.abc import Callable

import pytest
from tests.access.secrets.design import OLD, Safe

from sortkey import (
    DB,
    Keyring,
)


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    return opened(Safe, secrets=Keyring(OLD))
