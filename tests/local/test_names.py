"""Functions and queues have the names that the stack gives them, so that alarms find them."""

from sortkey.local.names import LocalNames

NAMES = LocalNames("notes-dev")


def test_names_begin_with_the_prefix_of_the_design() -> None:
    assert NAMES.function("read") == "notes-dev-read"
    assert NAMES.queue("events") == "notes-dev-events"
    assert NAMES.dead_letters("events") == "notes-dev-events-dead-letters"
    assert NAMES.failed_events("read") == "notes-dev-read-failed-events"
    assert NAMES.rule("read", 1) == "notes-dev-read"
    assert NAMES.rule("read", 2) == "notes-dev-read-2"
    assert NAMES.api("api") == "notes-dev-api"


def test_names_are_as_long_as_aws_allows() -> None:
    long = "x" * 200

    assert len(NAMES.function(long)) <= 64
    assert len(NAMES.queue(long)) <= 80
    assert len(NAMES.failed_events(long)) <= 80
