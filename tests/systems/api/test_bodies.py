"""Requests reject unknown fields at every depth."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from sortkey_systems.api.bodies import RequestBody, request_type


class Page(BaseModel):
    """A page of a book."""

    number: int
    kind: Literal["text", "picture"] = "text"


class Book(BaseModel):
    """A book, which is stored with whatever others know of it."""

    title: Annotated[str, Field(max_length=10)]
    pages: Annotated[list[Page], Field(max_length=2)] = Field(default_factory=list[Page])
    cover: Page | None = None
    by_place: dict[str, Page] = Field(default_factory=dict[str, Page])


class Sent(RequestBody):
    """A title that is sent."""

    title: str | None = None
    year: int | None = None


PAGE = {"number": 1}
WRONG = {**PAGE, "colour": "red"}


@pytest.mark.parametrize(
    "body",
    [
        {"title": "Emma", "owner": "ann"},
        {"title": "Emma", "pages": [WRONG]},
        {"title": "Emma", "cover": WRONG},
        {"title": "Emma", "by_place": {"first": WRONG}},
    ],
)
def test_unknown_fields_are_rejected_at_every_depth(body: dict[str, object]) -> None:
    assert Book.model_validate(body).title == "Emma", "what is stored is read all the same"
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        TypeAdapter(request_type(Book)).validate_python(body)


def test_known_fields_are_accepted_unchanged() -> None:
    body = {"title": "Emma", "pages": [PAGE], "cover": PAGE, "by_place": {"first": PAGE}}
    sent = TypeAdapter(request_type(list[Book] | None)).validate_python([body])

    assert [Book.model_validate(each.model_dump()) for each in sent] == [Book.model_validate(body)]


@pytest.mark.parametrize("body", [{"title": "x" * 11}, {"title": "x", "pages": [PAGE] * 3}])
def test_constraints_of_fields_hold_in_requests(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(request_type(Book)).validate_python(body)


def test_sent_fields_exclude_omitted_ones() -> None:
    assert Sent.model_validate({"title": None}).sent_fields() == {"title": None}


def test_a_request_body_is_not_wrapped_again() -> None:
    assert request_type(Sent) is Sent
    assert request_type(int) is int
