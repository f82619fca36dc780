"""The addresses of a run: the engine's, then those of the APIs and of the local issuer."""

from contextlib import ExitStack
from socket import socket

from sortkey.local.state import RunState
from sortkey.server.listening import CannotServe, address_of, listen

HOST = "127.0.0.1"
_FILE = "ports"


class Listeners:
    """Listening sockets by what is served there."""

    def __init__(self, stack: ExitStack) -> None:
        """Close them with the stack."""
        self._stack = stack
        self.sockets: dict[str, socket] = {}

    def url(self, name: str) -> str:
        """Return an address."""
        return address_of(self.sockets[name])

    def open(self, names: list[str], first: int, state: RunState) -> None:
        """Listen for each name, on ports in a row; with 0, on free ones, if possible as before.

        Raises:
            CannotServe: A port is in use.
        """
        kept: dict[str, int] = (state.read(_FILE) or {}) if first == 0 else {}
        for number, name in enumerate(names):
            wanted = kept.get(name, 0) if first == 0 else first + number
            try:
                listener = listen(HOST, wanted)
            except CannotServe as error:
                if first:
                    raise CannotServe(
                        f"Port {wanted}, for {name}, is in use; choose another with --port, from "
                        f"which on {len(names)} are taken, or 0 for free ones."
                    ) from error
                listener = listen(HOST, 0)
            self._stack.callback(listener.close)
            self.sockets[name] = listener
        if first == 0:
            state.write(_FILE, {name: one.getsockname()[1] for name, one in self.sockets.items()})
