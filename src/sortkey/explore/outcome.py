"""The outcome of a call."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result or the error of a call; a call that crashed has neither."""

    name: str
    result: Any = None
    error: BaseException | None = None
    crashed: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the call returned."""
        return self.error is None and not self.crashed

    def __str__(self) -> str:
        if self.crashed:
            return "crashed"
        if self.error is not None:
            return f"raised {type(self.error).__name__}: {self.error}"
        return "returned" if self.result is None else f"returned {self.result!r}"
