"""All functions of a run share the keys of cursors and secret fields."""

from pathlib import Path
from types import ModuleType
from typing import Annotated

import pytest
from tests.local.surroundings import Place

from sortkey import Entity, Table, secret
from sortkey.access.secrets.keyring import Keyring
from sortkey.design.declaring.design import design_of
from sortkey.local.crew import Crew


class Open(Table):
    pass


class Closed(Table):
    pass


class Note(Entity, table=Open):
    note_id: str
    primary = Open.primary.key("NOTE#{note_id}", "NOTE")


class Letter(Entity, table=Closed):
    letter_id: str
    text: Annotated[str, secret]
    primary = Closed.primary.key("LETTER#{letter_id}", "LETTER")


def shared(place: Place, table: type[Table]) -> dict[str, str]:
    module = ModuleType("post")
    vars(module)["table"] = table
    crew = Crew(design_of("post", [module]), "dev", place.around, {})
    crew.stop()
    return crew._shared()  # noqa: SLF001


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for variable in ("SORTKEY_KEYS", "SORTKEY_CURSOR_SECRET"):
        monkeypatch.delenv(variable, raising=False)
    return Place(tmp_path)


def test_keys_are_made_once_where_a_design_needs_them(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert set(shared(place, Open)) == {"SORTKEY_CURSOR_SECRET"}
    made = shared(place, Closed)
    assert shared(place, Closed) == made

    monkeypatch.setenv("SORTKEY_KEYS", made["SORTKEY_KEYS"])
    assert Keyring.from_env("SORTKEY_KEYS")


def test_keys_of_the_environment_are_used(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_KEYS", "own=key")
    monkeypatch.setenv("SORTKEY_CURSOR_SECRET", "own")

    assert shared(place, Open) == {"SORTKEY_KEYS": "own=key", "SORTKEY_CURSOR_SECRET": "own"}
