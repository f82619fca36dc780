"""AWS KMS: data keys that the key service creates, wraps and unwraps, cached for a while.

botocore is imported only when the service is first called.
"""

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

from sortkey.access.certificates import trusted_file
from sortkey.access.credentials import aws_session
from sortkey.access.endpoint import Endpoint, SettingsError
from sortkey.access.regions import aws_region
from sortkey.access.secrets.keys import checked_name
from sortkey.access.secrets.stored_form import DataKey
from sortkey.access.transports.proxies import proxy_for
from sortkey.errors import KeyUnavailable
from sortkey.operations.conversation import Conversation, ExternalCall
from sortkey.operations.secrets import PURPOSE

_NOT_WRAPPED_HERE = frozenset({"InvalidCiphertextException", "IncorrectKeyException"})


class KmsClient(Protocol):
    """The part of botocore's KMS client that sortkey uses."""

    def generate_data_key(
        self,
        *,
        KeyId: str,  # noqa: N803 - as AWS spells it
        KeySpec: str,  # noqa: N803
        EncryptionContext: Mapping[str, str],  # noqa: N803
    ) -> dict[str, Any]:
        """Return a new data key, as plaintext and wrapped."""
        ...

    def decrypt(
        self,
        *,
        KeyId: str,  # noqa: N803 - as AWS spells it
        CiphertextBlob: bytes,  # noqa: N803
        EncryptionContext: Mapping[str, str],  # noqa: N803
    ) -> dict[str, Any]:
        """Return a wrapped data key as plaintext."""
        ...


class NotWrappedHere(KeyUnavailable):
    """This KMS key did not wrap a data key."""


@dataclass(slots=True)
class _Cached:
    key: DataKey
    until: float
    uses: int = 0


class KmsKey:
    """A key in AWS KMS, which never leaves it.

    The key wraps data keys, which encrypt the secrets. One data key encrypts at most ``uses``
    secrets within ``seconds``; unwrapped data keys are cached for as long, at most ``remembered``
    of them.
    """

    def __init__(
        self,
        name: str,
        key_id: str,
        *,
        region: str | None = None,
        profile: str | None = None,
        client: KmsClient | None = None,
        seconds: float = 300.0,
        uses: int = 100_000,
        remembered: int = 1_000,
        context: Mapping[str, str] = PURPOSE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if seconds <= 0 or uses < 1 or remembered < 1:
            raise SettingsError(
                f'the key "{name}" would call KMS endlessly: seconds, uses and remembered must be '
                "greater than 0"
            )
        self.name = checked_name(name)
        self.key_id = key_id
        self._where = (region, profile)
        self._client = client
        self._seconds, self._most_uses, self._most_remembered = seconds, uses, remembered
        self._context = dict(context)
        self._clock = clock
        self._lock = Lock()  # held while KMS is called, so that it is called once
        self._writing: _Cached | None = None
        self._read: OrderedDict[bytes, _Cached] = OrderedDict()

    def _for_writing(self) -> Conversation[DataKey]:
        """Return the current data key, or a new one if it has reached a limit."""
        while (found := self._to_write_with()) is None:
            yield ExternalCall(self._generate)
        found.uses += 1
        return found.key

    def _for_reading(self, wrapped: bytes) -> Conversation[DataKey]:
        """Return the data key whose wrapped form this is."""
        while (found := self._to_read_with(wrapped)) is None:
            yield ExternalCall(lambda: self._unwrap(wrapped))
        return found.key

    def _to_write_with(self) -> _Cached | None:
        found = self._writing
        if found is None or found.until <= self._clock() or found.uses >= self._most_uses:
            return None
        return found

    def _to_read_with(self, wrapped: bytes) -> _Cached | None:
        found = self._read.get(wrapped)
        return None if found is None or found.until <= self._clock() else found

    def _generate(self) -> None:
        with self._lock:
            if self._to_write_with() is not None:
                return
            made = self._call(
                lambda kms: kms.generate_data_key(
                    KeyId=self.key_id, KeySpec="AES_256", EncryptionContext=self._context
                )
            )
            self._writing = self._remember(made["Plaintext"], made["CiphertextBlob"])

    def _unwrap(self, wrapped: bytes) -> None:
        with self._lock:
            if self._to_read_with(wrapped) is not None:
                return
            # Naming the key rejects data keys that another KMS key has wrapped.
            made = self._call(
                lambda kms: kms.decrypt(
                    KeyId=self.key_id, CiphertextBlob=wrapped, EncryptionContext=self._context
                )
            )
            self._remember(made["Plaintext"], wrapped)

    def _remember(self, material: bytes, wrapped: bytes) -> _Cached:
        made = _Cached(DataKey(self.name, material, wrapped), self._clock() + self._seconds)
        self._read[wrapped] = made
        self._read.move_to_end(wrapped)
        while len(self._read) > self._most_remembered:
            self._read.popitem(last=False)
        return made

    def _call(self, request: Callable[[KmsClient], dict[str, Any]]) -> dict[str, Any]:
        if self._client is None:
            self._client = self._new_client()
        try:
            return request(self._client)
        except Exception as error:
            code = _code(error)
            kind = NotWrappedHere if code in _NOT_WRAPPED_HERE else KeyUnavailable
            raise kind(
                f'KMS did not return a data key for "{self.name}" ({self.key_id}): {code}'
            ) from error

    def _new_client(self) -> KmsClient:
        region, profile = self._where
        session: Any = aws_session(profile)
        trusted = trusted_file()  # always called, because its error is clearer than botocore's
        settings: dict[str, Any] = {
            "region_name": aws_region(region, profile=profile),
            "verify": session.get_config_variable("ca_bundle") or trusted,
        }
        client = session.create_client("kms", **settings)
        if not any(name.lower().endswith("_proxy") for name in os.environ):
            return client
        # botocore reads fewer of these variables than sortkey, so it gets the resolved proxy.
        from botocore.config import Config  # noqa: PLC0415 - an extra; the session found it

        endpoint = Endpoint.parse(client.meta.endpoint_url)
        proxy = proxy_for(endpoint, os.environ)
        proxies = {endpoint.scheme: os.environ[proxy.variable]} if proxy else {}
        return session.create_client("kms", config=Config(proxies=proxies), **settings)

    def __repr__(self) -> str:
        return f"KmsKey({self.name!r}, {self.key_id!r})"


def _code(error: Exception) -> str:
    """Return AWS's code for the error, or the name of its class."""
    response: Any = getattr(error, "response", {})
    return str(response.get("Error", {}).get("Code", type(error).__name__))
