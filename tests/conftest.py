"""What every test may lean on: a served engine, and no silent skip where all is installed."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says nothing on a busy machine.
settings.register_profile("sortkey", deadline=None)
settings.load_profile("sortkey")

IN_CI = os.environ.get("CI") == "true"


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


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[..., tuple[subprocess.Popen[str], int]]]:
    """Start `sortkey serve` with these options on a free port; gives the process and its port.

    Each process leads a group of its own, so that killing the group takes its workers too. What
    still runs at the end is ended here.
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
