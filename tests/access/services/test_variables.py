"""The variables of a function's environment, and the folders that they name."""

from pathlib import Path

import pytest

from sortkey.access.services.variables import folder_of, variable_of


def test_a_variable_is_in_upper_case_without_dashes() -> None:
    assert variable_of("QUEUE", "room-events") == "QUEUE_ROOM_EVENTS"


@pytest.mark.parametrize("path", ["/tmp/queues/events", "/tmp/two words/ånd #1", "/tmp/50%25"])
def test_a_url_names_the_folder_that_it_was_made_of(path: str) -> None:
    assert folder_of(Path(path).as_uri()) == Path(path)


@pytest.mark.parametrize("text", ["my-bucket", "https://sqs.eu-west-1.amazonaws.com/1/events"])
def test_other_values_name_no_folder(text: str) -> None:
    assert folder_of(text) is None
