import logging

from sortkey.cli.weather_log import OnceASecond


def record(message: str, at: float) -> logging.LogRecord:
    made = logging.LogRecord("weather", logging.INFO, "", 0, message, None, None)
    made.created = at
    return made


def test_a_message_is_logged_once_a_second() -> None:
    once = OnceASecond()
    messages = [("a", 1.0), ("a", 1.5), ("b", 1.6), ("a", 1.9), ("a", 2.0), ("b", 2.1), ("b", 2.2)]

    assert [once.filter(record(*each)) for each in messages] == [
        True, False, True, False, True, True, False
    ]  # fmt: skip
