"""The keys of an issuer, fetched when a token needs them, and cached.

A token names its key. A known key is used at once: while it is younger than five minutes without
further ado, and up to an hour while the keys are fetched again beside it. Only then do callers wait
for the fetch, and if the issuer is down, its keys are used for up to twelve hours.

A token with an unknown key may be of a key that is new, so the keys are fetched; but so may every
token that somebody makes up. Therefore all callers share one fetch, and the next one begins at the
earliest ten seconds after it. In the meantime, unknown keys are refused at once. Callers with known
keys never wait for those with unknown ones.
"""

import logging
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Lock, Thread

from sortkey_systems.api.callers import IssuerUnavailable
from sortkey_systems.api.fetching import FetchFailed, fetch_json
from sortkey_systems.api.public_keys import BadKeySet, PublicKey, read_key_set

_log = logging.getLogger(__name__)

KeySet = Mapping[str, PublicKey]
_DISCOVERY = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class KeyTimes:
    """The times of cached keys, in seconds.

    From ``refresh_after``, the keys are fetched again beside their use; from ``wait_after``,
    callers wait for that; from ``keep``, keys are no longer used. ``pause`` is between two fetches,
    and ``retry`` between two that failed while there are no keys. A caller waits for at most
    ``patience``, and a fetch that has not ended after ``abandon`` is given up.
    """

    refresh_after: float = 300
    wait_after: float = 3_600
    keep: float = 43_200
    pause: float = 10
    retry: float = 2
    patience: float = 6
    abandon: float = 30


TIMES = KeyTimes()


@dataclass(frozen=True, slots=True)
class _Fetch:
    began: float
    done: Future[None]


class IssuerKeys:
    """The keys that ``fetch`` returns, cached; safe to use in several threads."""

    def __init__(
        self,
        fetch: Callable[[], KeySet],
        *,
        times: KeyTimes = TIMES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._times = times
        self._clock = clock
        self._lock = Lock()
        self._keys: KeySet = {}
        self._fetched_at: float | None = None
        self._under_way: _Fetch | None = None
        self._next_at = float("-inf")
        self._has_failed = False

    @property
    def patience(self) -> float:
        """The seconds that a caller waits for a fetch at most."""
        return self._times.patience

    def prepare(self, key_id: str | None = None) -> Future[None] | None:
        """Return the fetch to wait for before `find`, or None if there is nothing to wait for.

        It may begin one in a thread of its own.
        """
        with self._lock:
            now = self._clock()
            age = self._age(now)
            is_known = key_id in self._keys and age < self._times.keep
            if is_known and age < self._times.refresh_after:
                return None
            fetch = self._fetch_at(now)
            return None if is_known and age < self._times.wait_after else fetch

    def find(self, key_id: str) -> PublicKey | None:
        """Return a key, or None if the issuer has no such key.

        Raises:
            IssuerUnavailable: The issuer's keys are not known, so nobody knows whether it has.
        """
        with self._lock:
            is_usable = self._age(self._clock()) < self._times.keep
            found = self._keys.get(key_id) if is_usable else None
            if found is None and (not is_usable or self._has_failed):
                raise IssuerUnavailable("the keys of the issuer cannot be fetched")
            return found

    def _age(self, now: float) -> float:
        return float("inf") if self._fetched_at is None else now - self._fetched_at

    def _fetch_at(self, now: float) -> Future[None] | None:
        """Return the fetch under way, or a new one unless the last one was just now."""
        known = self._under_way
        if known is not None and now - known.began < self._times.abandon:
            return known.done
        if now < self._next_at:
            return None
        begun = self._under_way = _Fetch(now, Future())
        begun.done.set_running_or_notify_cancel()  # a caller who leaves cannot cancel it
        # Until it ends: a thread that dies must not let each request begin another one.
        self._next_at = now + self._times.pause
        try:
            Thread(target=self._run, args=(begun,), name="issuer-keys", daemon=True).start()
        except RuntimeError as error:
            self._under_way, self._has_failed = None, True
            _log.warning("the keys of the issuer cannot be fetched: %s", error)
            return None
        return begun.done

    def _run(self, fetch: _Fetch) -> None:
        keys: KeySet | None = None
        try:
            keys = self._fetch()
        except FetchFailed as error:
            _log.warning("the keys of the issuer cannot be fetched: %s", error)
        except Exception:  # noqa: BLE001 - a thread that dies would leave its callers waiting
            _log.exception("the keys of the issuer cannot be fetched")
        with self._lock:
            if self._under_way is fetch:
                self._end(keys)
        fetch.done.set_result(None)

    def _end(self, keys: KeySet | None) -> None:
        now = self._clock()
        self._under_way = None
        self._has_failed = keys is None
        if keys is not None:
            self._keys, self._fetched_at = keys, now
        is_blind = self._age(now) >= self._times.keep
        self._next_at = now + (self._times.retry if is_blind else self._times.pause)


def keys_at(address: str) -> KeySet:
    """Return the keys at an address, or raise `FetchFailed`."""
    try:
        return read_key_set(fetch_json(address))
    except BadKeySet as error:
        raise FetchFailed(f"{address} is not a key set: {error}") from error


def keys_of(issuer: str) -> KeySet:
    """Return the keys of an issuer, whose OpenID configuration says where they are.

    Raises:
        FetchFailed: They cannot be fetched, or the configuration is that of another issuer.
    """
    place = f"{issuer.rstrip('/')}{_DISCOVERY}"
    found = fetch_json(place)
    configuration = found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]  # any JSON
    if configuration.get("issuer") != issuer:  # pyright: ignore[reportUnknownMemberType]
        raise FetchFailed(f"{place} is not the configuration of {issuer}")
    address = configuration.get("jwks_uri")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if not isinstance(address, str):
        raise FetchFailed(f"{place} has no jwks_uri")
    return keys_at(address)
