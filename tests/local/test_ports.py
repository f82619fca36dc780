"""Addresses are in a row from a port, or free ones that stay the same."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from sortkey.local.ports import Listeners
from sortkey.local.state import RunState
from sortkey.server import CannotServe


def opened(state: RunState, first: int, *names: str) -> dict[str, str]:
    with ExitStack() as stack:
        listeners = Listeners(stack)
        listeners.open([*names], first, state)
        return {name: listeners.url(name) for name in names}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def test_ports_are_in_a_row(tmp_path: Path) -> None:
    first = free_port()

    assert opened(RunState(tmp_path), first, "engine") == {"engine": f"http://127.0.0.1:{first}"}


def test_free_ports_stay_the_same(tmp_path: Path) -> None:
    state = RunState(tmp_path)

    before = opened(state, 0, "engine", "api")

    assert opened(state, 0, "engine", "api") == before


def test_a_free_port_that_is_taken_meanwhile_is_replaced(tmp_path: Path) -> None:
    state = RunState(tmp_path)
    before = opened(state, 0, "engine")
    taken = int(before["engine"].rpartition(":")[2])

    with socket.create_server(("127.0.0.1", taken)):
        assert opened(state, 0, "engine") != before


def test_a_port_in_use_is_named_with_what_it_is_for(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(CannotServe, match=f"Port {port}, for the engine, is in use"):
            opened(RunState(tmp_path), port, "the engine", "api")
