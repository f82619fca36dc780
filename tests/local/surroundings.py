"""Surroundings for the parts of a run, with a clock that a test moves."""

from io import StringIO
from pathlib import Path

from sortkey.design.declaring.deployed_names import DeployedNames
from sortkey.local.log import Log
from sortkey.local.meters import LocalMeters
from sortkey.local.state import RunState
from sortkey.local.surroundings import Surroundings
from sortkey.synth.programs.names import ProgramNames

NOW = 1_700_000_000.0


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = NOW

    def __call__(self) -> float:
        return self.time


class Place:
    """Surroundings whose log and clock a test looks at."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.out = StringIO()
        self.state = RunState(folder)
        self.around = Surroundings(
            self.state,
            self.clock,
            Log(self.out, self.clock),
            LocalMeters(self.clock),
            ProgramNames(DeployedNames("notes-dev")),
        )

    @property
    def log(self) -> str:
        return self.out.getvalue()

    def total(self, name: str, **dimensions: str) -> float:
        return self.around.meters.total(name, **dimensions)
