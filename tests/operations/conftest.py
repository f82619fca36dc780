"""A fixed clock while operations are created."""

from collections.abc import Iterator

import pytest
from tests.operations.conversation import NOW

from sortkey.clock import clock


@pytest.fixture(autouse=True)
def _still() -> Iterator[None]:
    with clock(lambda: NOW):
        yield
