"""Put: whole records, created, overwritten or replaced."""

import pytest
from tests.operations.design import Badge, Event, Letter, Note, Shop, Task, User

from sortkey import DB, ConditionFailed, Refused


def test_an_immutable_record_is_created_and_no_more() -> None:
    event = Event(event_id="e")

    assert event.create().params()["Item"]["event_id"] == {"S": "e"}
    for write in (event.put, event.replace):
        with pytest.raises(Refused, match=r"Event is immutable: create\(\) is the only way"):
            write()


@pytest.mark.parametrize("write", ["put", "replace"])
def test_an_immutable_field_stays_whatever_is_written_over_it(write: str) -> None:
    with DB.memory(Shop) as db:
        letter = db(Letter(letter_id="l", origin="here").put())

        with pytest.raises(ConditionFailed, match="has a different origin, which is immutable"):
            db(getattr(letter.model_copy(update={"origin": "there"}), write)())
        assert db(getattr(letter.model_copy(update={"text": "new"}), write)()).text == "new"
        assert db(Letter.get(letter_id="l").required()).origin == "here"


def test_a_unique_value_is_never_overwritten_unseen() -> None:
    user = User(user_id="u", email="a@x")

    with pytest.raises(Refused, match=r"put\(\) would need the value that it overwrites"):
        user.put()
    with pytest.raises(Refused, match=r"so replace\(\) needs the value that it overwrites"):
        user.replace()
    assert len(user.replace(user)._plan().steps) > 0


def test_a_record_is_not_replaced_under_another_key() -> None:
    with pytest.raises(Refused, match="a Badge cannot be replaced under another key"):
        Badge(badge_id="a", code=1).replace(Badge(badge_id="b", code=1))


def test_versions_count_from_one_and_from_what_was_loaded() -> None:
    task = Task(project="p", task_id=1, title="t")

    assert task.create().params()["Item"]["rev"] == {"N": "1"}
    loaded = task.model_copy(update={"rev": 4})
    assert loaded.put().params()["Item"]["rev"] == {"N": "5"}


def test_a_plain_put_has_no_condition() -> None:
    note = Note(note_id="n", text="t")

    assert "ConditionExpression" not in note.put().params()
    assert "ConditionExpression" in note.create().params()
    assert "ConditionExpression" in note.replace().params()
