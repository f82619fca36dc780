"""What is sent has the fields that are asked for, and no others, however deep they lie."""

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from sortkey_systems.api.bodies import Given, given_as


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


class Sent(Given):
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
def test_what_is_not_asked_for_is_refused_wherever_it_lies(body: dict[str, object]) -> None:
    assert Book.model_validate(body).title == "Emma", "what is stored is read all the same"
    with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
        TypeAdapter(given_as(Book)).validate_python(body)


def test_what_is_asked_for_is_taken_as_it_was() -> None:
    body = {"title": "Emma", "pages": [PAGE], "cover": PAGE, "by_place": {"first": PAGE}}
    sent = TypeAdapter(given_as(list[Book] | None)).validate_python([body])

    assert [Book.model_validate(each.model_dump()) for each in sent] == [Book.model_validate(body)]


@pytest.mark.parametrize("body", [{"title": "x" * 11}, {"title": "x", "pages": [PAGE] * 3}])
def test_what_holds_of_a_field_holds_of_what_is_sent(body: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(given_as(Book)).validate_python(body)


def test_what_was_sent_is_told_from_what_was_left_out() -> None:
    assert Sent.model_validate({"title": None}).chosen() == {"title": None}


def test_a_body_is_sent_as_it_is() -> None:
    assert given_as(Sent) is Sent
    assert given_as(int) is int
