from pathlib import Path

import pytest

from sortkey.engine.weather import SCENARIOS, Scenario, ScenarioError, scenario


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
        ScenarioError, match=r"no weather hot-dya; use fair, hot-day, .* and small-partitions, or"
    ):
        scenario("hot-dya")


def test_a_file_has_the_settings_that_differ(tmp_path: Path) -> None:
    file = tmp_path / "black-friday.toml"
    file.write_text("partition_writes = 50\nsplit_seconds = 0\n")

    found = scenario(str(file))

    assert found == Scenario(name="black-friday", partition_writes=50, split_seconds=0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("partition_write = 50", "no setting partition_write; did you mean partition_writes?"),
        ("partition_writes = 'many'", "partition_writes must be a number"),
        ("partition_writes = -1", "must not be negative"),
        ("partition_writes = true", "partition_writes must be a number"),
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


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(ScenarioError, match="cannot be read"):
        scenario("nowhere.toml")
