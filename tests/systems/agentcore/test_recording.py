"""Costs: each counted once, in its record and in the sums of its day and month."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import MORNING, Watch, cost, start_sessions

from sortkey import DB
from sortkey.testing import clock
from sortkey_systems.agentcore.conversing import delete_session
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.sessions import (
    COST_RETENTION,
    CostRecord,
    SessionsMetadata,
    costs_of_session,
    costs_of_user,
)
from sortkey_systems.agentcore.design.summaries import (
    CostSummary,
    day_of,
    month_of,
    summary_of,
    top_spenders,
)
from sortkey_systems.agentcore.errors import BadInput, CostDiffers, SessionNotFound
from sortkey_systems.agentcore.recording import record_cost


def test_a_cost_counts_on_its_day_and_in_its_month(db: DB) -> None:
    start_sessions(db, "ann")
    made = record_cost(db, cost("ann", "r1", 500))
    record_cost(db, cost("ann", "r2", 70))

    assert list(db(costs_of_user("ann", MORNING, MORNING)))[-1] == made
    for period in ("2033-05-14", "2033-05"):
        assert db(summary_of("ann", period)) == CostSummary(
            user_id="ann",
            period=period,
            total_cost_micros=570,
            request_count=2,
            input_tokens=200,
            output_tokens=40,
        )


def test_a_repeated_cost_counts_once(db: DB, watch: Watch) -> None:
    start_sessions(db, "ann")
    sent = cost("ann", "r1", 500)
    first = record_cost(db, sent)
    watch.wait(days=100)

    assert record_cost(db, sent) == first

    summary = db(summary_of("ann", "2033-05"))
    assert summary is not None
    assert (summary.total_cost_micros, summary.request_count) == (500, 1)


def test_a_different_cost_with_the_same_id_is_rejected(db: DB) -> None:
    start_sessions(db, "ann")
    sent = cost("ann", "r1", 500)
    record_cost(db, sent)

    with pytest.raises(CostDiffers):
        record_cost(db, replace(sent, cost_micros=501))
    assert len(db(costs_of_user("ann", MORNING, MORNING))) == 1


def test_a_cost_that_moves_a_sum_moves_it_among_the_top_spenders(db: DB) -> None:
    start_sessions(db, "ann", "bob", "cem")
    for user_id, micros in (("ann", 9), ("bob", 10), ("cem", 1000)):
        record_cost(db, cost(user_id, "r1", micros))
    record_cost(db, cost("ann", "r2", 5000))

    spenders = list(db(top_spenders("2033-05")))

    assert [(found.user_id, found.total_cost_micros) for found in spenders] == [
        ("ann", 5009),
        ("cem", 1000),
        ("bob", 10),
    ]


def test_a_record_is_kept_for_a_year_and_its_sum_stays(db: DB, watch: Watch) -> None:
    start_sessions(db, "ann")
    record_cost(db, cost("ann", "r1", 500))
    [stored] = [item for item in stored_items(db, SessionsMetadata) if "costMicros" in item]
    assert stored["ttl"] == {"N": str(int((MORNING + timedelta(days=365)).timestamp()))}

    watch.wait(days=365)

    assert list(db(costs_of_user("ann", MORNING, MORNING))) == []
    assert list(db(costs_of_session("of-ann"))) == []
    assert db(summary_of("ann", "2033-05")) is not None


def test_a_cost_older_than_the_retention_is_rejected(db: DB, watch: Watch) -> None:
    start_sessions(db, "ann")
    old = cost("ann", "r1", 500)
    record_cost(db, old)
    watch.wait(days=365)

    with pytest.raises(BadInput, match="the retention of costs"):
        record_cost(db, old)

    summary = db(summary_of("ann", "2033-05"))
    assert summary is not None
    assert summary.request_count == 1


def test_a_cost_in_the_future_is_rejected(db: DB, watch: Watch) -> None:
    start_sessions(db, "ann")
    ahead = replace(cost("ann", "r1", 500), timestamp=MORNING + timedelta(minutes=5, seconds=1))

    with pytest.raises(BadInput, match="timestamp: is more than 5 minutes in the future"):
        record_cost(db, ahead)
    assert db(summary_of("ann", "2033-05")) is None

    watch.wait(seconds=1)
    assert record_cost(db, ahead).timestamp == ahead.timestamp


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_id", "a#b"),
        ("record_id", ""),
        ("cost_micros", -1),
        ("input_tokens", -1),
        ("model_id", ""),
        ("timestamp", datetime(2033, 5, 14)),  # noqa: DTZ001 - the rejected value
        ("timestamp", datetime.max.replace(tzinfo=UTC)),
    ],
)
def test_an_invalid_cost_is_rejected(memory: DB, field: str, value: object) -> None:
    with pytest.raises(BadInput) as caught:
        record_cost(memory, replace(cost("ann", "r1", 500), **{field: value}))
    assert caught.value.field == field
    assert stored_items(memory, SessionsMetadata) == []


def test_a_cost_belongs_to_a_session_of_its_user(db: DB) -> None:
    """Otherwise the owner of the session could read the costs of another user."""
    start_sessions(db, "ann", "bob")
    for session_id in ("of-bob", "none"):
        with pytest.raises(SessionNotFound):
            record_cost(db, cost("ann", "r1", 500, session_id=session_id))
    assert db(CostRecord.scan()) == []
    assert db(summary_of("ann", "2033-05")) is None


def test_a_cost_of_a_deleted_session_is_recorded(db: DB) -> None:
    start_sessions(db, "ann")
    delete_session(db, "ann", "of-ann")
    record_cost(db, cost("ann", "r1", 500))
    assert len(db(costs_of_session("of-ann"))) == 1


def test_days_and_months_are_in_utc() -> None:
    late = datetime(2033, 5, 31, 23, 30, tzinfo=timezone(timedelta(hours=-2)))

    assert (day_of(late), month_of(late)) == ("2033-06-01", "2033-06")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ann", "ann1"]),
            st.timedeltas(timedelta(0), timedelta(days=130)).map(lambda ago: MORNING - ago),
            st.integers(0, 10**9),
        ),
        max_size=12,
    )
)
def test_sums_equal_their_records(costs: list[tuple[str, datetime, int]]) -> None:
    with clock(MORNING.timestamp), DB.memory(*TABLES) as db:
        start_sessions(db, "ann", "ann1")
        for number, (user_id, at, micros) in enumerate(costs):
            record_cost(db, replace(cost(user_id, f"r{number}", micros), timestamp=at))

        records, summaries = db(CostRecord.scan()), db(CostSummary.scan())
        assert len(records) == len(costs)
        for summary in summaries:
            own = [
                record
                for record in records
                if record.user_id == summary.user_id
                and summary.period in {day_of(record.timestamp), month_of(record.timestamp)}
            ]
            assert summary.total_cost_micros == sum(record.cost_micros for record in own)
            assert summary.request_count == len(own) > 0
        assert sum(s.request_count for s in summaries) == 2 * len(costs)


def test_costs_are_kept_for_365_days() -> None:
    assert timedelta(days=365) == COST_RETENTION
