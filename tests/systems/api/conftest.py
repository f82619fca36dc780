"""An issuer for each test that needs one."""

from collections.abc import Iterator

import pytest
from tests.systems.api.issuer import Issuer, running_issuer


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running_issuer() as running:
        yield running
