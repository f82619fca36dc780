"""Servers on this machine for tests: one that plays a script, and a proxy."""

import select
import socket
import ssl
import threading
from base64 import b64encode
from contextlib import suppress

from sortkey.access.endpoint import Endpoint


class Scripted:
    """A server that plays a script: the response to each request of each connection.

    For a response of None it stays silent until the end of the test. After its last response a
    connection is closed, and after the last connection the last script is repeated.
    """

    def __init__(self, script: list[list[bytes | None]], tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._script = script
        self._tls = tls
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self._hung_up = threading.Semaphore(0)
        self._arrived = threading.Semaphore(0)
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def endpoint(self) -> Endpoint:
        scheme = "https" if self._tls else "http"
        return Endpoint.parse(f"{scheme}://127.0.0.1:{self._listening.getsockname()[1]}")

    def await_request(self) -> None:
        """Return when one more request has arrived."""
        assert self._arrived.acquire(timeout=10)

    def await_hang_up(self) -> None:
        """Return when one more connection has been closed."""
        assert self._hung_up.acquire(timeout=10)

    def stop(self) -> None:
        self._over.set()
        # Wakes `accept`, which closing the socket would not.
        with suppress(OSError), socket.create_connection(self._listening.getsockname()):
            pass
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            if self._over.is_set():
                connection.close()
                return
            answers = self._script[min(self.connections, len(self._script) - 1)]
            self.connections += 1
            thread = threading.Thread(target=self._play, args=(connection, answers))
            self._threads.append(thread)
            thread.start()

    def _play(self, plain: socket.socket, answers: list[bytes | None]) -> None:
        self._answer(plain, answers)
        self._hung_up.release()

    def _answer(self, plain: socket.socket, answers: list[bytes | None]) -> None:
        with suppress(OSError), plain:
            connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
            with connection:
                for answer in answers:
                    request = read_message(connection)
                    if not request:
                        return
                    self.requests.append(request)
                    self._arrived.release()
                    if answer is None:
                        self._over.wait()
                        return
                    connection.sendall(answer)


def read_message(connection: socket.socket) -> bytes:
    """Read one request or response with its body; return nothing if the connection ends."""
    read = b""
    while True:
        head, found, body = read.partition(b"\r\n\r\n")
        if found:
            lengths = [
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            ]
            if len(body) >= sum(lengths):  # there is one, or none
                return read
        more = connection.recv(65536)
        if not more:
            return b""
        read += more


class RecordingProxy:
    """An HTTP proxy that tunnels and forwards to one server, whatever the requested host.

    It records the head of each request that it sees, but nothing inside a tunnel. It requires
    ``credentials`` if there are any, such as ``ada:secret``.
    """

    def __init__(self, leads_to: Endpoint, *, credentials: str | None = None) -> None:
        self.heads: list[bytes] = []
        self.connections = 0
        self._leads_to = leads_to
        self._pass = b"Basic " + b64encode((credentials or "").encode()) if credentials else b""
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._over = False
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listening.getsockname()[1]}"

    def stop(self) -> None:
        self._over = True
        # Wakes `accept`, which closing the socket would not.
        with suppress(OSError), socket.create_connection(self._listening.getsockname()):
            pass
        self._threads[0].join()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            client, _ = self._listening.accept()
            if self._over:
                client.close()
                return
            self.connections += 1
            self._open.append(client)
            thread = threading.Thread(target=self._serve, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        to = (self._leads_to.host, self._leads_to.port)
        with suppress(OSError), client, socket.create_connection(to) as server:
            while request := read_message(client):
                head, _, body = request.partition(b"\r\n\r\n")
                self.heads.append(head)
                line, *headers = head.split(b"\r\n")
                if self._pass and b"Proxy-Authorization: " + self._pass not in headers:
                    client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
                    return
                if line.startswith(b"CONNECT "):
                    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    _relay(client, server)
                    return
                server.sendall(_in_origin_form(line, headers) + body)
                client.sendall(read_message(server))


def _in_origin_form(line: bytes, headers: list[bytes]) -> bytes:
    """Return a request's head as the server itself receives it."""
    method, url, version = line.split(b" ")
    path = b"/" + url.split(b"/", 3)[3]
    kept = [header for header in headers if not header.startswith(b"Proxy-")]
    return b"\r\n".join([b" ".join([method, path, version]), *kept]) + b"\r\n\r\n"


def _relay(client: socket.socket, server: socket.socket) -> None:
    other = {client: server, server: client}
    while True:
        for ready in select.select([client, server], [], [])[0]:
            data = ready.recv(65536)
            if not data:
                return
            other[ready].sendall(data)
