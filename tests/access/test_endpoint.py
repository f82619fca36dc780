import pytest

from sortkey.access.endpoint import Endpoint, SettingsError


@pytest.mark.parametrize(
    ("url", "authority", "port"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", 8000),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000", 8000),
        ("https://dynamodb.eu-west-1.amazonaws.com", "dynamodb.eu-west-1.amazonaws.com", 443),
        ("https://example.org:443", "example.org", 443),
        ("http://example.org", "example.org", 80),
        ("http://[::1]:8000", "[::1]:8000", 8000),
    ],
)
def test_an_endpoint_has_an_authority_and_a_port(url: str, authority: str, port: int) -> None:
    endpoint = Endpoint.parse(url)

    assert (endpoint.authority, endpoint.port) == (authority, port)
    assert Endpoint.parse(str(endpoint)) == endpoint


@pytest.mark.parametrize(
    ("url", "host_and_port"),
    [
        ("https://example.org", "example.org:443"),
        ("http://example.org:8000", "example.org:8000"),
        ("http://[::1]", "[::1]:80"),
    ],
)
def test_an_endpoint_names_its_port_where_it_must(url: str, host_and_port: str) -> None:
    assert Endpoint.parse(url).host_and_port == host_and_port


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "localhost:8000",
        "ftp://127.0.0.1",
        "http://",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999",
        "http://[::1",
        "http://127.0.0.1/dynamodb",
        "http://127.0.0.1/?a=1",
        "http://me:secret@127.0.0.1",
    ],
)
def test_a_malformed_endpoint_is_refused_with_an_example(url: str) -> None:
    with pytest.raises(SettingsError, match=r"write it like http://127\.0\.0\.1:8000"):
        Endpoint.parse(url)


def test_a_password_in_an_endpoint_is_not_shown() -> None:
    with pytest.raises(SettingsError) as refused:
        Endpoint.parse("http://me:hush@127.0.0.1:8000")

    assert "hush" not in str(refused.value)
    assert "127.0.0.1:8000" in str(refused.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "db.localhost", "[::1]"])
def test_this_machine_is_known(host: str) -> None:
    assert Endpoint.parse(f"http://{host}").is_loopback


@pytest.mark.parametrize("host", ["10.0.0.1", "example.org", "localhost.example.org"])
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not Endpoint.parse(f"http://{host}").is_loopback


def test_only_https_is_encrypted() -> None:
    assert Endpoint.parse("https://example.org").is_encrypted
    assert not Endpoint.parse("http://example.org").is_encrypted
