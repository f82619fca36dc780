"""What the user of `sortkey package` chooses."""

from dataclasses import dataclass, field
from pathlib import Path

from sortkey.assets.target import Target


@dataclass(frozen=True, slots=True)
class Choices:
    """A target, a file of pins, and what goes in or stays out in any case."""

    target: Target = field(default_factory=Target)
    requirements: Path | None = None
    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    bytecode: bool = True
