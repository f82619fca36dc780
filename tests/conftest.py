"""Fixtures for all tests: a served engine, and no silent skip where everything is installed."""

import gc
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

# The time of an example is meaningless on a busy machine. Every run draws new examples, so that
# fifty at a time test a law as well as a hundred; only a merge is decided by the same ones each
# time, so that a law that was already broken does not stop a change that has nothing to do with it.
settings.register_profile("new", deadline=None, max_examples=50)
settings.register_profile("same", settings.get_profile("new"), derandomize=True, database=None)
settings.load_profile(os.environ.get("SORTKEY_TEST_EXAMPLES", "new"))

# Tests talk to their own servers on this machine, without a proxy.
_DIRECTLY = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
os.environ["no_proxy"] = f"{_DIRECTLY},localhost,127.0.0.1"

IN_CI = os.environ.get("CI") == "true"

# The library of Amazon Ion has no wheel for the newest Python; see requirements/dev.in.
_HAS_ION = sys.version_info < (3, 14) or find_spec("amazon") is not None
collect_ignore = [] if _HAS_ION else ["engine/formats/test_ion.py"]

# Servers that take seconds to start: tests use them only in `make acceptance`.
_ELSEWHERE = {"local", "postgresql"}
# The systems use the data access, all of whose tests run in all of these places. Beside memory,
# `.ci/run` has each test of a system in one of the first two; `.ci/full` has it in all of them.
_TAKEN_BY_TURNS = ("asynchronous", "local")
_ELSEWHERE_OF_SYSTEMS = {*_ELSEWHERE, *_TAKEN_BY_TURNS, "http"}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from going through all tests again and again.

    What is collected stays until the end: eighteen thousand tests and the modules of all systems,
    a second for each look at them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow tests, and tests on other databases, into the second tier; run the longest first."""
    if not _HAS_ION:
        items[:] = [item for item in items if item.get_closest_marker("ion") is None]
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    for item in items:
        is_of_system = "tests/systems/" in item.nodeid
        elsewhere = _ELSEWHERE_OF_SYSTEMS if is_of_system else _ELSEWHERE
        places = elsewhere.intersection(_places_of(item))
        if is_of_system and not places <= {"postgresql", _turn_of(item, places)}:
            item.add_marker(pytest.mark.slow)
        if places or item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.acceptance)


def _turn_of(item: pytest.Item, places: set[str]) -> str:
    """Return the place in which `.ci/run` has this test: the same one in each run and process."""
    name = "-".join(part for part in re.split(r"[\[\]-]", item.nodeid) if part not in places)
    return _TAKEN_BY_TURNS[crc32(name.encode()) % len(_TAKEN_BY_TURNS)]


def _places_of(item: pytest.Item) -> Iterator[str]:
    """Return the databases on which a test runs, among its other text parameters."""
    if "local_url" in getattr(item, "fixturenames", ()):
        yield "local"
    called = getattr(item, "callspec", None)
    if called is not None:
        yield from (value for value in called.params.values() if isinstance(value, str))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, where everything must run: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, where everything must run: {report.longrepr}"
    return report


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep interpreters that the test starts from loading the coverage tool."""
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., tuple[subprocess.Popen[str], int]]]:
    """Start `sortkey serve` with these options on a free port; return the process and its port.

    Each process leads its own group, so that killing the group stops its workers too. Processes
    that still run at the end are stopped here.
    """
    started: list[subprocess.Popen[str]] = []

    def start(*options: str, under: tuple[str, ...] = ()) -> tuple[subprocess.Popen[str], int]:
        sortkey = str(Path(sys.executable).with_name("sortkey"))
        process = subprocess.Popen(
            [*under, sortkey, "serve", "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout
        said = ""
        for line in process.stdout:
            said += line
            if address := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                return process, int(address[1])
        pytest.fail(f"sortkey serve ended before it answered:\n{said}")

    yield start

    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(timeout=10)
        if process.stdout:
            process.stdout.close()
