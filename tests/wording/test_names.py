"""The words of names, and those that say that a field holds a time."""

import pytest

from sortkey.check.examples import report_of
from sortkey.wording.names import words

FOREIGN = """
class Old(Table, raw=True):
    by_номер = gsi("GSI1PK", "GSI1SK", name="GSI1")

class Заметка(Entity, table=Old):
    имя: str
    номер: str
    primary = Old.primary.key("USER#{имя}", "NOTE#{номер}")
    listed = Old.by_номер.key("NOTE#{номер}", "NOTE")

@pattern("注文", rate="1/s")
def written(note: Заметка) -> Op[Заметка]:
    return note.put()

@pattern("—", rate="1/s")
def deleted(имя: str, номер: str) -> Op[None]:
    return Заметка.delete(имя=имя, номер=номер)
"""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("userId", ["user", "id"]),
        ("user_id", ["user", "id"]),
        ("HTTPCode2", ["http", "code", "2"]),
        ("Имя", ["имя"]),
        ("_", ["_"]),
    ],
)
def test_a_name_has_at_least_one_word(name: str, found: list[str]) -> None:
    assert words(name) == found


def test_names_in_any_script_are_checked() -> None:
    assert report_of(FOREIGN).open
