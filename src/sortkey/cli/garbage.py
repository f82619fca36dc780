"""The garbage collector, kept away from what is no garbage."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

# So many new objects that may be garbage before it looks for some; Python's own choice is 700.
_MANY = 20_000


def collect_rarely() -> None:
    """Look for garbage rarely: a command makes many small values, which die by themselves."""
    gc.set_threshold(_MANY, *gc.get_threshold()[1:])


@contextmanager
def kept_for_good() -> Generator[None]:
    """Within the block, make what lives as long as the command: modules and a design's classes.

    The collector would look at them again and again, and find nothing.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
