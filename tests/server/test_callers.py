import pytest

from sortkey.server.callers import Callers


@pytest.mark.parametrize("origin", ["*", "http://x", "https://x:8443", "http://[::1]:5173"])
def test_an_origin_is_a_scheme_a_host_and_perhaps_a_port(origin: str) -> None:
    assert Callers.named([origin], []).allow_origin(origin)


@pytest.mark.parametrize("origin", ["", "x", "x:80", "http://", "http://x/", "http://x/a", "null"])
def test_anything_else_is_refused_as_an_origin(origin: str) -> None:
    with pytest.raises(ValueError, match="is not an origin"):
        Callers.named([origin], [])


@pytest.mark.parametrize("host", ["", "http://x", "a b", "user@x"])
def test_a_host_is_only_a_name(host: str) -> None:
    with pytest.raises(ValueError, match="is not a host"):
        Callers.named([], [host])


def test_any_host_can_be_allowed() -> None:
    assert Callers.named([], ["*"]).allow_host("evil.com:80")
