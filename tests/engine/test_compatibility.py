"""The compatibility page."""

from pathlib import Path

import botocore.session

from sortkey.engine.actions import ACTIONS
from sortkey.engine.compatibility import ABSENT, DIFFERENCES, IGNORED, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "compatibility.md"
SERVICE = botocore.session.get_session().get_service_model("dynamodb")


def test_the_page_in_the_docs_is_the_one_that_is_made_from_the_actions() -> None:
    assert PAGE.read_text() == page(), "run `make docs`"


def test_every_operation_of_the_service_is_answered_or_listed_as_absent() -> None:
    absent = {name for names in ABSENT.values() for name in names}

    assert ACTIONS.keys() | absent == set(SERVICE.operation_names)
    assert not ACTIONS.keys() & absent


def test_every_parameter_of_the_service_is_declared_or_listed_as_ignored() -> None:
    for name, action in ACTIONS.items():
        shape = SERVICE.operation_model(name).input_shape
        expected = set(shape.members) if shape else set[str]()
        ignored = {member for owner, member in IGNORED if owner == name}

        assert action.shape.members.keys() | ignored == expected, name
        assert not action.shape.members.keys() & ignored, name


def test_differences_are_about_parameters_that_exist() -> None:
    assert all(member in ACTIONS[name].shape.members for name, member in DIFFERENCES)
