"""What a report of measurements says of each pattern."""

from collections.abc import Mapping
from dataclasses import dataclass

from sortkey.document.page import Line


@dataclass(frozen=True, slots=True)
class Measured:
    """What one pattern was found to cost."""

    line: Line


NOTHING: Mapping[str, Measured] = {}
