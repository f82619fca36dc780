"""``sortkey check``: what it prints, in which form, and with which exit status."""

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sortkey.check.rules import RULES
from sortkey.cli.main import main
from sortkey.cli.text.layout import WIDTH

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs/guides/check.md").read_text()

CLEAN = """
from sortkey import Entity, Op, Table, pattern

class App(Table):
    pass

class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note", rate="5/s")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)

@pattern("Write a note", rate="1/s")
def write(note: Note) -> Op[Note]:
    return note.create()
"""
WARNED = (
    CLEAN
    + """
class Event(Entity, table=App):
    user_id: str
    at: int
    primary = App.primary.key("USER#{user_id}", "EVENT#{at:012d}")
"""
)
# A put is for information, where it is written by sortkey.
TOLD = CLEAN.replace("note.create()", "note.put()").replace(
    ": str\n    p", ": str\n    text: str\n    p"
)
UNRATED = (
    (
        CLEAN.replace(', rate="5/s"', "").replace(', rate="1/s"', "").replace('NOTE"', 'N#{line}"')
        + """
@pattern("Again")
def again0(note: Note) -> Op[Note]:
    return note.create()

@pattern("Again")
def again1(note: Note) -> Op[Note]:
    return note.create()

@pattern("Lines")
def again2(note_id: str) -> Op[list[Note]]:
    return Note.query(note_id=note_id)
"""
    )
    .replace("    note_id: str\n", "    note_id: str\n    line: str\n")
    .replace("note(note_id: str)", "note(note_id: str, line: str)")
    .replace("get(note_id=note_id)", "get(note_id=note_id, line=line)")
)
UNRATED_NOTE = """
@pattern("Again")
def note{}(note: Note) -> Op[Note]:
    return note.create()
"""
SEVERAL = CLEAN + "".join(
    f"""
class Event{number}(Entity, table=App):
    event_id: str
    primary = App.primary.key("EVENT{number}#{{event_id}}", "EVENT")
"""
    for number in range(3)
)
DIFFERENT = """
from sortkey import Entity, Table

class Trips(Table, raw=True):
    pass

class Visit(Entity, table=Trips):
    number: int
    primary = Trips.primary.key("VISITS", "VISIT#{number}")

class Stay(Entity, table=Trips):
    hotel: str
    night: int
    primary = Trips.primary.key("HOTEL#{hotel}", "STAY#{night}")

about = About(ignore={"SK615": "known by their keys", "SK803": "few"})
""".replace("import Entity", "import About, Entity")
REFUSED = CLEAN.replace('"NOTE#{note_id}"', '"NOTE#{nowhere}"')
FAULTY = CLEAN.replace("(Table)", "(Table, raw=True)").replace('"NOTE#{note_id}"', '"NOTE#{no}"')


WITH_FUNCTIONS = (
    CLEAN.replace("import Entity", "import Entity, Function, Role, Schedule")
    + """
reader = Role("reader", [note])
writer = Role("writer", [note, write])
daily = Schedule("rate(1 day)")
tidy = Function("tidy", handler="functions:tidy", role=reader, triggers=[daily])
keep = Function("keep", handler="functions:keep", role=writer, triggers=[daily])
"""
)
FUNCTIONS = """
from design import note, write

def tidy(event, context):
    return keep(event, context)

def keep(event, context):
    print("kept")
    return note("1"), write(event)

print("imported")
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check", "design.py", *arguments])


def write(text: str, name: str = "design.py") -> None:
    Path(name).write_text(dedent(text))


class TestText:
    def test_a_clean_design_is_one_line(self) -> None:
        write(CLEAN)

        result = check()

        assert result.exit_code == 0
        assert result.stdout == "design: nothing found in 1 table, 1 entity and 2 patterns.\n"

    def test_a_finding_says_what_where_why_and_what_to_do(self) -> None:
        write(WARNED)

        assert check().stdout == dedent(
            """\
            design.py:19: warning SK419 unused-entity
                Event: no pattern reads or writes it.
                Declare the requests that use it as patterns, or remove it.

            design: 1 warning in 1 table, 2 entities and 2 patterns.
            For details: sortkey explain SK419
            """
        )

    def test_the_last_line_is_about_the_worst_finding(self) -> None:
        # What is only for information comes before it in the file.
        write(TOLD + WARNED.removeprefix(CLEAN))

        result = check()

        assert result.stdout.index("information SK") < result.stdout.index("warning SK419")
        assert result.stdout.endswith("For details: sortkey explain SK419\n")

    def test_what_is_information_is_counted_as_notes(self) -> None:
        write(TOLD + WARNED.removeprefix(CLEAN))

        assert "design: 1 warning, 1 informational in " in check().stdout

    def test_what_is_not_judged_is_one_line_and_no_finding(self) -> None:
        write(UNRATED)

        result = check()

        assert result.exit_code == 0
        assert result.stdout == dedent(
            """\
            design: nothing found in 1 table, 1 entity and 5 patterns.
            Not judged: the load of 5 patterns without a rate (note, write, again0, again1
                and again2), and the size of 1 read without Expected(per_partition=...)
                (again2).
            """
        )

    def test_a_dozen_of_what_is_not_judged_are_named(self) -> None:
        write(CLEAN + "".join(UNRATED_NOTE.format(number) for number in range(14)))

        said = " ".join(check().stdout.split())

        assert "of 14 patterns without a rate (note0, note1," in said
        assert "note11 and 2 more)" in said

    def test_the_same_advice_for_several_places_is_one_finding(self) -> None:
        write(SEVERAL)

        assert check().stdout == dedent(
            """\
            design.py:19: warning SK419 unused-entity, 3 places
                Event0: no pattern reads or writes it.
                Also Event1 (design.py:23), Event2 (design.py:27).
                Declare the requests that use it as patterns, or remove it.

            design: 1 warning in 1 table, 4 entities and 2 patterns.
            For details: sortkey explain SK419
            """
        )

    def test_places_that_differ_are_listed_with_what_is_wrong_in_each(self) -> None:
        write(DIFFERENT)

        said = check().stdout

        assert said.startswith("design.py:9: error SK201 unpadded-number, 2 places\n")
        assert '    Visit.primary.SK: "VISIT#{number}" writes the number "number"' in said
        assert '    Stay.primary.SK (design.py:14): "STAY#{night}" writes' in said
        assert "`STAY#{night:020d}` instead of `STAY#{night}`" in " ".join(said.split())
        assert "design: 1 error" in said

    def test_places_of_which_the_same_is_said_are_listed_together(self) -> None:
        again = DIFFERENT[DIFFERENT.index("class Visit") : DIFFERENT.index("class Stay")]
        write(DIFFERENT + again.replace("Visit(", "Again(").replace('"VISITS"', '"AGAIN"'))

        said = " ".join(check().stdout.split())

        assert "SK201 unpadded-number, 3 places" in said
        assert 'sorts before "9". Also Again.primary.SK (design.py:' in said
        assert said.count('"VISIT#{number}" writes the number') == 1

    def test_the_guide_shows_what_it_prints(self) -> None:
        code, shown = re.findall(r"```(?:python|console)\n(.*?)```", GUIDE, re.DOTALL)[:2]
        write(code)

        command, _, said = shown.partition("\n")
        assert command == "$ sortkey check design.py"
        assert check().stdout == said

    def test_no_line_is_wider_than_the_screen(self) -> None:
        write((ROOT / "tests/check/seeds/gymcoach.py").read_text())

        lines = check().stdout.splitlines()

        assert len(lines) > 3
        assert max(map(len, lines)) <= WIDTH

    def test_colour_is_for_terminals(self) -> None:
        write(WARNED)

        plain = check().stdout
        coloured = CliRunner().invoke(main, ["check", "design.py"], color=True).stdout

        assert "\x1b[" not in plain
        assert "\x1b[33m" in coloured
        assert re.sub(r"\x1b\[\d+m", "", coloured) == plain


class TestExitStatus:
    @pytest.mark.parametrize(
        ("design", "fail_on", "status"),
        [
            (CLEAN, "information", 0),
            (TOLD, "information", 1),
            (TOLD, "warning", 0),
            (WARNED, "warning", 1),
            (WARNED, "error", 0),
            (WARNED, "never", 0),
            (FAULTY, "error", 1),
            (FAULTY, "never", 0),
        ],
    )
    def test_a_finding_of_that_severity_or_worse_fails(
        self, design: str, fail_on: str, status: int
    ) -> None:
        write(design)

        assert check("--fail-on", fail_on).exit_code == status

    def test_warnings_fail_and_information_does_not(self) -> None:
        write(TOLD)
        assert check().exit_code == 0

        write(WARNED)
        assert check().exit_code == 1

    def test_a_design_that_is_refused_when_it_is_loaded_is_found_faulty(self) -> None:
        write(REFUSED)

        result = check()

        assert result.exit_code == 1
        assert result.stdout.startswith("design.py:7: error SK200 bad-template\n    Note.primary")

    @pytest.mark.parametrize(
        ("text", "said"), [("1 +", "not Python"), ("1 / 0", "ZeroDivisionError"), ("", "no table")]
    )
    def test_a_file_that_is_not_a_design_is_misuse(self, text: str, said: str) -> None:
        write(text)

        result = check()

        assert result.exit_code == 2
        assert said in result.stderr

    def test_output_of_the_design_is_not_part_of_the_report(self) -> None:
        write("print('loading')" + CLEAN.replace("return Note.get", "print(1); return Note.get"))

        assert json.loads(check("--format", "json").stdout)["findings"] == []


class TestSeveralDesigns:
    def test_all_of_them_are_checked(self) -> None:
        write(CLEAN, "one.py")
        write(WARNED, "other.py")

        result = CliRunner().invoke(main, ["check", "one.py", "other.py"])

        assert result.exit_code == 1
        assert "other.py:19: warning SK419" in result.stdout
        assert "one, other: 1 warning in 2 designs.\n" in result.stdout

    def test_only_one_is_compared_with_what_is_deployed(self) -> None:
        write(CLEAN, "one.py")

        result = CliRunner().invoke(main, ["check", "one.py", "one.py", "--against", "one.py"])

        assert result.exit_code == 2


class TestPrograms:
    def test_a_plain_check_says_that_functions_are_not_judged(self) -> None:
        write(WITH_FUNCTIONS)

        result = check()

        assert result.exit_code == 0
        assert result.stdout == dedent(
            """\
            design: nothing found in 1 table, 1 entity, 2 patterns and 2 functions.
            Not judged: the code of 2 functions without --programs (tidy and keep).
            """
        )

    def test_a_function_that_can_use_more_than_its_role_may_is_found(self) -> None:
        write(WITH_FUNCTIONS)
        write(FUNCTIONS, "functions.py")

        result = check("--programs")

        assert result.exit_code == 1
        assert result.stdout == dedent(
            """\
            design.py:22: error SK623 missing-permission
                Function "tidy": it can use write, which its role "reader" lacks:
                functions.tidy → functions.keep → write.
                Give `write` to the role, or remove the call.

            design: 1 error in 1 table, 1 entity, 2 patterns and 2 functions.
            For details: sortkey explain SK623
            """
        )

    def test_a_plain_check_imports_no_handler(self) -> None:
        write(WITH_FUNCTIONS)
        write("raise RuntimeError", "functions.py")

        assert check().exit_code == 0
        assert "RuntimeError" in check("--programs").stdout

    @pytest.mark.parametrize("form", ["json", "sarif", "github"])
    def test_all_formats_have_these_findings(self, form: str) -> None:
        write(WITH_FUNCTIONS)
        write(FUNCTIONS, "functions.py")

        assert "missing-permission" in check("--programs", "--format", form).stdout

    def test_json_has_the_patterns_of_each_function(self) -> None:
        write(WITH_FUNCTIONS)
        write(FUNCTIONS, "functions.py")

        programs = json.loads(check("--programs", "--format", "json").stdout)["programs"]

        assert {
            each["name"]: [pattern["name"] for pattern in each["patterns"]]
            for each in programs["functions"]
        } == {"tidy": ["note", "write"], "keep": ["note", "write"]}

    def test_several_designs_have_handlers_of_their_own(self) -> None:
        for name in ("one", "two"):
            Path(name).mkdir()
            write(WITH_FUNCTIONS, f"{name}/design.py")
        write(FUNCTIONS, "one/functions.py")
        write(FUNCTIONS.replace(", write(event)", ""), "two/functions.py")

        result = CliRunner().invoke(main, ["check", "one/design.py", "two/design.py", "--programs"])

        assert "one/design.py:22: error SK623" in result.stdout
        assert "two/design.py:20: warning SK624" in result.stdout
        assert "two/design.py:22" not in result.stdout


class TestFormats:
    def test_json_has_a_version_and_every_finding(self) -> None:
        write(WARNED.replace("class Event(Entity, table=App)", IGNORING))

        value = json.loads(check("--format", "json").stdout)

        [kept] = value.pop("acknowledged")
        assert kept["reason"] == "only the importer writes it"
        assert value == {
            "version": 2,
            "design": "design",
            "counts": {"error": 0, "warning": 0, "information": 0},
            "findings": [],
            "not_judged": [],
        }
        assert (kept["code"], kept["file"], kept["line"]) == ("SK419", "design.py", 19)

    def test_sarif_has_every_rule_and_suppresses_what_is_acknowledged(self) -> None:
        write(WARNED.replace("class Event(Entity, table=App)", IGNORING))

        value = json.loads(check("--format", "sarif").stdout)

        [run] = value["runs"]
        [result] = run["results"]
        assert value["version"] == "2.1.0"
        assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [r.code for r in RULES]
        assert result["ruleId"] == "SK419"
        assert result["level"] == "warning"
        assert result["suppressions"][0]["justification"] == "only the importer writes it"
        [location] = result["locations"]
        assert location["physicalLocation"] == {
            "artifactLocation": {"uri": "design.py"},
            "region": {"startLine": 19},
        }

    def test_json_has_every_place_of_a_finding(self) -> None:
        write(SEVERAL)

        [finding] = json.loads(check("--format", "json").stdout)["findings"]

        assert (finding["code"], finding["severity"]) == ("SK419", "warning")
        assert [(p["where"], p["file"], p["line"]) for p in finding["places"]] == [
            ("Event0", "design.py", 19),
            ("Event1", "design.py", 23),
            ("Event2", "design.py", 27),
        ]

    def test_json_lists_what_is_not_judged_apart(self) -> None:
        write(UNRATED)

        value = json.loads(check("--format", "json", "--fail-on", "information").stdout)

        assert value["findings"] == []
        assert [(one["code"], len(one["places"])) for one in value["not_judged"]] == [
            ("SK418", 5),
            ("SK414", 1),
        ]

    def test_sarif_relates_the_other_places_of_a_finding(self) -> None:
        write(SEVERAL)

        [run] = json.loads(check("--format", "sarif").stdout)["runs"]
        [result] = run["results"]

        [first] = result["locations"]
        lines = [
            place["physicalLocation"]["region"]["startLine"]
            for place in [first, *result["relatedLocations"]]
        ]
        assert lines == [19, 23, 27]
        assert result["relatedLocations"][1]["message"]["text"].startswith("Event2: ")

    def test_a_place_that_is_acknowledged_is_not_among_them(self) -> None:
        ignored = SEVERAL.replace(
            "class Event1(Entity, table=App)",
            'class Event1(Entity, table=App, ignore={"SK419": "only the importer writes it"})',
        )
        write(ignored)

        value = json.loads(check("--format", "json").stdout)

        assert [place["where"] for place in value["findings"][0]["places"]] == ["Event0", "Event2"]
        assert [kept["where"] for kept in value["acknowledged"]] == ["Event1"]

    def test_github_names_every_place_in_one_line(self) -> None:
        write(SEVERAL)

        said = check("--format", "github").stdout

        assert said.count("::warning") == 1
        assert "%0AEvent2 (design.py:27): no pattern" in said

    def test_github_marks_lines(self) -> None:
        write(WARNED)

        assert check("--format", "github").stdout == (
            "::warning file=design.py,line=19,title=SK419 unused-entity::Event (design.py:19): "
            "no pattern reads or writes it. Declare the requests that use it as patterns, or "
            "remove it.\n"
        )

    def test_nothing_is_written_for_github_if_nothing_is_found(self) -> None:
        write(CLEAN)

        assert check("--format", "github").stdout == ""

    def test_the_same_is_found_in_every_form(self) -> None:
        write((ROOT / "tests/check/seeds/gymcoach.py").read_text())

        texts = re.findall(r"(?:error|warning|information) (SK\d+)", check().stdout)
        value = json.loads(check("--format", "json").stdout)
        sarif = json.loads(check("--format", "sarif").stdout)
        github = re.findall(r"title=(SK\d+)", check("--format", "github").stdout)

        assert texts == [finding["code"] for finding in value["findings"]] == github
        assert texts == [found["ruleId"] for found in sarif["runs"][0]["results"]]


IGNORING = 'class Event(Entity, table=App, ignore={"SK419": "only the importer writes it"})'


def shown(*arguments: str) -> Any:
    return json.loads(CliRunner().invoke(main, ["show", *arguments, "--format", "json"]).stdout)


class TestAgainst:
    @pytest.fixture(params=["design", "summary", "plan"])
    def old(self, request: pytest.FixtureRequest) -> str:
        """The deployed design in each of three forms."""
        write(CLEAN, "old.py")
        if request.param == "design":
            return "old.py"
        options = ["--plan"] if request.param == "plan" else []
        Path("old.json").write_text(json.dumps(shown("old.py", *options)))
        return "old.json"

    def test_a_design_can_follow_itself(self, old: str) -> None:
        write(CLEAN)

        assert check("--against", old).exit_code == 0

    def test_another_key_cannot_follow(self, old: str) -> None:
        write(CLEAN.replace("class App(Table)", 'class App(Table, partition="PK", sort="at")'))

        result = check("--against", old)

        assert result.exit_code == 1
        assert "error SK901 changed-key" in result.stdout

    def test_another_template_cannot_follow(self, old: str) -> None:
        write(CLEAN.replace("NOTE#{note_id}", "N#{note_id}"))

        result = check("--against", old)

        assert result.exit_code == 1
        assert 'PK is "N#{note_id}" and was "NOTE#{note_id}"' in result.stdout

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("[]", "neither"),
            ('{"version": 9, "patterns": []}', "version 9"),
            ("{", "Expecting"),
        ],
    )
    def test_a_file_that_is_neither_summary_nor_plan_is_misuse(self, text: str, said: str) -> None:
        write(CLEAN)
        Path("old.json").write_text(text)

        result = check("--against", "old.json")

        assert result.exit_code == 2
        assert said in result.stderr

    def test_a_file_that_is_not_there_is_misuse(self) -> None:
        write(CLEAN)

        assert check("--against", "old.json").exit_code == 2


NOTED: dict[str, Any] = {"PK": "NOTE#7", "SK": "NOTE", "note_id": "7"}


class TestSamples:
    def test_items_beside_the_design_are_compared_with_it(self) -> None:
        write(CLEAN)
        write(json.dumps([NOTED, NOTED | {"PK": "NOTE#8"}], indent=0), "samples.json")

        result = check()

        assert result.exit_code == 1
        assert result.stdout.startswith("samples.json:7: error SK953 sample-key\n")
        assert "1 entity, 2 patterns and 2 sample items" in " ".join(result.stdout.split())

    def test_items_in_the_folder_of_a_package_are_compared_with_it(self, folder: Path) -> None:
        package = folder / "notes"
        package.mkdir()
        (package / "__init__.py").write_text(CLEAN)
        (package / "samples.json").write_text(json.dumps([NOTED | {"PK": "NOTE#8"}]))

        assert "SK953" in CliRunner().invoke(main, ["check", "notes"]).stdout

    def test_files_that_are_named_take_the_place_of_the_one_beside_the_design(self) -> None:
        write(CLEAN)
        write("not JSON", "samples.json")
        write(json.dumps([NOTED]), "one.json")
        write(json.dumps({"App": [NOTED | {"PK": "NOTE#8", "note_id": "8"}]}), "two.json")

        result = check("--samples", "one.json", "--samples", "two.json")

        assert result.stdout.endswith("2 patterns and 2 sample items.\n")
        assert result.exit_code == 0

    @pytest.mark.parametrize("form", ["json", "sarif", "github"])
    def test_every_form_names_the_line_of_the_item(self, form: str) -> None:
        write(CLEAN)
        write("\n\n" + json.dumps([NOTED | {"PK": "NOTE#8"}]), "samples.json")

        text = check("--format", form).stdout

        assert "Note, item 1 (PK=NOTE#8, SK=NOTE)" in text
        where = {
            "json": '"file": "samples.json",\n          "line": 3',
            "sarif": '"startLine": 3',
            "github": "file=samples.json,line=3",
        }
        assert where[form] in text

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("{", "samples.json:1: this is not JSON"),
            ('{"version": 1}', '"version" is not a list of items'),
        ],
    )
    def test_a_file_that_cannot_be_read_is_misuse(self, text: str, said: str) -> None:
        write(CLEAN)
        Path("samples.json").write_text(text)

        result = check()

        assert result.exit_code == 2
        assert said in result.stderr
        assert "--samples" in result.stderr

    def test_a_file_that_is_not_there_is_misuse(self) -> None:
        write(CLEAN)

        result = check("--samples", "nowhere.json")

        assert result.exit_code == 2
        assert "nowhere.json: No such file" in result.stderr

    def test_they_belong_to_one_design(self) -> None:
        write(CLEAN)

        result = CliRunner().invoke(
            main, ["check", "design.py", "design.py", "--samples", "a.json"]
        )

        assert result.exit_code == 2


def test_the_pre_commit_hook_runs_the_command() -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()

    assert "id: sortkey-check" in hook
    assert "entry: sortkey check" in hook
