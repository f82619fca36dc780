from dataclasses import replace
from pathlib import Path

import pytest

from sortkey.engine.weather import SCENARIOS, Fault, Scenario, ScenarioError, scenario


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_has_a_name(name: str) -> None:
    assert scenario(name).name == name


def test_hot_day_has_the_documented_numbers_of_the_service() -> None:
    assert scenario("hot-day") == Scenario(
        name="hot-day",
        throttling=True,
        partition_reads=3000,
        partition_writes=1000,
        on_demand_reads=12_000,
        on_demand_writes=4_000,
        burst_seconds=300,
        split_seconds=300,
    )


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        ScenarioError, match=r"no weather 'rain'; use one of fair, hot-day, .*, or the name"
    ):
        scenario("rain")


def test_the_name_that_was_probably_meant_is_shown() -> None:
    with pytest.raises(ScenarioError, match=r"no weather 'hot-dya'; did you mean hot-day\?$"):
        scenario("hot-dya")


def test_a_file_has_the_settings_that_differ(tmp_path: Path) -> None:
    file = tmp_path / "black-friday.toml"
    file.write_text("partition_writes = 50\nsplit_seconds = 0\n")

    found = scenario(str(file))

    assert found == Scenario(name="black-friday", partition_writes=50, split_seconds=0)


def test_a_file_has_faults(tmp_path: Path) -> None:
    file = tmp_path / "storm.toml"
    file.write_text(
        """
        throttling = false
        seed = 7

        [[faults]]
        kind = "lost-response"
        share = 0.02
        operations = ["PutItem", "UpdateItem"]
        tables = ["Orders"]

        [[faults]]
        kind = "latency"
        share = 1
        seconds = 0.2
        """
    )

    assert scenario(str(file)) == Scenario(
        name="storm",
        throttling=False,
        seed=7,
        faults=(
            Fault(
                kind="lost-response",
                share=0.02,
                operations=("PutItem", "UpdateItem"),
                tables=("Orders",),
            ),
            Fault(kind="latency", share=1, seconds=0.2),
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("share = 0.1", "there is no kind None; use one of error-before"),
        ("kind = 'lost'\nshare = 1", "there is no kind 'lost'"),
        ("kind = 'error-after'", "share must be a number from 0 to 1"),
        ("kind = 'error-after'\nshare = 1.5", "share must be a number from 0 to 1"),
        ("kind = 'error-after'\nshare = -1", "share must not be negative"),
        ("kind = 'error-after'\nshare = '1'", "share must be a number"),
        ("kind = 'error-after'\nshare = 1\ntables = 'a'", "tables must be a list of names"),
        ("kind = 'error-after'\nshare = 1\noperations = [1]", "operations must be a list of names"),
        (
            "kind = 'error-after'\nshare = 1\nseconds = 1",
            "only latency has seconds, not error-after",
        ),
        ("kind = 'latency'\nshare = 1", "latency needs seconds, a number that is more than 0"),
        ("kind = 'latency'\nshare = 1\nsecond = 1", "no setting second; did you mean seconds"),
    ],
)
def test_a_wrong_fault_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(f"[[faults]]\n{text}")

    with pytest.raises(ScenarioError, match=f"fault 1: .*{message}"):
        scenario(str(file))


@pytest.mark.parametrize("text", ["faults = 1", "faults = [1]", "seed = 1.5", "seed = true"])
def test_faults_are_tables_and_a_seed_is_a_whole_number(tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)

    with pytest.raises(ScenarioError, match=r"write .* table|must be a whole number"):
        scenario(str(file))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("partition_write = 50", "no setting partition_write; did you mean partition_writes?"),
        ("partition_writes = 'many'", "partition_writes must be a number"),
        ("partition_writes = -1", "must not be negative"),
        ("partition_writes = true", "partition_writes must be a number"),
        ("partition_reads = 0", "partition_reads must be more than 0"),
        ("partition_writes = 0.0", "partition_writes must be more than 0"),
        ("throttling = 1", "throttling must be true or false"),
        ("name = 7", "name must be text"),
        ("partition_writes = ", "cannot be read"),
    ],
)
def test_a_wrong_setting_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(text)

    with pytest.raises(ScenarioError, match=message.replace("?", "\\?")):
        scenario(str(file))


def test_a_file_can_be_like_another_scenario(tmp_path: Path) -> None:
    file = tmp_path / "monday.toml"
    file.write_text('like = "bad-network"\nseed = 5\n')

    assert scenario(str(file)) == replace(scenario("bad-network"), name="monday", seed=5)

    file.write_text('like = "bad-network"\n[[faults]]\nkind = "short-page"\nshare = 1\n')
    assert scenario(str(file)).faults == (Fault(kind="short-page", share=1),)


@pytest.mark.parametrize("like", ['"rain"', "1", '"other.toml"'])
def test_a_file_is_like_a_named_scenario_only(tmp_path: Path, like: str) -> None:
    file = tmp_path / "monday.toml"
    file.write_text(f"like = {like}\n")

    with pytest.raises(ScenarioError, match="like must be one of fair, "):
        scenario(str(file))


def test_a_clock_can_be_behind(tmp_path: Path) -> None:
    file = tmp_path / "monday.toml"
    file.write_text("clock_ahead_seconds = -30\n")

    assert scenario(str(file)).clock_ahead_seconds == -30


@pytest.mark.parametrize("seconds", ["1e9", "-1e9", "nan", "-inf"])
def test_a_clock_is_ahead_by_a_year_at_most(tmp_path: Path, seconds: str) -> None:
    file = tmp_path / "monday.toml"
    file.write_text(f"clock_ahead_seconds = {seconds}\n")

    with pytest.raises(ScenarioError, match="clock_ahead_seconds must be "):
        scenario(str(file))


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(ScenarioError) as caught:
        scenario("nowhere.toml")

    assert str(caught.value) == (
        "the weather in nowhere.toml cannot be read: No such file or directory"
    )
