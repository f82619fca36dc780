"""Get: one record by its key, or none, or an error that names what is missing."""

from typing import Any

import pytest
from pydantic import BaseModel
from tests.operations.conversation import NOW, play
from tests.operations.design import Note, Visit

from sortkey import NotFound, Refused

KEY: dict[str, Any] = {"PK": {"S": "VISIT#v"}, "SK": {"S": "VISIT"}}
STORED = KEY | {"_type": {"S": "Visit"}, "visit_id": {"S": "v"}, "hits": {"N": "2"}}


class Hits(BaseModel):
    hits: int


def test_it_is_one_question() -> None:
    heard = play(Visit.get(visit_id="v"), {"Item": STORED})

    assert heard.request == ("GetItem", {"TableName": "test-shop", "Key": KEY})
    assert heard.result == Visit(visit_id="v", hits=2)


def test_a_missing_expired_or_foreign_record_is_none() -> None:
    expired = STORED | {"expires": {"N": str(int(NOW) - 1)}}
    answers: list[dict[str, Any]] = [
        {},
        {"Item": expired},
        {"Item": STORED | {"_type": {"S": "Note"}}},
    ]

    for answer in answers:
        assert play(Visit.get(visit_id="v"), answer).result is None


def test_a_required_one_is_named_where_it_is_missing() -> None:
    required = Visit.get(visit_id="v").required()

    with pytest.raises(NotFound, match=r"Visit .*VISIT#v.* does not exist") as missing:
        play(required, {})

    assert missing.value.entity == "Visit"
    assert missing.value.key == {"PK": "VISIT#v", "SK": "VISIT"}
    assert required._plan() == Visit.get(visit_id="v")._plan()


def test_a_model_of_some_fields_reads_these_and_the_kind_and_expiry() -> None:
    heard = play(Visit.get(visit_id="v").select(Hits), {"Item": STORED})

    assert heard.result == Hits(hits=2)
    projected = set(heard.request.body["ExpressionAttributeNames"].values())
    assert projected == {"hits", "PK", "SK", "expires", "_type"}


def test_a_model_of_other_fields_is_refused() -> None:
    with pytest.raises(Refused, match=r"Hits\.hits is not a field of Note"):
        Note.get(note_id="n").select(Hits)
    with pytest.raises(Refused, match=r"select\(\) takes a Pydantic model, not 'hits'"):
        Note.get(note_id="n").select("hits")  # pyright: ignore[reportArgumentType]
