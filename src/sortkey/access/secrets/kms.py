"""AWS KMS: data keys that the key service makes, wraps and unwraps, remembered for a while.

botocore is imported only when the service is first asked.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import Any, Protocol

from sortkey.access.credentials import aws_session
from sortkey.access.endpoint import SettingsError
from sortkey.access.regions import aws_region
from sortkey.access.secrets.keys import checked_name
from sortkey.access.secrets.sealed import DataKey
from sortkey.errors import KeyUnavailable
from sortkey.operations.conversation import Conversation, Errand

_PURPOSE = MappingProxyType({"purpose": "sortkey secrets"})
_NOT_WRAPPED_HERE = frozenset({"InvalidCiphertextException", "IncorrectKeyException"})


class KmsClient(Protocol):
    """What is asked of KMS: botocore's client, or one like it."""

    def generate_data_key(
        self,
        *,
        KeyId: str,  # noqa: N803 - as AWS spells it
        KeySpec: str,  # noqa: N803
        EncryptionContext: Mapping[str, str],  # noqa: N803
    ) -> dict[str, Any]:
        """A new data key, in clear and wrapped."""
        ...

    def decrypt(
        self,
        *,
        KeyId: str,  # noqa: N803 - as AWS spells it
        CiphertextBlob: bytes,  # noqa: N803
        EncryptionContext: Mapping[str, str],  # noqa: N803
    ) -> dict[str, Any]:
        """A wrapped data key in clear."""
        ...


class NotWrappedHere(KeyUnavailable):
    """A data key that this KMS key did not wrap."""


@dataclass(slots=True)
class _Remembered:
    key: DataKey
    until: float
    uses: int = 0


class KmsKey:
    """A key in AWS KMS, which never leaves it.

    It wraps data keys, and those seal. One data key seals at most ``uses`` secrets within
    ``seconds``; unwrapped ones are remembered as long, at most ``remembered`` of them.
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
        context: Mapping[str, str] = _PURPOSE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if seconds <= 0 or uses < 1 or remembered < 1:
            raise SettingsError(
                f'the key "{name}" would be asked of KMS without end: seconds, uses and remembered '
                "are more than nothing"
            )
        self.name = checked_name(name)
        self.key_id = key_id
        self._where = (region, profile)
        self._client = client
        self._seconds, self._most_uses, self._most_remembered = seconds, uses, remembered
        self._context = dict(context)
        self._clock = clock
        self._lock = Lock()  # held while KMS is asked, so that it is asked once
        self._writing: _Remembered | None = None
        self._read: OrderedDict[bytes, _Remembered] = OrderedDict()

    def for_writing(self) -> Conversation[DataKey]:
        """The current data key; a new one where it has served long enough."""
        while (found := self._to_write_with()) is None:
            yield Errand(self._generate)
        found.uses += 1
        return found.key

    def for_reading(self, wrapped: bytes) -> Conversation[DataKey]:
        """The data key that was wrapped like this."""
        while (found := self._to_read_with(wrapped)) is None:
            yield Errand(lambda: self._unwrap(wrapped))
        return found.key

    def _to_write_with(self) -> _Remembered | None:
        found = self._writing
        if found is None or found.until <= self._clock() or found.uses >= self._most_uses:
            return None
        return found

    def _to_read_with(self, wrapped: bytes) -> _Remembered | None:
        found = self._read.get(wrapped)
        return None if found is None or found.until <= self._clock() else found

    def _generate(self) -> None:
        with self._lock:
            if self._to_write_with() is not None:
                return
            made = self._ask(
                lambda kms: kms.generate_data_key(
                    KeyId=self.key_id, KeySpec="AES_256", EncryptionContext=self._context
                )
            )
            self._writing = self._remember(made["Plaintext"], made["CiphertextBlob"])

    def _unwrap(self, wrapped: bytes) -> None:
        with self._lock:
            if self._to_read_with(wrapped) is not None:
                return
            # Naming the key keeps out data keys that somebody else's KMS key has wrapped.
            made = self._ask(
                lambda kms: kms.decrypt(
                    KeyId=self.key_id, CiphertextBlob=wrapped, EncryptionContext=self._context
                )
            )
            self._remember(made["Plaintext"], wrapped)

    def _remember(self, material: bytes, wrapped: bytes) -> _Remembered:
        made = _Remembered(DataKey(self.name, material, wrapped), self._clock() + self._seconds)
        self._read[wrapped] = made
        self._read.move_to_end(wrapped)
        while len(self._read) > self._most_remembered:
            self._read.popitem(last=False)
        return made

    def _ask(self, question: Callable[[KmsClient], dict[str, Any]]) -> dict[str, Any]:
        if self._client is None:
            self._client = self._new_client()
        try:
            return question(self._client)
        except Exception as error:
            code = _code(error)
            kind = NotWrappedHere if code in _NOT_WRAPPED_HERE else KeyUnavailable
            raise kind(
                f'KMS did not give a key for "{self.name}" ({self.key_id}): {code}'
            ) from error

    def _new_client(self) -> KmsClient:
        region, profile = self._where
        session: Any = aws_session(profile)
        return session.create_client("kms", region_name=aws_region(region, profile=profile))

    def __repr__(self) -> str:
        return f"KmsKey({self.name!r}, {self.key_id!r})"


def _code(error: Exception) -> str:
    """The code that AWS gives, or the kind of error."""
    response: Any = getattr(error, "response", {})
    return str(response.get("Error", {}).get("Code", type(error).__name__))
