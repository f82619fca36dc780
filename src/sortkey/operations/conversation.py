"""The steps of a running operation: requests to send, pauses, and calls to other services."""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from sortkey.wire.messages import Request

T = TypeVar("T")

Answer: TypeAlias = dict[str, Any]


class Pause(NamedTuple):
    """A step that only waits; its response is empty."""

    seconds: float


class ExternalCall(NamedTuple):
    """A step that calls another service than DynamoDB, such as KMS; its response is empty."""

    run: Callable[[], None]


Conversation: TypeAlias = Generator[Request | Pause | ExternalCall, Answer, T]
