"""The pytest plugin: empty databases for tests, on the target that the suite is configured for.

    @pytest.fixture
    def db(sortkey_open):
        return sortkey_open(App)

The fixtures import the rest of sortkey, so that it does not slow down other test suites.
"""

from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sortkey.access.async_db import AsyncDB
    from sortkey.access.db import DB
    from sortkey.explore.exploration import Exploration
    from sortkey.testing.databases import Databases

_TARGETS = (
    "memory (the default), file (one for each test), serve (a `sortkey serve` for the suite), or "
    "the URL of a DynamoDB on this machine, such as DynamoDB Local, whose tables are emptied"
)
_PROPERTY = "sortkey_unrun"
# The databases of a test, as soon as it has any.
_DATABASES: "pytest.StashKey[Databases]" = pytest.StashKey()
# The last of what the weather did is shown when a test fails.
_SHOWN_EVENTS = 20
_HEADING = "writes that were created and never run"
_UNRUN = {
    "report": "list them at the end",
    "fail": "fail the test that created one",
}
_MEANS = " or ".join(f"{name} ({meaning})" for name, meaning in _UNRUN.items())


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("sortkey")
    group.addoption("--sortkey-target", metavar="TARGET", help=f"target of databases: {_TARGETS}")
    group.addoption(
        "--sortkey-schedule",
        metavar="ID",
        help="explore only this schedule, from the message of a failed exploration",
    )
    group.addoption("--sortkey-unrun", choices=[*_UNRUN], help=f"{_HEADING}: {_MEANS}")
    parser.addini("sortkey_unrun", f"{_HEADING}: {_MEANS}", default="")
    parser.addini("sortkey_target", f"target of the tests' databases: {_TARGETS}", default="memory")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the plugin's mark, and reject invalid settings before any test runs."""
    config.addinivalue_line(
        "markers", "weather(scenario): open the test's databases in this weather, in memory"
    )
    if _unrun(config) not in {"", *_UNRUN}:
        raise pytest.UsageError(
            f"sortkey_unrun = {_unrun(config)}: set it to report or fail, or remove it"
        )
    target = _named_target(config)
    if target in {"memory", "file", "serve"}:
        return
    if not _is_here(target):
        raise pytest.UsageError(
            f"--sortkey-target {target}: tests empty their tables, so the target must be on this "
            f"machine: {_TARGETS}"
        )
    if config.getoption("numprocesses", default=None):
        raise pytest.UsageError(
            f"--sortkey-target {target}: with -n, workers would empty each other's tables; use "
            "serve, which starts a server for each worker, or remove -n"
        )


def _is_here(url: str) -> bool:
    from sortkey.access.endpoint import Endpoint, SettingsError  # noqa: PLC0415 - see the module

    try:
        return Endpoint.parse(url).is_loopback
    except SettingsError:
        return False


def _named_target(config: pytest.Config) -> str:
    return config.getoption("--sortkey-target") or config.getini("sortkey_target")


def _unrun(config: pytest.Config) -> str:
    return config.getoption("--sortkey-unrun") or config.getini("sortkey_unrun")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the writes that a test creates, if ``sortkey_unrun`` is set."""
    mode = _unrun(item.config)
    if not mode:
        return (yield)
    from sortkey.testing.unrun import watched  # noqa: PLC0415 - see the module

    with watched() as writes:
        result = yield
    unrun = [one.shown_from(item.config.rootpath) for one in writes.unrun()]
    item.user_properties += [(_PROPERTY, line) for line in unrun]
    if unrun and mode == "fail":
        pytest.fail("\n".join((_HEADING, *unrun)), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed test or fixture what the weather did to its requests."""
    report = yield
    databases = item.stash.get(_DATABASES, None)
    if call.when != "teardown" and report.failed and databases is not None:
        events = databases.weather_events()
        if events:
            lines = [event.shown() for event in events[-_SHOWN_EVENTS:]]
            more = len(events) - len(lines)
            earlier = (
                [f"{more:,} earlier events, see sortkey.testing.weather_events"] if more else []
            )
            report.sections.append(("weather", "\n".join((*earlier, *lines))))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the writes that tests created and never ran."""
    found = [
        (report.nodeid, line)
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, line in report.user_properties
        if name == _PROPERTY
    ]
    if found:
        terminalreporter.section(_HEADING)
    for test, line in found:
        terminalreporter.line(f"{line} ({test})")


@pytest.fixture(scope="session")
def sortkey_target(request: pytest.FixtureRequest) -> Iterator[str]:
    """The target of this suite's databases: memory, file or a URL."""
    target = _named_target(request.config)
    if target != "serve":
        yield target
        return
    from sortkey.testing.databases import served  # noqa: PLC0415 - see the module

    with served() as url:
        yield url


@pytest.fixture
def sortkey_databases(
    request: pytest.FixtureRequest, sortkey_target: str, tmp_path: Path
) -> "Iterator[Databases]":
    """The databases of one test, which `sortkey_open` and `sortkey_open_async` open.

    With ``@pytest.mark.weather("hot-day")`` they have this weather, which needs databases in
    memory, so the test is skipped on any other target. A file such as ``"storm.toml"`` is searched
    for beside the test, then in the current folder.
    """
    from sortkey.testing.databases import Databases  # noqa: PLC0415 - see the module

    weather = _weather_of(request)
    if weather is not None and sortkey_target != "memory":
        pytest.skip("weather needs a database in memory")
    databases = request.node.stash[_DATABASES] = Databases(sortkey_target, tmp_path, weather)
    yield databases
    databases.close()


def _weather_of(request: pytest.FixtureRequest) -> str | None:
    mark = request.node.get_closest_marker("weather")
    if mark is None:
        return None
    match mark.args, mark.kwargs:
        case (str(scenario),), {}:
            beside = request.path.with_name(scenario)
            return str(beside) if scenario.endswith(".toml") and beside.exists() else scenario
        case _:
            raise pytest.UsageError('write @pytest.mark.weather("hot-day"), with one scenario')


@pytest.fixture
def sortkey_open(sortkey_databases: "Databases") -> "Callable[..., DB]":
    """Open a database with these tables, which are empty: ``sortkey_open(App)``."""
    return sortkey_databases.open


@pytest.fixture
def sortkey_open_async(sortkey_databases: "Databases") -> "Callable[..., AsyncDB]":
    """Open an empty database for async code, which must close it with ``async with``."""
    return sortkey_databases.open_async


@pytest.fixture
def sortkey_explore(
    request: pytest.FixtureRequest, sortkey_target: str
) -> "Callable[..., Exploration]":
    """Run `sortkey.testing.explore`, with ``--sortkey-schedule`` for one schedule only.

    It needs a database in memory, so the test is skipped on any other target.
    """
    from sortkey.explore.exploration import ExplorationFailed, explore  # noqa: PLC0415 - see the module

    if sortkey_target != "memory":
        pytest.skip("an exploration needs a database in memory")
    one_or_all = partial(explore, replay=request.config.getoption("--sortkey-schedule"))

    def explored(*calls: Callable[[], Any], **settings: Any) -> "Exploration":
        __tracebackhide__ = True
        try:
            return one_or_all(*calls, **settings)
        except ExplorationFailed as failed:
            failed.add_note(f"Or run pytest with --sortkey-schedule '{failed.schedule}'.")
            raise

    return explored
