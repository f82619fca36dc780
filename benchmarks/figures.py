"""Figures with their spread, from several measurements."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Series:
    """Several measurements of one figure."""

    samples: tuple[float, ...]
    errors: int = 0
    one_at_a_time: bool = False

    @property
    def median(self) -> float:
        """The figure to quote."""
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """Half the distance from the smallest to the largest, relative to the median."""
        if not self.median:
            return 0
        return (max(self.samples) - min(self.samples)) / 2 / self.median

    def as_json(self) -> dict[str, Any]:
        """Return the series as JSON values."""
        return {
            "median": self.median,
            "spread": self.spread,
            "samples": list(self.samples),
            "errors": self.errors,
            "one_at_a_time": self.one_at_a_time,
        }


Measured = Mapping[str, Mapping[str, Series]]
"""Requests a second, by operation and then by engine."""


def ratio(of: Series, to: Series) -> float:
    """Return how many times as large the first figure is as the second."""
    return of.median / to.median if to.median else float("inf")


@dataclass(frozen=True, slots=True)
class Target:
    """A target, and the figure that meets or misses it."""

    promise: str
    figure: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the figure meets the target."""
        above = self.at_least is None or self.figure >= self.at_least
        return above and (self.at_most is None or self.figure <= self.at_most)

    def as_json(self) -> dict[str, Any]:
        """Return the target as JSON values."""
        return {
            "promise": self.promise,
            "figure": self.figure,
            "unit": self.unit,
            "at_least": self.at_least,
            "at_most": self.at_most,
            "kept": self.kept,
        }
