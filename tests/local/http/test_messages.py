"""Responses as bytes: complete, and without what a function may not set."""

from sortkey.local.http.messages import HttpRequest, HttpResponse, as_bytes, message_response


def head_of(response: HttpResponse, *, keep_alive: bool = True) -> list[str]:
    head, _, _ = as_bytes(response, keep_alive=keep_alive).decode().partition("\r\n\r\n")
    return [line for line in head.split("\r\n") if not line.startswith("Date: ")]


def test_a_response_has_its_length_and_its_connection() -> None:
    assert head_of(message_response(404, "Not Found"), keep_alive=False) == [
        "HTTP/1.1 404 Not Found",
        "content-type: application/json",
        "Content-Length: 23",
        "Connection: close",
    ]


def test_a_response_without_content_has_no_length() -> None:
    assert head_of(HttpResponse(204, b"x")) == ["HTTP/1.1 204 No Content", "Connection: keep-alive"]


def test_an_unknown_status_is_sent() -> None:
    assert head_of(HttpResponse(299))[0] == "HTTP/1.1 299 Unknown"


def test_a_function_cannot_begin_another_response() -> None:
    bad = [("x", "1\r\nSet-Cookie: a=1"), ("Content-Length", "3"), ("Transfer-Encoding", "chunked")]

    assert head_of(HttpResponse(200, b"", [*bad, ("y", "2")])) == [
        "HTTP/1.1 200 OK",
        "y: 2",
        "Content-Length: 0",
        "Connection: keep-alive",
    ]


def test_the_response_to_head_has_no_body() -> None:
    response = message_response(404, "Not Found")

    assert as_bytes(response, keep_alive=True, is_head=True).endswith(b"\r\n\r\n")


def test_a_target_may_name_the_host() -> None:
    for target in ("/notes?a=1", "http://127.0.0.1:8001/notes?a=1"):
        request = HttpRequest("GET", target)
        assert (request.path, request.query) == ("/notes", "a=1")
