"""When a call is over follows from the log, in whatever order the log was learned."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey_systems.oneonone.presence import (
    GRACE,
    MOST_CONNECTIONS,
    Connection,
    Log,
    over_at,
    with_connection,
)

START = datetime(2030, 5, 14, 10, tzinfo=UTC)
BOTH = ("ann", "bob")


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def seen(
    participant: str, user: str, joined: float | None = None, left: float | None = None
) -> Connection:
    """A connection, or what one event says of it."""
    return Connection(
        participant=participant,
        user_id=user,
        joined=None if joined is None else at(joined),
        left=None if left is None else at(left),
    )


def log_of(*events: Connection) -> Log:
    log: Log = ()
    for event in events:
        log = with_connection(log, event)
    return log


def over(*events: Connection, finished: float | None = None) -> float | None:
    """The second at which a call with these events is over."""
    found = over_at(log_of(*events), BOTH, None if finished is None else at(finished))
    return None if found is None else (found - START).total_seconds()


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], None),
        ([seen("a", "ann", 1)], None),
        ([seen("a", "ann", 1), seen("b", "bob", 2)], None),
        ([seen("a", "ann", 1, 60), seen("b", "bob", 2)], 60),
        ([seen("a", "ann", 1, 60), seen("b", "bob", 2, 50)], 50),
        # Ann comes back in time, and Bob does not.
        ([seen("a", "ann", 1, 60), seen("c", "ann", 90), seen("b", "bob", 2)], None),
        ([seen("a", "ann", 1, 60), seen("c", "ann", 90), seen("b", "bob", 2, 80)], 80),
        # Too late: the call was over.
        ([seen("a", "ann", 1, 60), seen("c", "ann", 91), seen("b", "bob", 2)], 60),
        ([seen("a", "ann", 1, 60), seen("c", "ann", 91, 100), seen("b", "bob", 2, 80)], 60),
        # A second device, before the first one is gone.
        ([seen("a", "ann", 1, 62), seen("c", "ann", 60)], None),
        ([seen("a", "ann", 1, 62), seen("c", "ann", 60, 200)], 200),
        # A short visit within a longer one.
        ([seen("a", "ann", 1, 200), seen("c", "ann", 60, 70), seen("d", "ann", 210)], None),
        # Not established: the user may try again, and was never away.
        ([seen("a", "ann", None, 20)], 20),
        ([seen("a", "ann", None, 20), seen("c", "ann", None, 45)], 45),
        ([seen("a", "ann", None, 20), seen("c", "ann", 70)], None),
        ([seen("a", "ann", 1), seen("c", "ann", None, 60)], None),
        ([seen("a", "ann", 1, 60), seen("c", "ann", None, 80)], 60),
        # Others do not matter.
        ([seen("r", "recorder", 1, 60)], None),
    ],
)
def test_a_call_is_over_when_a_user_has_left_and_has_not_come_back(
    events: list[Connection], expected: float | None
) -> None:
    assert over(*events) == expected


def test_a_room_that_is_closed_has_no_users() -> None:
    both = (seen("a", "ann", 1), seen("b", "bob", 2, 50))

    assert over(*both, finished=80) == 50
    assert over(seen("a", "ann", 1), finished=80) == 80
    assert over(seen("a", "ann", 1), seen("c", "ann", 100), finished=80) is None
    assert over(seen("a", "ann", 1), seen("c", "ann", 80), finished=80) is None


def test_what_is_known_of_a_connection_is_kept() -> None:
    joined, left = seen("a", "ann", 5), seen("a", "ann", 5, 60)

    assert log_of(joined, left) == log_of(left, joined) == log_of(left, joined, left) == (left,)


def test_a_log_has_a_limit_and_keeps_the_newest() -> None:
    log = log_of(*(seen(f"p{number}", "ann", number, number) for number in range(100)))

    assert len(log) == MOST_CONNECTIONS
    assert log[-1].participant == "p99"


def test_nothing_is_known_of_a_connection_without_times() -> None:
    with pytest.raises(ValueError, match="nothing is known of connection a"):
        _ = seen("a", "ann").begin


@st.composite
def visits(draw: st.DrawFn) -> list[Connection]:
    """Connections of both users, each with its times."""
    found: list[Connection] = []
    for number in range(draw(st.integers(0, 8))):
        user = draw(st.sampled_from(BOTH))
        joined = draw(st.integers(0, 300))
        left = draw(st.none() | st.integers(joined, 400))
        found.append(seen(f"p{number}", user, joined, left))
    return found


@given(visits(), st.randoms(use_true_random=False))
def test_events_in_any_order_and_repeated_give_the_same_log(
    connections: list[Connection], chance: Random
) -> None:
    joins = [each.model_copy(update={"left": None}) for each in connections]
    leaves = [each for each in connections if each.left]
    events = [*joins, *leaves, *chance.choices([*joins, *leaves] or [seen("x", "x", 1)], k=3)]
    shuffled = chance.sample(events, len(events))

    assert log_of(*events) == log_of(*shuffled)


@given(visits())
def test_a_call_is_over_only_when_a_user_was_away_for_the_grace(
    connections: list[Connection],
) -> None:
    """Compared with a model that looks at each second."""

    def is_here(user: str, second: int) -> bool:
        return any(
            one.joined is not None
            and one.joined <= at(second)
            and (one.left is None or at(second) <= one.left)
            for one in connections
            if one.user_id == user
        )

    def away(user: str) -> float | None:
        mine = [one.joined for one in connections if one.user_id == user and one.joined]
        if not mine:
            return None
        left: int | None = None
        first = int((min(mine) - START).total_seconds())
        for second in range(first, 500):
            if not is_here(user, second):
                left = second - 1 if left is None else left
            elif left is not None and second - left > GRACE.total_seconds():
                return left
            else:
                left = None
        return left

    assert over(*connections) == min(filter(lambda a: a is not None, map(away, BOTH)), default=None)  # type: ignore[type-var]
