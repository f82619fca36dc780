"""Settings of Hypothesis: reproducible, and without output."""

from typing import Any, cast

from hypothesis import HealthCheck, Phase, Verbosity, settings

# A strict design makes valid cases rare and slow; that is not a fault.
_NONE: Any = cast("Any", list)(HealthCheck)


def quiet_settings(tries: int) -> settings:
    """Return settings for so many cases and the smallest that fails, without a database."""
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
