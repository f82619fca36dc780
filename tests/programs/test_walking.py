"""A design's handlers are imported as Lambda would, and faults of a handler are reported."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.programs.application import DESIGN, names, program

from sortkey import load_design
from sortkey.programs.program import programs_value
from sortkey.programs.walking import programs_of

IMPORTS = "from design import Note, add, browse, drop, read\n"
PACKAGE = """
from sortkey import Function, Role
from notes.design import read
run = Function("run", handler="notes.functions:handler", role=Role("runner", [read]))
"""


class TestFaults:
    @pytest.mark.parametrize(
        ("code", "fault"),
        [
            ("main = None", "app has no handler"),
            ("def handlr(event, context): ...", "app has no handler (did you mean handlr?)"),
            ("handler = 1", "it is an int, which cannot be called"),
            ("def handler(event): ...", "it cannot be called with an event and a context"),
            ("def handler(e, c, db): ...", "it cannot be called with an event and a context"),
            (
                "async def handler(event, context): ...",
                "it is a coroutine function, which Lambda does not await",
            ),
            (
                "class H:\n    async def __call__(self, event, context): ...\nhandler = H()",
                "it is a coroutine function, which Lambda does not await",
            ),
            (
                "def handler(event, context): yield 1",
                "it is a generator, which Lambda does not run",
            ),
        ],
    )
    def test_a_handler_that_lambda_cannot_call(self, code: str, fault: str, tmp_path: Path) -> None:
        found = program(tmp_path, code)

        assert found.fault == fault
        assert not found.is_complete

    @pytest.mark.parametrize(
        "code",
        [
            "def handler(*args): ...",
            "def handler(event, context=None, more=1): ...",
            "class H:\n    def __call__(self, event, context): ...\nhandler = H()",
            "from functools import partial\nhandler = partial(print, 1)",
        ],
    )
    def test_a_handler_that_lambda_can_call(self, code: str, tmp_path: Path) -> None:
        assert program(tmp_path, code).fault is None

    def test_an_error_of_the_module_is_reported_with_its_line(self, tmp_path: Path) -> None:
        found = program(tmp_path, "\nraise ValueError('no')\n")

        assert found.fault is not None
        assert found.fault.startswith("importing it failed: ")
        assert found.fault.endswith("app.py:2: ValueError: no")

    def test_a_missing_module_is_reported(self, tmp_path: Path) -> None:
        text = DESIGN.replace("app:handler", "nowhere.functions:handler")
        (tmp_path / "design.py").write_text(text)

        (found,) = programs_of(load_design(tmp_path / "design.py"))

        assert found.fault == (
            "importing it failed: nowhere.functions: there is no module nowhere, nor such a file"
        )


class TestImporting:
    def test_a_design_in_a_file_is_the_one_that_its_application_imports(
        self, tmp_path: Path
    ) -> None:
        found = program(tmp_path, "def handler(event, context): return read('1')", IMPORTS)
        (pattern,) = found.patterns

        assert pattern is found.function.role.patterns[0]

    def test_a_design_in_a_package(self, tmp_path: Path) -> None:
        package = tmp_path / "notes"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "design.py").write_text(DESIGN.replace("app:", "notes.functions:"))
        (package / "functions.py").write_text(
            "from . import finding\ndef handler(event, context): return finding.find('1')"
        )
        (package / "finding.py").write_text(
            "from .design import read\ndef find(note_id): return read(note_id)"
        )

        (found,) = programs_of(load_design(package / "design.py"))

        assert [use.path for use in found.uses] == [
            "functions.handler → finding.find → read",
        ]

    def test_a_design_that_is_imported_a_second_time_has_the_same_patterns(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Without __init__.py, the file of the design does not say that it is in a package.
        folder = tmp_path / "second_app"
        folder.mkdir()
        (folder / "design.py").write_text(DESIGN.replace("app:", "second_app.functions:"))
        (folder / "functions.py").write_text(
            "from second_app.design import read\ndef handler(event, context): return read('1')"
        )
        monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

        (found,) = programs_of(load_design(folder / "design.py"))

        assert [one is found.function.role.patterns[0] for one in found.patterns] == [True]

    def test_a_package_of_the_application_beside_the_design(self, tmp_path: Path) -> None:
        (tmp_path / "design.py").write_text(DESIGN.replace("app:", "web.functions:"))
        (tmp_path / "web").mkdir()
        (tmp_path / "web" / "__init__.py").write_text("")
        (tmp_path / "web" / "functions.py").write_text(
            f"{IMPORTS}def handler(event, context): return drop('1')"
        )

        (found,) = programs_of(load_design(tmp_path / "design.py"))

        assert names(found) == {"drop"}

    def test_modules_of_one_name_in_two_folders_are_not_mistaken(self, tmp_path: Path) -> None:
        folders = [tmp_path / name for name in ("one", "two")]
        for folder in folders:
            folder.mkdir()
        handler = "def handler(event, context): return {}('1')"

        found = [
            program(folder, handler.format(name), IMPORTS)
            for folder, name in zip(folders, ("read", "drop"), strict=True)
        ]

        assert [names(one) for one in found] == [{"read"}, {"drop"}]

    def test_a_module_from_elsewhere_with_the_name_is_set_aside(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "design.py").write_text(DESIGN)
        (tmp_path / "app.py").write_text(f"{IMPORTS}def handler(event, context): return read('1')")
        design = load_design(tmp_path / "design.py")
        monkeypatch.setitem(sys.modules, "app", sys)

        (found,) = programs_of(design)

        assert names(found) == {"read"}
        assert sys.modules["app"] is sys

    def test_modules_see_the_variables_that_are_declared(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("PAGES", raising=False)
        code = "import os\nassert os.environ['PAGES'] == '20', os.environ['ENVIRONMENT']\n"
        text = DESIGN.replace('"app:handler",', '"app:handler", environment={"PAGES": "20"},')
        (tmp_path / "design.py").write_text(text)
        (tmp_path / "app.py").write_text(f"{code}def handler(event, context): ...")

        (found,) = programs_of(load_design(tmp_path / "design.py"))

        assert found.fault is None
        assert "PAGES" not in os.environ

    def test_a_database_that_is_opened_on_import_is_in_memory(self, tmp_path: Path) -> None:
        code = """
        import os
        from sortkey import DB
        db = DB.connect(App, target=os.environ.get("SORTKEY_TARGET") or "aws")
        assert db(read("1")) is None
        def handler(event, context): ...
        """

        found = program(tmp_path, code, "from design import App, read\n")

        assert found.fault is None
        assert names(found) == {"read"}


class TestOwnership:
    def test_code_of_libraries_is_not_walked(self, tmp_path: Path) -> None:
        library = tmp_path / "site-packages"
        library.mkdir()
        (library / "helpful.py").write_text(
            "import design\ndef find(): return design.read\ndef call(function): return function()"
        )
        code = f"""
        import sys
        sys.path.insert(0, {str(library)!r})
        import helpful
        sys.path.remove({str(library)!r})
        def mine(): return drop("1")
        def handler(event, context): return helpful.find(), helpful.call(mine)
        """

        try:
            found = program(tmp_path, code, IMPORTS)
        finally:
            sys.modules.pop("helpful", None)

        assert names(found) == {"drop"}

    def test_an_application_that_is_installed_is_walked(self, tmp_path: Path) -> None:
        installed = tmp_path / "site-packages"
        installed.mkdir()

        found = program(installed, "def handler(event, context): return read('1')", IMPORTS)

        assert names(found) == {"read"}


def test_the_chain_is_a_shortest_one(tmp_path: Path) -> None:
    code = """
    def far(): return near()
    def near(): return read
    def handler(event, context): return far(), near()
    """

    found = program(tmp_path, code, IMPORTS)

    assert [use.path for use in found.uses] == ["app.handler → app.near → read"]


def test_programs_as_json_have_patterns_by_function(tmp_path: Path) -> None:
    code = "def handler(event, context): return getattr(read('1'), event)"

    value = programs_value([program(tmp_path, code, IMPORTS)])

    assert json.loads(json.dumps(value)) == {
        "version": 1,
        "functions": [
            {
                "name": "run",
                "handler": "app:handler",
                "role": "runner",
                "fault": None,
                "patterns": [{"name": "read", "chain": ["app.handler"]}],
                "not_judged": [
                    {
                        "where": "app.handler",
                        "what": "reads an attribute by a computed name",
                        "file": str(tmp_path / "app.py"),
                        "line": 2,
                        "pattern": None,
                    }
                ],
            }
        ],
    }


def test_a_later_handler_may_register_something_with_an_object_of_all(tmp_path: Path) -> None:
    more = 'more = Function("more", handler="other:handler", role=Role("other", [drop]))\n'
    (tmp_path / "design.py").write_text(DESIGN + more)
    (tmp_path / "app.py").write_text(
        "import sched\nplan = sched.scheduler()\ndef handler(event, context): plan.run()"
    )
    (tmp_path / "other.py").write_text(
        "from app import plan, handler\nfrom design import drop\n"
        "plan.enter(1, 1, lambda: drop('1'))"
    )

    programs = programs_of(load_design(tmp_path / "design.py"))

    assert [names(one) for one in programs] == [set(), {"drop"}]
