"""What the user of `sortkey package` chooses."""

from dataclasses import dataclass, field
from pathlib import Path

from sortkey.assets.target import LambdaTarget


@dataclass(frozen=True, slots=True)
class PackageChoices:
    """A target, a file of pins, and what goes in or stays out in any case."""

    target: LambdaTarget = field(default_factory=LambdaTarget)
    requirements: Path | None = None
    included: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    bytecode: bool = True
