"""Time, injected: seconds since 1970 as a float, so that a test can move it."""

from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]
