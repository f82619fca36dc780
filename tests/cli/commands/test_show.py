"""``sortkey show``: a design at a glance, its plans, and what is said where there is none."""

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from sortkey import load_design
from sortkey.cli.main import main
from sortkey.cli.text.layout import WIDTH
from sortkey.design.plans.summary import summary_of
from sortkey.design.plans.value import plan_of

DESIGNS = Path(__file__).parents[2] / "design/designs"
SHOWN = Path(__file__).parent / "shown"
SHOP = DESIGNS / "shop.py"
WAREHOUSE = DESIGNS / "warehouse.py"

RAW = """
from sortkey import Entity, Table, raw_pattern

class Old(Table, raw=True):
    pass

class Visit(Entity, table=Old):
    number: int
    primary = Old.primary.key("VISITS", "{number}")

class Lost(Entity, table=Old):
    gone: bool
    primary = Old.primary.key("LOST#{gone}", "LOST")
"""
BROKEN = """
from sortkey import Entity, Op, Table, pattern

class App(Table):
    pass

class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note by the name of its kind")
def by_kind(kind: str) -> Op[Note | None]:
    return Note.get(note_id={"first": "1"}[kind])

@pattern("A note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def show(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["show", *map(str, arguments)])


def shown(*arguments: str | Path) -> str:
    result = show(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def write(text: str, name: str = "design.py") -> None:
    Path(name).write_text(dedent(text))


class TestText:
    @pytest.mark.parametrize(
        ("golden", "arguments"),
        [
            ("shop", (SHOP,)),
            ("warehouse", (WAREHOUSE,)),
            ("warehouse-plan", (WAREHOUSE, "--plan")),
        ],
    )
    def test_a_design_and_its_plans_are_shown_like_this(
        self, golden: str, arguments: tuple[str | Path, ...]
    ) -> None:
        assert shown(*arguments) == (SHOWN / f"{golden}.txt").read_text()

    @pytest.mark.parametrize("golden", sorted(SHOWN.glob("*.txt")), ids=lambda path: path.stem)
    def test_it_is_read_in_80_columns_of_plain_characters(self, golden: Path) -> None:
        text = golden.read_text()

        assert text.isascii()
        assert max(map(len, text.splitlines())) <= WIDTH

    def test_findings_and_entities_that_could_not_be_built_are_shown(self) -> None:
        write(RAW)

        text = shown("design.py")

        assert "  Lost, 1 field; its key is invalid\n" in text
        assert "    primary  LOST#{gone} / LOST\n" in text
        assert "\nFINDINGS\n  SK201 unpadded-number at Visit.primary.SK\n" in text
        assert "    raw; on demand; recovery 35 days\n" in text

    def test_a_pattern_that_fails_is_shown_with_its_error(self) -> None:
        write(BROKEN)
        expected = "    No plan: every call fails with KeyError: '{kind}'\n"

        for text in (shown("design.py"), shown("design.py", "--plan")):
            assert expected in text
            assert "GetItem App" in text

    def test_a_design_without_patterns_says_so(self) -> None:
        write("from sortkey import Table\nclass App(Table): ...")

        assert shown("design.py", "--plan") == "design has no patterns.\n"


class TestJson:
    def test_a_design_is_one_value(self) -> None:
        assert json.loads(shown(SHOP, "--format", "json")) == summary_of(load_design(SHOP))

    def test_the_plans_are_one_value(self) -> None:
        value = json.loads(shown(SHOP, "--plan", "--format", "json"))

        assert value == plan_of(load_design(SHOP))

    def test_a_pattern_that_fails_has_its_error(self) -> None:
        write(BROKEN)

        by_kind, note = json.loads(shown("design.py", "--plan", "--format", "json"))["patterns"]

        assert by_kind["error"] == "KeyError: '{kind}'"
        assert "error" not in note

    def test_output_of_the_design_is_not_part_of_it(self) -> None:
        write("from sortkey import Table\nclass App(Table): ...\nprint('loading')")

        result = show("design.py", "--format", "json")

        assert json.loads(result.stdout)["design"] == "design"
        assert result.stderr == "loading\n"


class TestPattern:
    def test_one_pattern_is_shown_by_its_plan(self) -> None:
        assert shown(SHOP, "--pattern", "session") == (
            "session(session_id: str) -> Session | None\n"
            "    AP6: who is logged in\n"
            "    1000/s\n"
            "\n"
            "    GetItem Sessions: Session\n"
            "      session_id  = {session_id}\n"
        )

    def test_several_are_shown_in_the_order_of_the_design(self) -> None:
        asked = ("--pattern", "session", "--pattern", "add_user", "--format", "json")

        value = json.loads(shown(SHOP, *asked))

        assert [pattern["name"] for pattern in value["patterns"]] == ["add_user", "session"]

    @pytest.mark.parametrize(
        ("name", "hint"),
        [("sesion", "Did you mean session?"), ("xyz", "It has user_by_email, orders_since,")],
    )
    def test_one_that_is_not_there_is_refused_with_a_hint(self, name: str, hint: str) -> None:
        result = show(SHOP, "--pattern", name)

        assert result.exit_code == 2
        assert result.stderr.startswith(f"Error: the design shop has no pattern {name}. {hint}")


class TestPlaces:
    def test_a_package_and_a_module_are_designs_too(self) -> None:
        Path("app").mkdir()
        write("", "app/__init__.py")
        write(BROKEN, "app/notes.py")

        assert shown("app") == shown("app/")
        assert "ENTITIES OF App\n  Note, 1 field\n" in shown("app.notes")

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a = (", "Error: design.py:1: this is not Python: '(' was never closed\n"),
            ("a = 1\n1 / 0", "Error: design.py:2: ZeroDivisionError: division by zero\n"),
        ],
    )
    def test_a_design_that_cannot_be_loaded_is_reported_by_file_and_line(
        self, text: str, expected: str
    ) -> None:
        write(text)

        result = show("design.py")

        assert (result.exit_code, result.stdout, result.stderr) == (2, "", expected)

    def test_the_faults_of_a_design_are_reported_with_their_fixes(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(DESIGNS)

        result = show("faulty.py")

        first, fault = result.stderr.splitlines()
        assert (result.exit_code, first) == (2, "Error: faulty.py:10: the design has faults")
        assert fault.startswith("SK201 unpadded-number at Visit.primary.SK: ")
        assert "{number:020d}` instead of `" in fault

    @pytest.mark.parametrize("name", ["nowhere.py", "nowhere"])
    def test_a_missing_file_or_module_is_reported(self, name: str) -> None:
        result = show(name)

        assert result.exit_code == 2
        assert result.stderr.startswith(f"Error: {name}: there is no ")

    @pytest.mark.parametrize("text", ["", "from sortkey import Entity, Table, pattern"])
    def test_a_file_without_a_design_is_refused(self, text: str) -> None:
        write(text)

        result = show("design.py")

        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == (
            "Error: there is no table, entity or pattern in design.py: name the file that declares "
            "them\n"
        )


def test_no_traceback_reaches_the_user_from_a_design_that_fails() -> None:
    write("1 / 0")

    done = subprocess.run(
        [sys.executable, "-m", "sortkey", "show", "design.py"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert done.stderr == "Error: design.py:1: ZeroDivisionError: division by zero\n"


def test_a_relation_shows_its_copies_and_what_refreshes_them() -> None:
    write("""
        from sortkey import Entity, Table, refers

        class App(Table):
            pass

        class Author(Entity, table=App):
            author_id: str
            name: str
            primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

        class Book(
            Entity,
            table=App,
            relations=(refers("author_id", Author, copies=("name",), refreshed_by="renamed"),),
        ):
            book_id: str
            author_id: str
            name: str
            primary = App.primary.key("BOOK#{book_id}", "BOOK")
    """)

    assert "author_id refers to Author; copies name; refreshed by renamed" in shown("design.py")


def test_invariants_are_shown_with_the_entities_that_they_look_at() -> None:
    write("""
        from sortkey import Entity, Table, invariant

        class App(Table):
            pass

        class Author(Entity, table=App):
            author_id: str
            primary = App.primary.key("AUTHOR#{author_id}", "AUTHOR")

        class Book(Entity, table=App):
            book_id: str
            author_id: str
            primary = App.primary.key("BOOK#{book_id}", "BOOK")

        @invariant("A book's author exists")
        def has_author(book: Book, authors: list[Author]) -> bool:
            return any(author.author_id == book.author_id for author in authors)
    """)

    expected = "\nINVARIANTS\n  has_author: Book, Author\n    A book's author exists.\n"
    assert expected in shown("design.py")
