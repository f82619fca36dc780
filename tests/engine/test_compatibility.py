"""The compatibility page."""

from pathlib import Path

import botocore.session

from sortkey.engine.actions import (
    ACTIONS,
    ADMINISTRATIVE_ACTIONS,
    DATA_ACTIONS,
    STREAM_ACTIONS,
)
from sortkey.engine.compatibility import ABSENT, DIFFERENCES, IGNORED, page
from sortkey.wire.services import ADMINISTRATIVE_OPERATIONS, STREAM_OPERATIONS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compatibility.md"
SERVICE = botocore.session.get_session().get_service_model("dynamodb")
STREAMS = botocore.session.get_session().get_service_model("dynamodbstreams")


def test_the_page_in_the_docs_is_the_one_that_is_made_from_the_actions() -> None:
    assert PAGE.read_text() == page(), "run `make docs`"


def test_every_operation_of_the_service_is_answered_or_listed_as_absent() -> None:
    absent = {name for names in ABSENT.values() for name in names}

    assert DATA_ACTIONS.keys() | absent == set(SERVICE.operation_names)
    assert not DATA_ACTIONS.keys() & absent
    assert STREAM_ACTIONS.keys() == set(STREAMS.operation_names)


def test_every_operation_is_known_to_its_service() -> None:
    assert STREAM_ACTIONS.keys() == STREAM_OPERATIONS
    assert ADMINISTRATIVE_ACTIONS.keys() == ADMINISTRATIVE_OPERATIONS


def test_every_parameter_of_the_service_is_declared_or_listed_as_ignored() -> None:
    for name, action in (DATA_ACTIONS | STREAM_ACTIONS).items():
        service = STREAMS if name in STREAM_ACTIONS else SERVICE
        shape = service.operation_model(name).input_shape
        expected = set(shape.members) if shape else set[str]()
        ignored = {member for owner, member in IGNORED if owner == name}

        assert action.shape.members.keys() | ignored == expected, name
        assert not action.shape.members.keys() & ignored, name


def test_differences_are_about_parameters_that_exist() -> None:
    assert all(member in ACTIONS[name].shape.members for name, member in DIFFERENCES)
