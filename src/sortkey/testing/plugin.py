"""The pytest plugin: fresh databases for tests, wherever the suite is told to run.

    @pytest.fixture
    def db(sortkey_open):
        return sortkey_open(App)

Everything else of sortkey is imported by the fixtures, so that other suites do not wait for it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sortkey.access.async_db import AsyncDB
    from sortkey.access.db import DB
    from sortkey.testing.databases import Databases
    from sortkey.testing.exploration import Exploration

_TARGETS = (
    "memory (the default), file (one for each test), serve (a `sortkey serve` of the suite's own), "
    "or the URL of a DynamoDB on this machine, such as DynamoDB Local, whose tables are emptied"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Say what can be set."""
    group = parser.getgroup("sortkey")
    group.addoption("--sortkey-target", metavar="TARGET", help=f"where databases are: {_TARGETS}")
    group.addoption(
        "--sortkey-schedule",
        metavar="ID",
        help="explore only this schedule, which a failed exploration named",
    )
    parser.addini("sortkey_target", f"where the tests' databases are: {_TARGETS}", default="memory")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what cannot work before any test runs."""
    target = _named_target(config)
    if target in {"memory", "file", "serve"}:
        return
    if not _is_here(target):
        raise pytest.UsageError(
            f"--sortkey-target {target}: tests empty their tables, so they run on this machine "
            f"only: {_TARGETS}"
        )
    if config.getoption("numprocesses", default=None):
        raise pytest.UsageError(
            f"--sortkey-target {target}: with -n, workers would empty each other's tables; use "
            "serve, which gives each worker a server, or leave out -n"
        )


def _is_here(url: str) -> bool:
    from sortkey.access.endpoint import Endpoint, SettingsError  # noqa: PLC0415 - see the module

    try:
        return Endpoint.parse(url).is_loopback
    except SettingsError:
        return False


def _named_target(config: pytest.Config) -> str:
    return config.getoption("--sortkey-target") or config.getini("sortkey_target")


@pytest.fixture(scope="session")
def sortkey_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the databases of this suite are: memory, file or a URL."""
    target = _named_target(request.config)
    if target != "serve":
        yield target
        return
    from sortkey.testing.databases import served  # noqa: PLC0415 - see the module

    with served() as url:
        yield url


@pytest.fixture
def sortkey_databases(sortkey_target: str, tmp_path: Path) -> "Iterator[Databases]":
    """The databases of one test."""
    from sortkey.testing.databases import Databases  # noqa: PLC0415 - see the module

    databases = Databases(sortkey_target, tmp_path)
    yield databases
    databases.close()


@pytest.fixture
def sortkey_open(sortkey_databases: "Databases") -> "Callable[..., DB]":
    """Open a database with these tables, empty: ``sortkey_open(App)``."""
    return sortkey_databases.open


@pytest.fixture
def sortkey_open_async(sortkey_databases: "Databases") -> "Callable[..., AsyncDB]":
    """The same for code that awaits, which closes it by ``async with``."""
    return sortkey_databases.open_async


@pytest.fixture
def sortkey_explore(
    request: pytest.FixtureRequest, sortkey_target: str
) -> "Callable[..., Exploration]":
    """`sortkey.testing.explore`, which ``--sortkey-schedule`` keeps to one schedule.

    It needs a database in memory, so on any other target the test is skipped.
    """
    from sortkey.testing.exploration import ExplorationFailed, explore  # noqa: PLC0415 - see the module

    if sortkey_target != "memory":
        pytest.skip("an exploration needs a database in memory")
    one_or_all = partial(explore, replay=request.config.getoption("--sortkey-schedule"))

    def explored(*calls: Callable[[], Any], **settings: Any) -> "Exploration":
        try:
            return one_or_all(*calls, **settings)
        except ExplorationFailed as failed:
            failed.add_note(f"Or give pytest --sortkey-schedule '{failed.schedule}'.")
            raise

    return explored
