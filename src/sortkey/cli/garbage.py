"""The garbage collector, kept away from what is no garbage."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


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
