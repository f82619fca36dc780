"""What an operation says while it runs: requests to send, and what to wait for in between."""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias, TypeVar

from sortkey.wire.messages import Request

T = TypeVar("T")

Answer: TypeAlias = dict[str, Any]


class Pause(NamedTuple):
    """A step that waits instead of asking; its answer is empty."""

    seconds: float


class Errand(NamedTuple):
    """A step that asks somebody other than DynamoDB, such as a key service; its answer is empty."""

    run: Callable[[], None]


Conversation: TypeAlias = Generator[Request | Pause | Errand, Answer, T]
