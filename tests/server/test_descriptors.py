import sys

import pytest

from sortkey.server.connections import MOST_CONNECTIONS
from sortkey.server.descriptors import most_connections, raise_limit

if sys.platform == "win32":
    pytest.skip("Windows has no such limit", allow_module_level=True)

import resource


class FakeLimit:
    """The limit of open files, kept from the process that runs the tests."""

    def __init__(self, soft: int, hard: int) -> None:
        self.limits = (soft, hard)

    def getrlimit(self, _: int) -> tuple[int, int]:
        return self.limits

    def setrlimit(self, _: int, limits: tuple[int, int]) -> None:
        self.limits = limits


@pytest.fixture
def limit(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> FakeLimit:
    fake = FakeLimit(*request.param)
    monkeypatch.setattr(resource, "getrlimit", fake.getrlimit)
    monkeypatch.setattr(resource, "setrlimit", fake.setrlimit)
    return fake


@pytest.mark.parametrize(
    ("limit", "raised", "connections"),
    [
        ((256, 256), 256, 192),
        ((256, 4096), 4096, 4032),
        ((1024, 1_048_576), MOST_CONNECTIONS + 64, MOST_CONNECTIONS),
        ((256, resource.RLIM_INFINITY), MOST_CONNECTIONS + 64, MOST_CONNECTIONS),
        ((65_536, 65_536), 65_536, MOST_CONNECTIONS),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), resource.RLIM_INFINITY, 10_000),
        ((20, 20), 20, 10),
    ],
    indirect=["limit"],
)
def test_connections_leave_descriptors_for_the_database(
    limit: FakeLimit, raised: int, connections: int
) -> None:
    hard = limit.limits[1]

    raise_limit()

    assert limit.limits == (raised, hard)
    assert most_connections() == connections
