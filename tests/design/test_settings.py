"""Settings: what a table is besides its keys."""

import pytest

from sortkey import DesignError, Settings


def test_a_table_stays_when_it_leaves_the_design_unless_an_environment_says_otherwise() -> None:
    assert Settings().removal_in("dev") == "retain"
    assert Settings(removal="destroy").removal_in("prod") == "destroy"
    mixed = Settings(removal={"dev": "destroy"})
    assert [mixed.removal_in(environment) for environment in ("dev", "prod")] == [
        "destroy",
        "retain",
    ]


@pytest.mark.parametrize("days", [0, 36])
def test_recovery_is_kept_for_one_to_thirty_five_days(days: int) -> None:
    with pytest.raises(DesignError, match=rf"SK111 .* recovery_days is {days}"):
        Settings(recovery_days=days)
    assert Settings(recovery_days=1).recovery_days == 1
    assert Settings(recovery_days=None).recovery_days is None


def test_a_ttl_is_set_only_where_one_is_named() -> None:
    assert Settings(ttl="a").with_ttl(None).ttl == "a"
    assert Settings(ttl="a").with_ttl("b").ttl == "b"
