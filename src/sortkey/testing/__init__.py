"""For tests of applications: every interleaving of calls that can race, explored."""

from sortkey.testing.explore import Exploration, ExplorationFailed, explore
from sortkey.testing.outcome import Outcome

__all__ = ["Exploration", "ExplorationFailed", "Outcome", "explore"]
