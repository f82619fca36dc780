"""The log of the weather on a terminal: each event once a second."""

import logging

_LOGGER = "sortkey.engine.weather"


class OnceASecond(logging.Filter):
    """Leaves out a message that was logged in the same second: throttling comes in thousands."""

    def __init__(self) -> None:
        super().__init__()
        self._second = 0
        self._seen: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record."""
        if int(record.created) != self._second:
            self._second = int(record.created)
            self._seen.clear()
        message = record.getMessage()
        is_new = message not in self._seen
        self._seen.add(message)
        return is_new


def log_weather() -> None:
    """Write what the weather does to the standard error output."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s weather: %(message)s", "%H:%M:%S"))
    handler.addFilter(OnceASecond())
    logger = logging.getLogger(_LOGGER)
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    logger.propagate = False
