"""The proxy that the environment names, compared with requests and botocore if they agree."""

from base64 import b64decode
from collections.abc import Mapping

import pytest
from botocore.utils import get_environ_proxies as botocores
from requests.utils import get_environ_proxies, select_proxy

from sortkey.access.endpoint import Endpoint, SettingsError
from sortkey.access.transports.proxies import Proxy, proxy_for

AWS = Endpoint.parse("https://dynamodb.eu-west-1.amazonaws.com")
PLAIN = Endpoint.parse("http://dynamodb.example.org:8000")
HERE = Endpoint.parse("http://127.0.0.1:8000")

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


def chosen(endpoint: Endpoint, **environ: str) -> str | None:
    """Return the host of the chosen proxy."""
    proxy = proxy_for(endpoint, environ)
    return proxy.address.host if proxy else None


def chosen_by_requests(
    endpoint: Endpoint, environ: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> str | None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    url = select_proxy(str(endpoint), get_environ_proxies(str(endpoint)))
    return Endpoint.parse(url).host if url else None


# -- the variables --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("endpoint", "environ", "host"),
    [
        (AWS, {}, None),
        (AWS, {"HTTPS_PROXY": "http://s:1"}, "s"),
        (AWS, {"https_proxy": "http://s:1"}, "s"),
        (AWS, {"https_proxy": "http://low:1", "HTTPS_PROXY": "http://up:1"}, "low"),
        (AWS, {"https_proxy": "", "HTTPS_PROXY": "http://up:1"}, None),
        (AWS, {"HTTPS_PROXY": ""}, None),
        (AWS, {"HTTP_PROXY": "http://p:1"}, None),
        (AWS, {"ALL_PROXY": "http://a:1"}, "a"),
        (AWS, {"all_proxy": "http://a:1"}, "a"),
        (AWS, {"HTTPS_PROXY": "http://s:1", "ALL_PROXY": "http://a:1"}, "s"),
        (AWS, {"https_proxy": "", "ALL_PROXY": "http://a:1"}, "a"),
        (PLAIN, {"HTTP_PROXY": "http://p:1"}, "p"),
        (PLAIN, {"http_proxy": "http://p:1"}, "p"),
        (PLAIN, {"HTTPS_PROXY": "http://s:1"}, None),
        (PLAIN, {"HTTP_PROXY": "http://p:1", "REQUEST_METHOD": "GET"}, None),
        (PLAIN, {"http_proxy": "http://p:1", "REQUEST_METHOD": "GET"}, "p"),
        (AWS, {"HTTPS_PROXY": "http://s:1", "REQUEST_METHOD": "GET"}, "s"),
        (HERE, {"HTTP_PROXY": "http://p:1"}, "p"),
        (HERE, {"HTTP_PROXY": "http://p:1", "NO_PROXY": "127.0.0.1"}, None),
        (PLAIN, {"HTTP_PROXY": "http://p:1", "no_proxy": "", "NO_PROXY": "*"}, "p"),
    ],
)
def test_the_environment_names_the_proxy_as_it_does_to_requests(
    endpoint: Endpoint,
    environ: dict[str, str],
    host: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert chosen(endpoint, **environ) == host
    if environ.get("no_proxy") != "":  # an empty one hides the other in urllib, but not in requests
        assert chosen_by_requests(endpoint, environ, monkeypatch) == host


# -- hosts without a proxy ------------------------------------------------------------------------

NAMED = "http://dynamodb.example.org:8000"
ADDRESS = "http://10.1.2.3:8000"


@pytest.mark.parametrize(
    ("url", "no_proxy", "is_exempt"),
    [
        (NAMED, "", False),
        (NAMED, ",", False),
        ("http://example.org.", ",", False),
        (NAMED, "*", True),
        (NAMED, "dynamodb.example.org", True),
        (NAMED, "DynamoDB.Example.ORG", True),
        (NAMED, "example.org", True),
        (NAMED, ".example.org", True),
        (NAMED, "org", True),
        (NAMED, "b.example.org", False),
        (NAMED, "ample.org", False),
        (NAMED, "example.com", False),
        (NAMED, "other.dynamodb.example.org", False),
        (NAMED, "localhost, .example.org ,10.0.0.0/8", True),
        (NAMED, "dynamodb.example.org:8000", True),
        (NAMED, ".example.org:8000", True),
        (NAMED, "dynamodb.example.org:80", False),
        (NAMED, "10.0.0.0/8", False),
        ("http://example.org", ".example.org", True),
        ("https://example.org", "example.org:444", False),
        (ADDRESS, "10.1.2.3", True),
        (ADDRESS, "10.1.2.4", False),
        (ADDRESS, "10.0.0.0/8", True),
        (ADDRESS, "10.1.2.3/8", True),
        (ADDRESS, "10.2.0.0/16", False),
        (ADDRESS, "10.1.2.3/32", True),
        (ADDRESS, "10.1.2.3/99", False),
        (ADDRESS, "fe80::/10", False),
        (ADDRESS, "example.org", False),
        ("http://127.0.0.1:8000", "localhost", False),
        ("http://localhost:8000", "127.0.0.1", False),
        ("http://localhost:8000", "localhost", True),
    ],
)
def test_no_proxy_means_what_it_means_to_requests(
    url: str, no_proxy: str, is_exempt: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = Endpoint.parse(url)
    environ = {"ALL_PROXY": "http://proxy:1", "NO_PROXY": no_proxy}
    host = None if is_exempt else "proxy"

    assert chosen(endpoint, **environ) == host
    assert chosen_by_requests(endpoint, environ, monkeypatch) == host


@pytest.mark.parametrize(
    ("url", "no_proxy"),
    [
        ("http://10.1.2.3:8000", "10.1.2.3:8000"),
        ("https://example.org", "example.org:443"),
        ("http://[::1]:8000", "::1"),
        ("http://[::1]:8000", "[::1]"),
        ("http://[::1]:8000", "[::1]:8000"),
        ("http://[2001:db8::7]", "2001:db8::/32"),
        ("http://example.org", "localhost,*"),
    ],
)
def test_no_proxy_takes_ports_and_ranges_of_addresses_too(url: str, no_proxy: str) -> None:
    endpoint = Endpoint.parse(url)

    assert chosen(endpoint, ALL_PROXY="http://proxy:1") == "proxy"
    assert chosen(endpoint, ALL_PROXY="http://proxy:1", NO_PROXY=no_proxy) is None


@pytest.mark.parametrize("no_proxy", ["[::1]:80", "[::1]:", "::2", "::1/129", "[", "10.0.0.0/8"])
def test_no_proxy_exempts_no_other_address(no_proxy: str) -> None:
    endpoint = Endpoint.parse("http://[::1]:8000")

    assert chosen(endpoint, ALL_PROXY="http://proxy:1", NO_PROXY=no_proxy) == "proxy"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_reached_through_the_proxy_as_botocore_does_it(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = Endpoint.parse(f"http://{host}:8000")
    monkeypatch.setenv("http_proxy", "http://proxy:1")

    monkeypatch.delenv("no_proxy")
    assert botocores(str(endpoint))["http"] == "http://proxy:1"
    assert chosen(endpoint, http_proxy="http://proxy:1") == "proxy"

    monkeypatch.setenv("no_proxy", host)
    assert botocores(str(endpoint)) == {}
    assert chosen(endpoint, http_proxy="http://proxy:1", no_proxy=host) is None


# -- the proxy's URL ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://proxy.example.org:3128", "http://proxy.example.org:3128"),
        ("http://proxy.example.org:3128/", "http://proxy.example.org:3128"),
        ("  http://proxy.example.org:3128 ", "http://proxy.example.org:3128"),
        ("http://proxy.example.org", "http://proxy.example.org"),
        ("proxy.example.org:3128", "http://proxy.example.org:3128"),
        ("//proxy.example.org:3128", "http://proxy.example.org:3128"),
        ("ada:secret@proxy:3128", "http://proxy:3128"),
        ("HTTP://PROXY:3128", "http://proxy:3128"),
        ("http://[::1]:3128", "http://[::1]:3128"),
        ("http://ada:secret@[::1]:3128", "http://[::1]:3128"),
    ],
)
def test_a_proxy_is_at_a_url_whose_scheme_may_be_left_out(url: str, address: str) -> None:
    proxy = proxy_for(AWS, {"HTTPS_PROXY": url})

    assert proxy is not None
    assert proxy.address == Endpoint.parse(address)
    assert proxy.variable == "HTTPS_PROXY"


@pytest.mark.parametrize(
    ("pair", "sent"),
    [
        ("ada:secret", "ada:secret"),
        ("ada:p%40ss%2Fw%3Ard%23", "ada:p@ss/w:rd#"),
        ("ada:p@ss", "ada:p@ss"),
        ("d%C3%B6rte:gr%C3%BCn", "dörte:grün"),
        ("ada", "ada:"),
        ("ada:", "ada:"),
        (":secret", ":secret"),
    ],
)
def test_credentials_in_the_url_are_sent_decoded(pair: str, sent: str) -> None:
    proxy = proxy_for(AWS, {"HTTPS_PROXY": f"http://{pair}@proxy:3128"})

    assert proxy is not None
    name, kind, coded = proxy.authorization.split()
    assert (name, kind) == (b"Proxy-Authorization:", b"Basic")
    assert b64decode(coded).decode() == sent
    assert proxy.authorization.endswith(b"\r\n")


@pytest.mark.parametrize("url", ["http://proxy:3128", "http://@proxy:3128"])
def test_without_credentials_none_are_sent(url: str) -> None:
    assert proxy_for(AWS, {"HTTPS_PROXY": url}) == Proxy(
        Endpoint.parse("http://proxy:3128"), "HTTPS_PROXY"
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://ada:hush@proxy:3128", "HTTPS_PROXY names a proxy with https, and TLS to the"),
        ("socks5://ada:hush@proxy:1080", "HTTPS_PROXY names a proxy that is not an HTTP proxy"),
        ("socks5h://ada:hush@proxy", "such as SOCKS"),
        ("http://ada:hush@proxy:port", "the proxy in HTTPS_PROXY is malformed: write it like"),
        ("http://ada:hush@proxy:99999", "is malformed"),
        ("http://ada:hush@", "is malformed"),
        ("http://ada:hush#@proxy:3128", "percent-encode"),
        ("http://ada:hush/@proxy:3128", "percent-encode"),
        ("http://ada:8/hush@proxy:3128", "percent-encode"),
        ("http://ada:8?hush@proxy:3128", "percent-encode"),
        ("http://ada:8#hush@proxy:3128", "percent-encode"),
        ("http://ada:hush@[::1", "is malformed"),
        ("http://ada:hush@a..b", "is malformed"),
        ("http://", "is malformed"),
        (":", "is malformed"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(
    url: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as refused:
        proxy_for(AWS, {"HTTPS_PROXY": url})

    error: BaseException | None = refused.value
    while error is not None:
        assert "hush" not in str(error)
        error = error.__context__


def test_a_proxy_that_is_not_used_need_not_be_usable() -> None:
    assert chosen(AWS, ALL_PROXY="socks5://proxy", NO_PROXY=".amazonaws.com") is None


def test_no_text_of_a_proxy_shows_its_credentials() -> None:
    proxy = proxy_for(AWS, {"https_proxy": "http://ada:hush@proxy:3128"})

    assert proxy is not None
    assert str(proxy) == "http://proxy:3128"
    for text in (str(proxy), repr(proxy), f"{proxy}"):
        assert "hush" not in text
        assert "ada" not in text
        assert proxy.authorization.split()[-1].decode() not in text
