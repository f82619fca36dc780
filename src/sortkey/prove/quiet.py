"""How Hypothesis is run here: the same each time, and without a word."""

from typing import Any, cast

from hypothesis import HealthCheck, Phase, Verbosity, settings

# Cases are rare and slow where a design is strict, and that is no fault of theirs.
_NONE: Any = cast("Any", list)(HealthCheck)


def quietly(tries: int) -> settings:
    """So many cases, and then the smallest that fails; nothing is kept for the next time."""
    return settings(
        database=None,
        deadline=None,
        derandomize=False,
        max_examples=tries,
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=_NONE,
        verbosity=Verbosity.quiet,
    )
