"""A page: some records in order, and the cursor of the next page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Page(Generic[R_co]):
    """Records in order; ``cursor`` continues after the last one, and is None at the end."""

    items: list[R_co]
    cursor: str | None = None

    def __iter__(self) -> Iterator[R_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
