"""Time stands still while operations are built."""

from collections.abc import Iterator

import pytest
from tests.operations.conversation import NOW

from sortkey.operations.clock import clock


@pytest.fixture(autouse=True)
def _still() -> Iterator[None]:
    with clock(lambda: NOW):
        yield
