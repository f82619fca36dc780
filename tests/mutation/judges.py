"""Who may notice a fault: `check`, the tests of the system in memory, and `prove`."""

import gc
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.access.executors import PLACES
from tests.mutation.lines import NO_TEST, Lines
from tests.mutation.mutants import PACKAGE

from sortkey.check.runner import check
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.loader import LoadError, load_design
from sortkey.prove.runner import ASPECTS, Aspect
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings

# A page that says what the code says notices every change, right or wrong.
_NOT_ASKED = ("test_page.py",)
_LEAST_SECONDS = 5
_TIMES_AS_LONG = 3
_ELSEWHERE = {"serve", "http_url", "local_url"}


class NotRun(Exception):  # noqa: N818 - it says what is the matter
    """The tests could not be run, so that they say nothing."""


def design_of(system: str, copy: Path) -> Design:
    """The design of a system, as a copy has it."""
    folder = copy / PACKAGE / system
    return load_design(folder / "design" if (folder / "design").is_dir() else folder / "design.py")


def findings(system: str, copy: Path) -> str | None:
    """What `check` says, or Python where the design cannot be imported; None where nothing.

    Whatever weight it has: of a system without faults nothing is said at all.
    """
    try:
        report = check(design_of(system, copy))
    except LoadError as error:
        return f"refused: {error}"[:300]
    first = min(report.open, key=lambda found: found.weight.rank, default=None)
    if first is None:
        return None
    return f"{first.code} {first.name}: {first.where}"


def verdicts(design: Design, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What `prove --quick` says of these patterns and entities: aspect and name, and outcome."""
    how = ProofSettings(0, QUICK, Strategies(design.modules, {}))
    subjects = [(a, subject) for a in ASPECTS for subject in a.subjects(design)]
    for name in names:
        for aspect, subject in subjects:
            if subject.name == name:
                yield f"{aspect.name} {name}", _outcome(aspect, subject, design, how)


def _outcome(aspect: Aspect, subject: Any, design: Design, how: ProofSettings) -> str:
    try:
        return aspect.judge(subject, design, how).outcome.value
    except Exception:  # noqa: BLE001 - a verdict that cannot be reached is none, for whatever reason
        return "error"


@dataclass(eq=False)
class InMemory:
    """A pytest plugin: tests of a system, where they run in memory.

    With ``seconds``, these tests in this order; one that takes many times as long ends the process.
    """

    system: str
    seconds: Mapping[str, float] | None = None
    failed: str | None = None
    ran: dict[str, float] = field(default_factory=dict[str, float])
    lines: Lines | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep those that are asked for, in the order in which they are."""
        kept = [item for item in items if _is_in_memory(item, self.system)]
        if self.seconds is not None:
            order = list(self.seconds)
            asked = (item for item in kept if item.nodeid in self.seconds)
            kept = sorted(asked, key=lambda item: order.index(item.nodeid))
        items[:] = kept

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Lines that run from here on are this test's."""
        if self.lines is not None:
            self.lines.switch_to(nodeid)
        if self.seconds is not None:
            longest = _LEAST_SECONDS + _TIMES_AS_LONG * self.seconds.get(nodeid, 0)
            # Of the processor's time: how busy the machine is says nothing about a fault.
            signal.setitimer(signal.ITIMER_PROF, longest)

    def pytest_runtest_logfinish(self) -> None:
        """Lines that run from here on are nobody's."""
        if self.lines is not None:
            self.lines.switch_to(NO_TEST)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep how long a test took, and the first that failed."""
        self.ran[report.nodeid] = self.ran.get(report.nodeid, 0) + report.duration
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module of tests that cannot be imported has failed."""
        if report.failed and self.failed is None:
            self.failed = report.nodeid


def _is_in_memory(item: pytest.Item, system: str) -> bool:
    if item.path.name in _NOT_ASKED or item.get_closest_marker("slow"):
        return False
    called = getattr(item, "callspec", None)
    params: dict[str, object] = called.params if called else {}
    if params.get("system", system) != system:
        return False
    # Whatever a test calls it.
    places = [value for value in params.values() if value in PLACES]
    if places:
        return places == ["memory"]
    return not _ELSEWHERE & set(getattr(item, "fixturenames", ()))


def warm_up(files: Sequence[str], root: Path) -> None:
    """Import all that the tests of these files do, for processes that are forked from this one."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        _run_pytest(["--collect-only"], files, root, [])
    gc.freeze()


def run_tests(files: Sequence[str], plugin: InMemory, root: Path) -> None:
    """Run tests of these files in this process until one fails."""
    ended = _run_pytest(["-x", "--hypothesis-seed=0"], files, root, [plugin])
    if not plugin.failed and ended is not pytest.ExitCode.OK:
        raise NotRun(f"pytest ended with {ended!r}")


def _run_pytest(
    options: Sequence[str], files: Sequence[str], root: Path, plugins: Sequence[object]
) -> int | pytest.ExitCode:
    # Nobody reads how an assertion failed, and to rewrite them all takes as long as many a test.
    arguments = ["-q", "-p", "no:cacheprovider", "--assert=plain", *options]
    # What the process before this one had open is closed whenever this one is tidied up.
    arguments += ["-W", "ignore::pytest.PytestUnraisableExceptionWarning"]
    arguments += [f"--rootdir={root}", "-c", str(root / "pyproject.toml")]
    return pytest.main([*arguments, *(str(root / file) for file in files)], plugins=list(plugins))
