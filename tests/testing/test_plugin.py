"""The pytest plugin: test suites of users, run as users run them."""

import subprocess
import sys

import pytest
from tests.access.executors import EMBEDDED, PLACES

DESIGN = """
from sortkey import Entity, Table

class App(Table):
    pass

class Counter(Entity, table=App):
    name: str
    count: int = 0
    primary = App.primary.key("COUNTER#{name}", "COUNTER")
"""

CONFTEST = """
import pytest
from design import App

@pytest.fixture
def db(sortkey_open):
    return sortkey_open(App)
"""

SUITE = """
import asyncio
import pytest
from design import App, Counter

@pytest.mark.parametrize("again", [1, 2])
def test_it_begins_empty(db, again):
    assert db(Counter.scan()) == []
    db(Counter(name="a").create())
    assert [c.name for c in db(Counter.scan())] == ["a"]

def test_two_databases_of_a_test_are_two(sortkey_open, sortkey_target):
    if sortkey_target in {"memory", "file"}:
        one, other = sortkey_open(App), sortkey_open(App)
        one(Counter(name="a").create())
        assert other(Counter.scan()) == []

@pytest.mark.parametrize("again", [1, 2])
def test_code_that_awaits_begins_empty_too(sortkey_open_async, again):
    async def used():
        async with sortkey_open_async(App) as db:
            await db(Counter(name="a").create())
            return await db(Counter.scan())

    assert len(asyncio.run(used())) == 1
"""

RACE = """
from design import Counter

def test_counting(db, sortkey_explore):
    db(Counter(name="c").create())

    def careless():
        counter = db(Counter.get(name="c").required())
        db(Counter(name="c", count=counter.count + 1).put())

    sortkey_explore(
        careless,
        careless,
        db=db,
        invariant=lambda: db(Counter.get(name="c").required()).count == 2,
        crashes=False,
        lost_responses=False,
    )
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A user's test suite in its own folder."""
    # They would delay each suite by a second.
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:schemathesis -p no:hypothesispytest")
    pytester.makepyfile(design=DESIGN, test_app=SUITE)
    pytester.makeconftest(CONFTEST)
    pytester.syspathinsert()
    return pytester


@pytest.mark.parametrize("target", ["memory", "file", "serve"])
def test_a_database_is_empty_for_each_test(suite: pytest.Pytester, target: str) -> None:
    result = suite.runpytest_subprocess("--sortkey-target", target)

    result.assert_outcomes(passed=5)


@pytest.mark.parametrize("place", [place for place in PLACES if place not in EMBEDDED])
def test_a_suite_runs_on_a_server_that_is_there(
    suite: pytest.Pytester, place: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(f"{place}_url")

    result = suite.runpytest_subprocess("--sortkey-target", url)

    result.assert_outcomes(passed=5)


@pytest.mark.parametrize("target", ["https://dynamodb.eu-west-1.amazonaws.com", "aws", "memry"])
def test_what_is_not_on_this_machine_is_refused(suite: pytest.Pytester, target: str) -> None:
    result = suite.runpytest_subprocess("--sortkey-target", target)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*so the target must be on this machine: memory*"])


def test_workers_do_not_share_a_server(suite: pytest.Pytester) -> None:
    result = suite.runpytest_subprocess("-n", "2", "--sortkey-target", "http://127.0.0.1:1")

    assert result.ret != 0
    result.stderr.fnmatch_lines(["*workers would empty each other's tables*"])


def test_a_race_is_shown_and_run_again_by_its_schedule(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_app=RACE)

    found = suite.runpytest_subprocess()
    again = suite.runpytest_subprocess("--sortkey-schedule", "A2B2")

    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*the invariant does not hold*", "*--sortkey-schedule*"])
    # The traceback ends in the test.
    found.stdout.no_fnmatch_line("*exploration.py:*")
    again.assert_outcomes(passed=1)


def test_a_race_is_not_explored_elsewhere(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_app=RACE)

    suite.runpytest_subprocess("--sortkey-target", "file").assert_outcomes(skipped=1)


STORM = """
import asyncio
import pytest
from design import App, Counter
from sortkey import Retries
from sortkey.testing import clock

FEW = Retries(attempts=1)

def write_often(db):
    with clock(lambda: 1e9):
        for _ in range(150):
            db(Counter(name="a").put())

@pytest.mark.weather("small-partitions")
def test_in_bad_weather(sortkey_open):
    with pytest.raises(Exception, match="Throughput exceeds"):
        write_often(sortkey_open(App, retries=FEW))

@pytest.mark.weather("small-partitions")
def test_awaited_in_bad_weather(sortkey_open_async):
    async def used():
        async with sortkey_open_async(App, retries=FEW) as db:
            with clock(lambda: 1e9):
                for _ in range(150):
                    await db(Counter(name="a").put())

    with pytest.raises(Exception, match="Throughput exceeds"):
        asyncio.run(used())

def test_in_fair_weather(sortkey_open):
    write_often(sortkey_open(App, retries=FEW))
"""


def test_a_test_has_the_weather_of_its_mark(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_app=STORM)

    suite.runpytest_subprocess("--strict-markers").assert_outcomes(passed=3)
    suite.runpytest_subprocess("--sortkey-target", "file").assert_outcomes(passed=1, skipped=2)


def test_a_scenario_can_be_a_file_beside_the_test(suite: pytest.Pytester) -> None:
    suite.path.joinpath("storm.toml").write_text("partition_writes = 100\n")
    folder = suite.mkdir("near")
    folder.joinpath("storm.toml").write_text("throttling = false\n")
    folder.joinpath("calm.toml").write_text("throttling = false\n")
    test = STORM[STORM.index("@pytest") : STORM.index("@pytest", STORM.index("@pytest") + 1)]
    head = STORM[: STORM.index("@pytest")]
    suite.makepyfile(test_far=head + test.replace("small-partitions", "storm.toml"))
    near = """
@pytest.mark.parametrize("name", [
    pytest.param("storm", marks=pytest.mark.weather("storm.toml")),
    pytest.param("calm", marks=pytest.mark.weather("calm.toml")),
])
def test_in_calm_weather(sortkey_open, name):
    write_often(sortkey_open(App, retries=FEW))
"""
    folder.joinpath("test_near.py").write_text(head + near)

    suite.runpytest_subprocess("near", "test_far.py").assert_outcomes(passed=3)


FAILING = """
import asyncio
from contextlib import suppress
import pytest
from design import App, Counter
from sortkey import Retries, ThrottlingException
from sortkey.testing import clock, weather_events

FEW = Retries(attempts=1)

@pytest.mark.weather("small-partitions")
def test_in_bad_weather(sortkey_open):
    db = sortkey_open(App, retries=FEW)
    with clock(lambda: 1e9):
        for _ in range(110):
            with suppress(ThrottlingException):
                db(Counter(name="a").put())
    assert {event.what for event in weather_events(db)} == {"TableWriteKeyRangeThroughputExceeded"}
    assert not "this test"

@pytest.mark.weather("small-partitions")
def test_awaited_in_bad_weather(sortkey_open_async):
    async def used():
        async with sortkey_open_async(App, retries=FEW) as db:
            with clock(lambda: 1e9):
                for _ in range(110):
                    with suppress(ThrottlingException):
                        await db(Counter(name="b").put())

    asyncio.run(used())
    assert not "this test"

@pytest.fixture
def filled(sortkey_open):
    db = sortkey_open(App, retries=FEW)
    with clock(lambda: 1e9):
        for _ in range(110):
            db(Counter(name="c").put())

@pytest.mark.weather("small-partitions")
def test_of_a_fixture_that_fails(filled):
    pass

def test_in_fair_weather(sortkey_open):
    db = sortkey_open(App)
    db(Counter(name="a").put())
    assert weather_events(db) == []
    assert not "this test"
"""


def test_a_failed_test_shows_what_the_weather_did(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_app=FAILING)

    result = suite.runpytest_subprocess()

    result.assert_outcomes(failed=3, errors=1)
    shown = [line for line in result.outlines if line.startswith("request ")]
    assert result.stdout.str().count("- weather -") == 3
    assert shown
    assert all("PutItem" in line and "KeyRangeThroughputExceeded" in line for line in shown)


@pytest.mark.parametrize("mark", ["weather", "weather(1)", 'weather("fair", 2)'])
def test_a_mark_without_a_scenario_is_refused(suite: pytest.Pytester, mark: str) -> None:
    suite.makepyfile(
        test_app=f"import pytest\n\n@pytest.mark.{mark}\ndef test_it(sortkey_open): pass\n"
    )

    result = suite.runpytest_subprocess()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(['*write @pytest.mark.weather("hot-day")*'])


UNRUN = """
from design import Counter

def test_forgotten(db):
    Counter(name="a").create()

def test_run(db):
    db(Counter(name="a").create())
"""


@pytest.mark.parametrize("workers", ["0", "2"])
def test_writes_that_were_never_run_are_reported(suite: pytest.Pytester, workers: str) -> None:
    suite.makepyfile(test_app=UNRUN)

    result = suite.runpytest_subprocess("--sortkey-unrun", "report", "-n", workers)

    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "*writes that were created and never run*",
            "test_app.py:4: <Put Counter*> (test_app.py::test_forgotten)",
        ]
    )


def test_a_write_that_was_never_run_can_fail_its_test(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_app=UNRUN)
    suite.makeini("[pytest]\nsortkey_unrun = fail")

    suite.runpytest_subprocess().assert_outcomes(passed=1, failed=1)


def test_another_word_for_it_is_refused(suite: pytest.Pytester) -> None:
    suite.makeini("[pytest]\nsortkey_unrun = loud")

    result = suite.runpytest_subprocess()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*sortkey_unrun = loud: set it to report or fail*"])


def test_a_suite_that_does_not_use_it_does_not_wait_for_it() -> None:
    code = "import sys, sortkey.testing.plugin; print('pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert ran.stdout == "False\n"
