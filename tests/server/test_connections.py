import pytest

from sortkey.server.connections import OpenConnections, Patience


class FakeConnection:
    """A connection whose client has a given number of seconds."""

    def __init__(self, connections: OpenConnections, seconds: float = 1000.0) -> None:
        self.since = connections.now
        self.seconds = seconds
        self.is_evictable = True
        self.has_unsent = False
        self.has_asked = False
        self.expired = 0
        self.evicted = False
        connections.add(self)

    def deadline(self) -> float:
        return self.since + self.seconds

    def expire(self) -> None:
        self.expired += 1

    def evict(self) -> None:
        self.is_evictable = False
        self.evicted = True

    def close(self) -> None: ...

    def abort(self) -> None: ...


def pass_time(connections: OpenConnections, seconds: int) -> None:
    for _ in range(2 * seconds):
        connections.tick(0.5)


# -- clients that take too long -----------------------------------------------------------------


def test_a_client_is_given_up_when_its_time_is_over() -> None:
    connections = OpenConnections()
    late, early = FakeConnection(connections, 10), FakeConnection(connections, 13)

    pass_time(connections, 9)
    assert not late.expired
    pass_time(connections, 2)

    assert late.expired
    assert not early.expired


def test_all_are_looked_at_once_a_second_however_often_the_clock_moves() -> None:
    connections = OpenConnections()
    late = FakeConnection(connections, 0)

    for _ in range(2000):
        connections.tick(0.001)

    assert late.expired <= 3


def test_time_in_which_the_server_did_not_run_is_not_the_clients() -> None:
    connections = OpenConnections()
    connection = FakeConnection(connections, 10)

    connections.tick(3600)
    connections.tick(3600)

    assert not connection.expired


# -- room for another ---------------------------------------------------------------------------


def test_those_that_were_idle_longest_make_room() -> None:
    connections = OpenConnections(most=20)
    held = [FakeConnection(connections) for _ in range(20)]
    for number, connection in enumerate(held):
        connection.since = float(number * 7 % 20)
    connections.now = 20.0

    newcomers = [FakeConnection(connections) for _ in range(10)]

    assert all(connection.evicted == (connection.since < 10) for connection in held)
    assert not any(newcomer.evicted for newcomer in newcomers)


def test_a_client_that_has_done_something_meanwhile_is_no_longer_the_oldest() -> None:
    connections = OpenConnections(most=3)
    held = [FakeConnection(connections) for _ in range(3)]
    for second, connection in enumerate(held):
        connection.since = float(second)
    connections.now = 6.0
    FakeConnection(connections)
    connections.discard(held[0])

    held[1].since = 6.0
    FakeConnection(connections)

    assert [connection.evicted for connection in held] == [True, False, True]


def test_clients_that_never_ask_make_room_before_those_that_have_asked() -> None:
    connections = OpenConnections(most=3)
    polite = FakeConnection(connections)
    polite.has_asked = True

    silent = [FakeConnection(connections) for _ in range(50)]

    assert not polite.evicted
    assert sum(each.evicted for each in silent) == 48


def test_one_that_is_being_answered_stays() -> None:
    connections = OpenConnections(most=2)
    busy = [FakeConnection(connections) for _ in range(2)]
    for connection in busy:
        connection.is_evictable = False

    newcomer = FakeConnection(connections)

    assert newcomer.evicted
    assert not any(connection.evicted for connection in busy)


def test_one_whose_answer_has_begun_since_the_last_look_stays() -> None:
    connections = OpenConnections(most=2)
    first, second = FakeConnection(connections), FakeConnection(connections)
    second.since = 1.0
    FakeConnection(connections)
    connections.discard(first)

    second.is_evictable = False
    FakeConnection(connections)

    assert first.evicted
    assert not second.evicted


def test_one_with_unsent_replies_goes_only_if_no_other_can() -> None:
    connections = OpenConnections(most=2)
    slow, idle = FakeConnection(connections), FakeConnection(connections)
    slow.has_unsent = True
    connections.now = idle.since = 5.0

    FakeConnection(connections).is_evictable = False
    assert idle.evicted
    assert not slow.evicted
    last = FakeConnection(connections)

    assert slow.evicted
    assert not last.evicted


@pytest.mark.parametrize("count", [1, 5])
def test_one_connection_goes_for_each_that_is_too_many(count: int) -> None:
    connections = OpenConnections(most=10)
    held = [FakeConnection(connections) for _ in range(10)]

    connections.now = 1.0
    for _ in range(count):
        FakeConnection(connections)

    assert sum(connection.evicted for connection in held) == count


def test_the_patience_of_a_server_suits_pools_of_connections() -> None:
    patience = Patience()

    assert patience.head < patience.body < patience.unread < patience.request < patience.idle
