"""Where the weather lets a reply go instead of straight to its client."""

import socket
import struct
from asyncio import WriteTransport
from collections.abc import Callable

# Close at once, and let the client see a reset instead of an end.
_NO_LINGER = struct.pack("ii", 1, 0)


class Outlet:
    """A transport as `Turn` uses it, whose ``write`` does something else."""

    def __init__(self, transport: WriteTransport, write: Callable[[bytes], object]) -> None:
        self.is_closing = transport.is_closing
        self.write = write


def reset(transport: WriteTransport) -> None:
    """Reset a connection."""
    if transport.is_closing():
        return
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()
