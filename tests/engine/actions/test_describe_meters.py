from sortkey.engine import Engine
from sortkey.engine.weather import scenario

# -- behaviour ------------------------------------------------------------------------------


def test_the_response_has_the_time_the_scenario_the_metrics_and_the_heat() -> None:
    with Engine.memory(clock=lambda: 1e9, weather=scenario("fair")) as engine:
        described = engine.answer("DescribeMeters", {})

    assert described == {"Time": 1e9, "Scenario": "fair", "Metrics": [], "Heat": []}


def test_the_response_is_empty_without_weather() -> None:
    with Engine.memory() as engine:
        assert engine.answer("DescribeMeters", {}) == {}
