"""Listening on a loopback address, and nowhere else."""

import errno
import ipaddress
import socket
import sys

from sortkey.errors import SortkeyError

_BACKLOG = 1024


class CannotServe(SortkeyError):  # noqa: N818 - the sentence it begins reads better so
    """The server cannot start with these settings; the message says why."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a loopback address; port 0 picks a free one.

    Raises:
        CannotServe: The address is not on loopback, or is in use.
    """
    loopback = _loopback(host)
    family = socket.AF_INET6 if loopback.version == 6 else socket.AF_INET  # noqa: PLR2004 - IP's
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            # On Windows it would let two servers share the port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(loopback), port))
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotServe(
                f"Port {port} on {host} is in use; choose another with --port, or 0 for any."
            ) from error
        raise CannotServe(f"Cannot listen on {host} port {port}: {error.strerror}.") from error
    return listener


def _loopback(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    if host == "localhost":
        return ipaddress.IPv4Address("127.0.0.1")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise CannotServe(
            f"{host} is not a loopback address such as 127.0.0.1 or ::1; "
            "the engine serves this machine only."
        )
    return address


def address_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket: http://127.0.0.1:8000."""
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
