"""The former store returns its rows unchanged, and leaves no connection open."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.systems.shuttle.conftest import MORNING
from tests.systems.shuttle.former import filled, row

from sortkey_systems.shuttle.relational_sessions import RelationalSessions


@pytest.fixture
def former(tmp_path: Path) -> Iterator[RelationalSessions]:
    """Return a former store with one row."""
    with filled(f"sqlite:///{tmp_path}/former.db", [row("s1", expires=MORNING)]) as former:
        yield former


@pytest.mark.parametrize(
    "written",
    ["2032-03-01T09:30:00", "2032-03-01T09:30:00+00:00", "2032-03-01T11:30:00+02:00"],
)
def test_a_time_that_is_stored_as_text_is_the_same_moment(
    former: RelationalSessions, written: str
) -> None:
    with former.engine.begin() as connection:
        connection.execute(text('UPDATE "Session" SET "expires" = :at'), {"at": written})

    found = former.get("s1")

    assert found is not None
    assert found.expires == MORNING


def test_the_repr_of_a_row_has_no_token(former: RelationalSessions) -> None:
    found = former.get("s1")

    assert found is not None
    assert found.access_token == "shpat_s1"
    assert "shpat_s1" not in repr(found)


def test_leaving_the_store_closes_its_connections(tmp_path: Path) -> None:
    with filled(f"sqlite:///{tmp_path}/former.db", []) as former:
        former.count()
        held = former.engine.pool

        assert "Connections in pool: 1" in held.status()

    assert "Connections in pool: 0" in held.status()
