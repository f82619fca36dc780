"""What every part of a run shares: the log, the meters, the clock, the names and the state."""

from collections.abc import Callable
from dataclasses import dataclass

from sortkey.clock import Clock
from sortkey.local.log import Log
from sortkey.local.meters import LocalMeters
from sortkey.local.state import KeptClock, RunState
from sortkey.synth.programs.names import ProgramNames


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the parts of one run share."""

    state: RunState
    clock: Clock
    log: Log
    meters: LocalMeters
    names: ProgramNames

    def ahead(self) -> float:
        """Return how far the clock is ahead of real time, for other processes."""
        return self.clock.distance if isinstance(self.clock, KeptClock) else 0.0

    def say(self, source: str) -> Callable[[str], None]:
        """Return a function that writes lines of one source to the log."""
        return lambda text: self.log.write(source, text)
