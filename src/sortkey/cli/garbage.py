"""Settings of the garbage collector that make commands faster."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

# The number of new objects after which the collector runs; Python's default is 700.
_MANY = 20_000


def collect_rarely() -> None:
    """Run the collector rarely: most values of a command are freed by reference counting."""
    gc.set_threshold(_MANY, *gc.get_threshold()[1:])


@contextmanager
def kept_for_good() -> Generator[None]:
    """Exempt objects made in the block from collection, such as modules and a design's classes.

    They live as long as the command, and the collector would examine them again and again.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
