"""Settings come from the environment, then from .env, then from their defaults."""

from pathlib import Path
from types import ModuleType

import pytest

from sortkey import (
    Design,
    Entity,
    ExternalService,
    Function,
    HttpApi,
    Role,
    Route,
    Setting,
    Table,
)
from sortkey.design.declaring.design import design_of
from sortkey.local.errors import CannotRun
from sortkey.local.settings import env_file, refuse_missing, settings_of, values_of


class Kept(Table):
    pass


class Note(Entity, table=Kept):
    note_id: str
    primary = Kept.primary.key("NOTE#{note_id}", "NOTE")


ISSUER = Setting("ISSUER", "Who signs tokens")
PAGE = Setting("PAGE", "The size of a page", default="20")
KEY = Setting("ROOMS_KEY", "The key of the rooms", secret=True)
api = HttpApi(issuer=ISSUER, audience="notes")
rooms = ExternalService("rooms", "notes:fake", (KEY,))
app = Role("app", [])
READ = Function(
    "read",
    "notes:read",
    app,
    triggers=[Route(api, "GET /")],
    environment={"PAGE": PAGE},
    calls=[rooms],
)
WRITE = Function("write", "notes:write", app, calls=[rooms])


@pytest.fixture(scope="module")
def design() -> Design:
    module = ModuleType("notes")
    vars(module).update(table=Kept, read=READ, write=WRITE)
    return design_of("notes", [module])


def test_a_function_has_the_settings_of_its_apis_and_services() -> None:
    assert list(settings_of(READ)) == [PAGE, KEY, ISSUER]


def test_what_is_given_comes_before_a_default(design: Design) -> None:
    assert values_of(design, {"ISSUER": "https://a", "OTHER": "x"}) == {
        "ISSUER": "https://a",
        "PAGE": "20",
    }
    assert values_of(design, {"PAGE": "50", "ISSUER": ""}) == {"PAGE": "50"}


def test_all_missing_settings_are_named_with_their_descriptions(design: Design) -> None:
    with pytest.raises(CannotRun) as caught:
        refuse_missing(design, {"PAGE": "20"}, Path("app/.env"))

    assert str(caught.value) == (
        "2 settings have no value. Set the variables, or write them to app/.env:\n"
        "  ISSUER=     # Who signs tokens (read)\n"
        "  ROOMS_KEY=  # The key of the rooms (read, write)"
    )


def test_an_empty_value_that_is_expected_is_not_missing(design: Design) -> None:
    refuse_missing(design, {"PAGE": "20", "ISSUER": "a", "ROOMS_KEY": ""}, Path())


def test_a_file_has_names_and_values(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "# a comment\n\nA=1\nexport B = two words # said\nC='a # b'\nD=\"x=y\"\nE=\nF=it's\n"
    )

    assert env_file(tmp_path / ".env") == {
        "A": "1",
        "B": "two words",
        "C": "a # b",
        "D": "x=y",
        "E": "",
        "F": "it's",
    }


def test_there_need_be_no_file(tmp_path: Path) -> None:
    assert env_file(tmp_path / ".env") == {}


@pytest.mark.parametrize("line", ["hello", "A B=1", "=1", "1A=2"])
def test_another_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / ".env"
    path.write_text(f"A=1\n{line}\n")

    with pytest.raises(CannotRun, match=r"\.env:2: this is not a setting"):
        env_file(path)
