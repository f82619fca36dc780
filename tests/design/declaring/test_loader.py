"""A design loads from wherever it lies, or says where and why it does not."""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from sortkey import load_design
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.loader import LoadError

DESIGNS = Path(__file__).parents[1] / "designs"
SHOP = DESIGNS / "shop.py"

TABLES = """
from sortkey import Table

class App(Table):
    pass
"""
USER = """
class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")
"""
DESIGN = f"from sortkey import Entity\n{TABLES}\n{USER}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, and no module left of it afterwards."""
    monkeypatch.chdir(tmp_path)
    # What another test has loaded under this name is not what these write.
    monkeypatch.delitem(sys.modules, "design", raising=False)
    before = set(sys.modules)
    path = list(sys.path)
    yield tmp_path
    assert [place for place in sys.path if not place.startswith(str(tmp_path))] == path
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None) or ""
        if file.startswith(str(tmp_path)):
            del sys.modules[name]


def write(**files: str) -> None:
    """Files by their paths, with __ for each slash."""
    for name, text in files.items():
        path = Path(f"{name.replace('__', '/')}.py")
        path = path.with_name("__init__.py") if path.stem == "init" else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))


def entities(design: Design) -> list[str]:
    return [kind.name for kind in design.kinds]


def refused(source: str | Path) -> LoadError:
    with pytest.raises(LoadError) as caught:
        load_design(source)
    return caught.value


class TestPlaces:
    @pytest.mark.parametrize("source", [SHOP, str(SHOP)])
    def test_a_file_is_a_design(self, source: str | Path) -> None:
        design = load_design(source)

        assert design.name == "shop"
        assert [table.__name__ for table in design.tables] == ["App", "Sessions"]
        assert entities(design) == ["Org", "User", "Order", "Session"]

    def test_a_file_without_an_about_gives_the_design_its_name(self) -> None:
        write(orders=DESIGN)

        assert load_design("orders.py").name == "orders"

    def test_the_name_of_a_module_beside_is_a_design(self) -> None:
        write(orders=DESIGN)

        assert entities(load_design("orders")) == ["User"]

    def test_a_dotted_name_is_a_design(self) -> None:
        write(app__init="", app__orders=DESIGN)

        design = load_design("app.orders")

        assert (design.name, entities(design)) == ("orders", ["User"])

    @pytest.mark.parametrize("source", ["app", "./app", "app/__init__.py", Path("app")])
    def test_a_package_is_a_design_with_all_of_its_modules(self, source: str | Path) -> None:
        write(
            app__init="",
            app__tables=TABLES,
            app__people__init="",
            app__people__user=f"from sortkey import Entity\nfrom ..tables import App\n{USER}",
        )

        design = load_design(source)

        assert (design.name, entities(design)) == ("app", ["User"])

    def test_entities_have_one_order_whichever_module_was_imported_first(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        own = f"from sortkey import Entity\nfrom .tables import App\n{USER}"
        write(
            topics__init="",
            topics__tables=TABLES,
            topics__a=own.replace("User", "A"),
            topics__b=own.replace("User", "B").replace("USER#", "B#"),
        )
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
        import_module("topics.b")

        assert entities(load_design("topics")) == ["A", "B"]

    def test_patterns_are_listed_where_they_are_defined_and_not_where_they_are_imported(
        self,
    ) -> None:
        user = """
            @pattern("{name}")
            def {name}(user_id: str) -> Op[User | None]:
                return User.get(user_id=user_id)
            """
        first, second = (dedent(user.format(name=name)) for name in ("first", "second"))
        write(
            app__init="from .users import second",
            app__users=f"from sortkey import Op, pattern\n{DESIGN}{first}{second}",
        )

        assert [found.name for found in load_design("app").patterns] == ["first", "second"]

    def test_tables_are_listed_as_they_are_defined_and_not_as_they_are_imported(self) -> None:
        two = "class {0}(Table): ...\nclass {1}(Table): ...\n"
        write(
            app__init="from .tables import Archive, Orders",
            app__tables="from sortkey import Table\n" + two.format("Orders", "Archive"),
        )

        assert [table.__name__ for table in load_design("app").tables] == ["Orders", "Archive"]

    def test_the_tests_and_the_program_of_a_package_are_no_part_of_the_design(self) -> None:
        fails = "raise AssertionError"
        write(
            app__init=DESIGN,
            app__conftest=fails,
            app__test_users=fails,
            app__tests__init=fails,
        )
        Path("app/__main__.py").write_text(fails)

        assert entities(load_design("app")) == ["User"]

    def test_a_module_that_is_loaded_already_is_a_design(self) -> None:
        module = ModuleType("orders")
        exec(DESIGN, module.__dict__)

        assert entities(load_design(module)) == ["User"]

    def test_a_file_of_a_package_may_import_from_its_package(self) -> None:
        write(
            app__init="",
            app__tables=TABLES,
            app__design=f"from sortkey import Entity\nfrom .tables import App\n{USER}",
        )

        assert entities(load_design("app/design.py")) == ["User"]

    def test_a_file_may_import_what_lies_beside_it(self) -> None:
        write(
            place__tables=TABLES,
            place__design=f"from sortkey import Entity\nfrom tables import App\n{USER}",
        )

        assert entities(load_design("place/design.py")) == ["User"]

    def test_what_lies_beside_one_design_is_not_taken_for_what_lies_beside_another(self) -> None:
        design = f"from sortkey import Entity\nfrom tables import App\n{USER}"
        write(one__tables=TABLES, one__design=design, two__tables=TABLES, two__design=design)

        [one] = load_design("one/design.py").tables
        [two] = load_design("two/design.py").tables

        assert one is not two
        assert Path(str(sys.modules[two.__module__].__file__)).parent.name == "two"

    def test_the_tables_of_entities_that_are_imported_belong_to_the_design(self) -> None:
        write(stored=DESIGN, design="from stored import User")

        design = load_design("design.py")

        assert ([t.__name__ for t in design.tables], entities(design)) == (["App"], ["User"])


class TestAgain:
    def test_a_file_is_run_anew_each_time(self) -> None:
        write(design=DESIGN)
        [before] = load_design("design.py").tables

        write(design=DESIGN.replace("App", "Shop"))
        [after] = load_design("design.py").tables

        assert (before.__name__, after.__name__) == ("App", "Shop")

    def test_what_lies_beside_a_file_is_run_anew_too(self) -> None:
        write(stored=DESIGN, design="from stored import User")
        [before] = load_design("design.py").kinds

        [after] = load_design("design.py").kinds

        assert before.model is not after.model

    def test_a_package_is_run_anew_each_time(self) -> None:
        write(app__init="", app__design=DESIGN)
        [before] = load_design("app/").tables

        [after] = load_design("app/").tables

        assert before is not after

    def test_a_design_loaded_twice_has_each_entity_once(self) -> None:
        assert entities(load_design(SHOP)) == entities(load_design(SHOP))

    def test_a_module_of_that_name_from_elsewhere_is_not_taken_for_the_design(self) -> None:
        write(one__app__init="", one__app__design=DESIGN, two__app__init="", two__app__design="")
        module = ModuleType("app")
        module.__file__, module.__path__ = "one/app/__init__.py", ["one/app"]
        sys.modules["app"] = module
        try:
            error = refused("two/app/design.py")
        finally:
            del sys.modules["app"]

        assert "another module named app.design is loaded from" in str(error)


class TestFindings:
    def test_a_raw_design_is_loaded_with_what_is_wrong_with_it(self) -> None:
        write(
            legacy="""
            from sortkey import Entity, Table

            class Old(Table, raw=True):
                pass

            class Visit(Entity, table=Old):
                number: int
                primary = Old.primary.key("VISITS", "{number}")
            """
        )

        [finding] = load_design("legacy.py").findings

        assert (finding.code, finding.where) == ("SK201", "Visit.primary.SK")

    def test_what_is_wrong_with_a_table_from_elsewhere_is_told_once_however_often_it_is_loaded(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(
            installed__old="from sortkey import Table\n\nclass Old(Table, raw=True):\n    pass\n",
            place__design="""
            from old import Old
            from sortkey import Entity

            class Visit(Entity, table=Old):
                number: int
                primary = Old.primary.key("VISITS", "{number}")
            """,
        )
        monkeypatch.setattr(sys, "path", [str(folder / "installed"), *sys.path])

        first = load_design("place/design.py").findings

        assert len(first) == 1
        assert load_design("place/design.py").findings == first

    def test_a_design_with_faults_is_refused_with_all_of_them_and_the_line(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(DESIGNS)

        error = refused("faulty.py")

        assert error.place == "faulty.py:10"
        assert [finding.code for finding in error.findings] == ["SK201"]
        assert "{number:020d}` instead of `" in str(error)

    def test_the_line_is_the_design_s_where_sortkey_itself_lies_below_the_folder(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(DESIGNS.parents[2])

        error = refused("tests.design.designs.faulty")

        assert error.place == "tests/design/designs/faulty.py:10"


class TestErrors:
    def test_a_file_that_is_not_there_is_named(self) -> None:
        assert str(refused("missing.py")) == "missing.py: there is no such file"

    @pytest.mark.parametrize(
        ("name", "missing"), [("nowhere", "nowhere"), ("nowhere.design", "nowhere")]
    )
    def test_a_module_that_is_not_there_is_named(self, name: str, missing: str) -> None:
        message = f"{name}: there is no module {missing}, nor such a file"

        assert str(refused(name)) == message

    def test_a_folder_that_is_no_package_is_refused(self) -> None:
        write(place__design=DESIGN)

        assert str(refused("place")) == (
            "place: a folder without __init__.py; name the file of the design"
        )

    def test_a_file_that_is_no_python_file_is_refused(self) -> None:
        Path("design.txt").write_text(DESIGN)

        assert (
            str(refused("./design.txt")) == "design.txt: not a Python file, which a design must be"
        )

    def test_a_syntax_error_is_told_with_its_line(self) -> None:
        write(design="a = 1\nclass App(Table:\n")

        error = str(refused("design.py"))

        assert re.match(r"design\.py:2: this is not Python: ", error)

    def test_a_syntax_error_of_a_module_beside_is_told_with_its_own_file(self) -> None:
        write(place__tables="a = (", place__design="import tables")

        assert refused("place/design.py").place == "place/tables.py:1"

    def test_an_exception_is_told_with_the_line_of_the_design_that_led_to_it(self) -> None:
        write(design='import json\n\n\ndata = json.loads("{")\n')

        error = str(refused("design.py"))

        assert error.startswith("design.py:4: JSONDecodeError: ")

    def test_an_exception_in_a_module_of_a_package_is_told_with_its_file(self) -> None:
        write(app__init="", app__orders="a = 1\nb = a / 0\n")

        assert str(refused("app")) == "app/orders.py:2: ZeroDivisionError: division by zero"

    def test_an_import_that_fails_is_told_with_its_line(self) -> None:
        write(design="import nowhere_at_all\n")

        assert str(refused("design.py")) == (
            "design.py:1: ModuleNotFoundError: No module named 'nowhere_at_all'"
        )

    def test_what_a_design_that_is_a_module_fails_to_import_is_told_with_its_line(self) -> None:
        write(design="import nowhere_at_all\n")

        assert str(refused("design")).startswith("design.py:1: ModuleNotFoundError: ")

    def test_a_design_that_ends_the_program_is_refused(self) -> None:
        write(design="raise SystemExit(3)\n")

        assert str(refused("design.py")) == "design.py:1: SystemExit: 3"

    def test_a_refusal_of_sortkey_is_told_at_the_design_s_line_not_at_sortkey_s(self) -> None:
        write(
            design="""
            from sortkey import pattern

            @pattern("p", rate="often")
            def p(): ...
            """
        )

        error = str(refused("design.py"))

        assert error.startswith("design.py:4: the design has faults\nSK401 bad-rate at p: ")

    def test_a_place_outside_of_the_working_folder_is_told_in_full(
        self, monkeypatch: pytest.MonkeyPatch, folder: Path
    ) -> None:
        write(design="1 / 0", elsewhere__init="")
        monkeypatch.chdir(folder / "elsewhere")

        assert refused("../design.py").place == f"{folder}/design.py:1"

    def test_a_design_that_failed_can_be_mended_and_loaded(self) -> None:
        write(stored="1 / 0", design="from stored import User")
        refused("design.py")

        write(stored=DESIGN)

        assert entities(load_design("design.py")) == ["User"]
