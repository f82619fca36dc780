"""Keys are fetched when they are needed, and neither floods nor failures of the issuer spread."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import pytest
from tests.systems.api.issuer import (
    AUDIENCE,
    CONFIGURATION,
    KEYS,
    Issuer,
    ec_key,
    encoded,
    jwk,
    refused,
    rsa_key,
)

from sortkey_systems.api.callers import Caller, IssuerUnavailable, NotSignedIn
from sortkey_systems.api.fetching import FetchFailed
from sortkey_systems.api.issuer_keys import TIMES, IssuerKeys, KeySet, keys_of
from sortkey_systems.api.public_keys import read_key_set
from sortkey_systems.api.verifying import Verifier


class Source:
    """A source of keys that a test controls, with the clock of its cache."""

    def __init__(self, *names: str) -> None:
        self.now = 1_000.0
        self.fetched = 0
        self.is_down = False
        self.go_on = Event()
        self.go_on.set()
        self.names = names
        self.keys = IssuerKeys(self.fetch, clock=lambda: self.now)

    def fetch(self) -> KeySet:
        self.fetched += 1
        assert self.go_on.wait(20)
        if self.is_down:
            raise FetchFailed("the issuer is down")
        return read_key_set({"keys": [jwk(ec_key(name), name) for name in self.names]})

    def find(self, name: str) -> bool:
        """Whether a caller finds a key, after the fetch that they wait for, if any."""
        fetch = self.keys.prepare(name)
        if fetch is not None:
            fetch.result(20)
        return self.keys.find(name) is not None

    def waits(self, name: str) -> bool:
        """Whether a caller has to wait now."""
        return self.keys.prepare(name) is not None

    def settle(self) -> None:
        """Wait for the fetch under way, if any."""
        under_way = self.keys._under_way  # noqa: SLF001 - only a test waits for it
        if under_way is not None:
            under_way.done.result(20)


def test_keys_are_fetched_once() -> None:
    source = Source("a", "b")

    assert source.fetched == 0
    assert [source.find("a"), source.find("b"), source.find("a")] == [True, True, True]
    assert source.fetched == 1


def test_keys_are_fetched_again_beside_their_use() -> None:
    source = Source("a")
    source.find("a")
    source.now += TIMES.refresh_after - 1
    assert not source.waits("a")
    assert source.fetched == 1

    source.now += 1
    source.go_on.clear()
    assert not source.waits("a")
    assert source.keys.find("a") is not None
    source.go_on.set()
    source.settle()
    assert source.fetched == 2


def test_a_key_that_was_withdrawn_is_refused_after_the_next_fetch() -> None:
    source = Source("a", "b")
    source.find("a")
    source.names = ("b",)
    source.now += TIMES.refresh_after
    source.waits("b")
    source.settle()

    assert source.keys.find("a") is None
    assert not source.find("a")


def test_after_an_idle_hour_callers_wait_for_the_keys() -> None:
    source = Source("a")
    source.find("a")
    source.names = ("b",)
    source.now += TIMES.wait_after

    assert source.waits("a")
    source.settle()
    assert not source.find("a")


def test_a_new_key_is_found_at_its_first_token() -> None:
    source = Source("a")
    source.find("a")
    source.now += TIMES.pause
    source.names = ("a", "b")

    assert source.find("b")
    assert source.fetched == 2


def test_unknown_keys_do_not_flood_the_issuer() -> None:
    source = Source("a")
    source.find("a")
    for second in range(100):
        source.now += 1
        for number in range(50):
            assert not source.find(f"unknown-{second}-{number}")

    assert source.fetched <= 1 + 100 / TIMES.pause
    assert source.find("a")


def test_a_caller_with_a_known_key_does_not_wait_for_those_with_unknown_ones() -> None:
    source = Source("a")
    source.find("a")
    source.now += TIMES.pause
    source.go_on.clear()

    assert source.waits("unknown")
    assert not source.waits("a")
    assert source.keys.find("a") is not None
    source.go_on.set()
    source.settle()


def test_concurrent_callers_share_one_fetch() -> None:
    source = Source("a")
    source.go_on.clear()
    with ThreadPoolExecutor(20) as pool:
        found = [pool.submit(source.find, "a") for _ in range(20)]
        fetches = {id(source.keys.prepare("a")) for _ in range(20)}
        source.go_on.set()

        assert all(one.result(20) for one in found)
    assert len(fetches) == 1
    assert source.fetched == 1


def test_a_caller_who_leaves_does_not_end_the_fetch_of_others() -> None:
    source = Source("a")
    source.go_on.clear()
    fetch = source.keys.prepare("a")
    assert fetch is not None

    assert not fetch.cancel()
    source.go_on.set()
    assert source.find("a")


def test_keys_are_kept_while_the_issuer_is_down_but_not_for_ever() -> None:
    source = Source("a")
    source.find("a")
    source.is_down = True
    for _ in range(11):
        source.now += TIMES.wait_after
        assert source.find("a")

    source.now += TIMES.wait_after
    with pytest.raises(IssuerUnavailable):
        source.find("a")

    source.is_down = False
    source.now += TIMES.retry
    assert source.find("a")


def test_while_the_issuer_is_down_nobody_says_that_a_key_is_not_its_own() -> None:
    source = Source("a")
    source.find("a")
    source.is_down, source.now = True, source.now + TIMES.pause

    with pytest.raises(IssuerUnavailable):
        source.find("new")
    assert source.find("a")

    source.is_down, source.now = False, source.now + TIMES.pause
    assert not source.find("new")


def test_without_any_keys_the_issuer_is_tried_again_soon() -> None:
    source = Source("a")
    source.is_down = True
    for _ in range(5):
        with pytest.raises(IssuerUnavailable):
            source.find("a")
    assert source.fetched == 1

    source.is_down, source.now = False, source.now + TIMES.retry
    assert source.find("a")


def test_a_fetch_that_never_ends_is_given_up() -> None:
    source = Source("a")
    source.go_on.clear()
    stuck = source.keys.prepare("a")
    source.now += TIMES.abandon - 1
    assert source.keys.prepare("a") is stuck

    source.now += 1
    again = source.keys.prepare("a")
    assert again is not None
    assert again is not stuck
    source.go_on.set()
    assert source.find("a")


def test_a_fetch_that_was_given_up_changes_nothing_when_it_ends() -> None:
    now = [1_000.0]
    late, found = Event(), [["b"], ["a"]]

    def fetch() -> KeySet:
        names = found.pop()
        if names == ["a"]:
            assert late.wait(20)
        return read_key_set({"keys": [jwk(ec_key(name), name) for name in names]})

    keys = IssuerKeys(fetch, clock=lambda: now[0])
    given_up = keys.prepare()
    now[0] += TIMES.abandon
    again = keys.prepare()
    assert given_up is not None
    assert again is not None
    again.result(20)
    late.set()
    given_up.result(20)

    assert keys.find("b") is not None
    assert keys.find("a") is None


def test_an_error_of_the_program_leaves_nobody_waiting(caplog: pytest.LogCaptureFixture) -> None:
    def fetch() -> KeySet:
        raise ZeroDivisionError

    keys = IssuerKeys(fetch)
    fetched = keys.prepare("a")
    assert fetched is not None
    fetched.result(20)

    assert "ZeroDivisionError" in caplog.text
    with pytest.raises(IssuerUnavailable):
        keys.find("a")


def test_a_machine_without_threads_is_no_fault_of_the_caller(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = Source("a")
    with monkeypatch.context() as without:
        without.setattr(Thread, "start", _refuse)
        assert source.keys.prepare("a") is None
        with pytest.raises(IssuerUnavailable):
            source.keys.find("a")
    assert "can't start new thread" in caplog.text

    source.now += TIMES.pause
    assert source.find("a")


def _refuse(_: Thread) -> None:
    raise RuntimeError("can't start new thread")


# With a server.


@pytest.mark.parametrize("has_address", [True, False])
def test_the_keys_of_an_issuer_are_found(issuer: Issuer, *, has_address: bool) -> None:
    verifier = issuer.verifier(jwks_url=f"{issuer.url}{KEYS}" if has_address else None)

    assert verifier.read(issuer.token()) == Caller("ann")
    assert asyncio.run(verifier.read_async(issuer.token("ec"))) == Caller("ann")
    assert issuer.requests == ([KEYS] if has_address else [CONFIGURATION, KEYS])


def test_nothing_is_fetched_before_a_token_could_be_valid(issuer: Issuer) -> None:
    verifier = issuer.verifier()
    for text in ("", "nonsense", f"{encoded({'alg': 'none', 'kid': 'rsa'})}.e30.e30"):
        refused(verifier.read, text)

    assert issuer.requests == []
    verifier.prepare()
    assert verifier.read(issuer.token()) == Caller("ann")


@pytest.mark.parametrize(
    "configuration",
    [
        b"<html>",
        b"[]",
        b"{}",
        b'{"issuer": "https://evil.org", "jwks_uri": "https://evil.org/keys"}',
        b'{"issuer": "https://evil.org", "jwks_uri": "%s/keys"}',
        b'{"jwks_uri": "%s/keys"}',
        b'{"issuer": "%s"}',
        b'{"issuer": "%s", "jwks_uri": 3}',
        b'{"issuer": "%s", "jwks_uri": "http://evil.org/keys"}',
        b'{"issuer": "%s", "jwks_uri": "file:///etc/passwd"}',
    ],
)
def test_a_configuration_that_is_not_the_issuer_s_is_not_used(
    issuer: Issuer, configuration: bytes
) -> None:
    body = configuration.replace(b"%s", issuer.url.encode())
    issuer.instead[CONFIGURATION] = 200, {}, body

    with pytest.raises(IssuerUnavailable):
        issuer.verifier().read(issuer.token())
    assert issuer.requests == [CONFIGURATION]


@pytest.mark.parametrize("path", [CONFIGURATION, KEYS])
@pytest.mark.parametrize(
    "instead",
    [
        (500, {}, b""),
        (302, {"location": "/elsewhere"}, b""),
        (200, {}, b"garbage"),
        (200, {}, b'{"keys": 3}'),
        (200, {}, b" " * 1_000_000),
    ],
)
def test_an_issuer_that_fails_is_not_available(
    issuer: Issuer, path: str, instead: tuple[int, dict[str, str], bytes]
) -> None:
    issuer.instead[path] = instead
    verifier = issuer.verifier()

    with pytest.raises(IssuerUnavailable):
        verifier.read(issuer.token())
    with pytest.raises(IssuerUnavailable):
        asyncio.run(verifier.read_async(issuer.token()))


def test_an_empty_key_set_is_no_failure(issuer: Issuer) -> None:
    token = issuer.token()
    issuer.keys = {}

    assert refused(issuer.verifier().read, token) == "the issuer has no such key"


def test_a_slow_issuer_does_not_block_the_event_loop(issuer: Issuer) -> None:
    verifier = issuer.verifier()
    issuer.go_on.clear()

    async def many() -> list[Caller]:
        waiting = [asyncio.create_task(verifier.read_async(issuer.token())) for _ in range(50)]
        for _ in range(100):  # turns of the loop, which go on meanwhile
            await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        waiting[0].cancel()
        issuer.go_on.set()
        return await asyncio.gather(*waiting[1:])

    assert asyncio.run(many()) == [Caller("ann")] * 49
    assert issuer.requests == [CONFIGURATION, KEYS]


def test_a_flood_of_unknown_keys_stalls_nobody_else(issuer: Issuer) -> None:
    clock = [1_000.0]
    keys = IssuerKeys(lambda: keys_of(issuer.url), clock=lambda: clock[0])
    verifier = Verifier(keys, issuer=issuer.url, audiences={AUDIENCE}, algorithms=["RS256"])
    verifier.read(issuer.token())
    clock[0] += TIMES.pause
    issuer.go_on.clear()

    async def flooded() -> None:
        forged = [issuer.token(headers={"kid": f"unknown-{number}"}) for number in range(200)]
        flood = [asyncio.create_task(verifier.read_async(token)) for token in forged]
        await asyncio.sleep(0)
        assert [await verifier.read_async(issuer.token()) for _ in range(20)] == (
            [Caller("ann")] * 20
        )
        assert not any(task.done() for task in flood)
        issuer.go_on.set()
        found = await asyncio.gather(*flood, return_exceptions=True)
        assert {type(one) for one in found} == {NotSignedIn}

    asyncio.run(flooded())
    assert issuer.requests == [CONFIGURATION, KEYS] * 2


def test_a_caller_does_not_wait_for_ever(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IssuerKeys, "patience", 0.05)
    issuer.go_on.clear()
    verifier = issuer.verifier()

    with pytest.raises(IssuerUnavailable):
        verifier.read(issuer.token())
    with pytest.raises(IssuerUnavailable):
        asyncio.run(verifier.read_async(issuer.token()))


def test_a_rotated_key_is_accepted(issuer: Issuer) -> None:
    clock = [1_000.0]
    keys = IssuerKeys(lambda: keys_of(issuer.url), clock=lambda: clock[0])
    verifier = Verifier(keys, issuer=issuer.url, audiences={AUDIENCE}, algorithms=["RS256"])
    old = issuer.token()
    assert verifier.read(old) == Caller("ann")

    issuer.keys = {"new": rsa_key("second")}
    assert refused(verifier.read, issuer.token("new")) == "the issuer has no such key"
    clock[0] += TIMES.pause
    assert verifier.read(issuer.token("new")) == Caller("ann")
    assert refused(verifier.read, old) == "the issuer has no such key"


def test_a_forged_token_with_a_known_id_causes_no_fetch(issuer: Issuer) -> None:
    verifier = issuer.verifier()
    verifier.read(issuer.token())
    before = len(issuer.requests)
    parts: Any = issuer.token().split(".")
    for number in range(100):
        with pytest.raises(NotSignedIn):
            verifier.read(f"{parts[0]}.{encoded(issuer.claims(sub=str(number)))}.{parts[2]}")

    assert len(issuer.requests) == before
