"""``sortkey prove``: what it prints, what it writes, and how it ends."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result

from sortkey.cli.commands import prove as prove_command
from sortkey.cli.main import main
from sortkey.cli.text.layout import WIDTH
from sortkey.prove.runner import ASPECTS

DESIGN = """
from datetime import datetime

from sortkey import Entity, Op, Page, Table, gsi, pattern, raw_pattern

class App(Table, raw=True):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Note(Entity, table=App):
    owner: str
    note_id: str
    written: datetime
    primary = App.primary.key("OWNER#{owner}", "NOTE#{note_id}")

@pattern("Notes of somebody")
def notes(owner: str, after: str | None = None) -> Op[Page[Note]]:
    return Note.query(owner=owner).page(2, after)
"""
WRONG = """
@pattern(
    "Notes of somebody since",
    where=lambda note, owner, since: note.owner == owner and note.written >= since,
)
def since(owner: str, since: datetime) -> Op[list[Note]]:
    print("asked")
    return Note.query(owner=owner).where(lambda n: n.written > since)
"""
UNKNOWN = """
old = raw_pattern(
    "Notes, as they were asked for", table=App, operation="Query", name="old",
    key_condition="PK = :pk", values={":pk": "OWNER#{owner}"}, arguments={"owner": str},
)
"""
KEPT = """
from sortkey import invariant

@pattern("Write a note")
def write(note: Note) -> Op[Note]:
    return note.create()

@invariant("A note has an owner")
def has_an_owner(note: Note) -> bool:
    return bool(note.owner)

@invariant("A note has an id")
def has_an_id(note: Note) -> bool:
    return bool(note.note_id)
"""

SHARED = """
from sortkey import About, Entity, Op, Table, pattern

class Gates(Table):
    pass

class Scan(Entity, table=Gates):
    gate: str
    number: int
    primary = Gates.primary.key("SCANS", "{gate}#{number:012d}")

@pattern("A ticket is scanned", rate="400/s")
def scan(record: Scan) -> Op[Scan]:
    return record.create()

about = About(users=100_000)
"""
FILTERED = """
@pattern("Scans with a number", rate="1/s")
def at_gate(number: int) -> Op[list[Scan]]:
    return Scan.query().where(lambda s: s.number == number)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(text: str, name: str = "design.py") -> None:
    Path(name).write_text(dedent(text))


def prove(*arguments: str) -> Result:
    asked = ["--quick", "--aspect", "right", "--aspect", "lossless", *arguments]
    return CliRunner().invoke(main, ["prove", "design.py", *asked])


def imported(file: str) -> set[str]:
    """The modules of sortkey that a file imports."""
    return set(re.findall(r"^from (sortkey\S*) import", Path(file).read_text(), re.MULTILINE))


def report(*arguments: str) -> dict[str, Any]:
    return json.loads(prove("--format", "json", *arguments).stdout)


class TestText:
    def test_a_design_without_faults_is_proved_in_three_lines(self) -> None:
        write(DESIGN)
        result = prove("--only", "notes", "--only", "Note")

        assert result.exit_code == 0, result.output
        right, lossless, whole = result.stdout.splitlines()
        assert right.startswith("right: 1 of 1 proved: ")
        assert lossless.startswith("lossless: 1 of 1 proved: ")
        assert whole == "design: 0 refuted, 0 unproven, 2 proved, with seed 0."
        assert not Path("counterexamples").exists()

    def test_what_a_proof_assumes_is_shown_below_it(self) -> None:
        write(
            """
from sortkey import Entity, Op, Table, pattern

class App(Table):
    pass

class Note(Entity, table=App):
    owner: str
    created_at: str
    primary = App.primary.key("OWNER#{owner}", "NOTE#{created_at}")

@pattern("Notes, oldest first", order=lambda note: note.created_at)
def notes(owner: str) -> Op[list[Note]]:
    return Note.query(owner=owner)
"""
        )
        assumed = "Note.created_at is a time stored as text, always in one format"

        assert (
            f"    Assumed: {assumed}.\n" in prove("--only", "notes", "--html", "page.html").stdout
        )
        assert f'<p class="soft">Assumed: {assumed}.</p>' in Path("page.html").read_text()
        assert report("--only", "notes")["verdicts"][0]["assumed"] == [assumed]

    def test_a_refutation_shows_the_records_the_call_and_both_answers(self) -> None:
        write(DESIGN + WRONG)
        result = prove("--only", "since")

        assert result.exit_code == 1
        assert result.stdout.startswith(
            dedent(
                """\
                refuted right: since
                    a record is missing.
                    stored
                        #1 Note(owner="a", note_id="a", written=datetime(2032, 2, 29, 12,
                            tzinfo=UTC))
                          PK = "OWNER#a", SK = "NOTE#a"
                    called
                        since(owner="a", since=datetime(2032, 2, 29, 12, tzinfo=UTC))
                    sent
                        Query App
                          PK = "OWNER#a" AND begins_with(SK, "NOTE#")
                          filter written > "2032-02-29T12:00:00.000000Z"
                    expected
                        [#1]
                    returned
                        []
                    Why: the filter written > "2032-02-29T12:00:00.000000Z" is false for #1.
                    Change: correct the request or the pattern's where=, whichever is wrong.
                    counterexamples/test_since_is_right.py
                    counterexamples/since_is_right_boto3.py
                """
            )
        )

    def test_a_counterexample_imports_nothing_internal(self) -> None:
        write(DESIGN + WRONG)
        prove("--only", "since")

        test = "counterexamples/test_since_is_right.py"
        assert imported(test) == {"sortkey", "sortkey.testing"}

    def test_an_unproven_verdict_has_its_reason(self) -> None:
        write(DESIGN + UNKNOWN)
        result = prove("--only", "old")

        assert result.exit_code == 0
        assert "unproven right: old" in result.stdout
        assert "a raw read without where=" in result.stdout

    def test_verbose_prints_everything(self) -> None:
        write(DESIGN)
        result = prove("--only", "notes", "--verbose")

        assert "proved right: notes" in result.stdout
        assert "answers compared" in result.stdout

    def test_no_line_is_too_long(self) -> None:
        write(DESIGN + WRONG + UNKNOWN)

        assert all(len(line) <= WIDTH for line in prove().stdout.splitlines())


class TestJson:
    def test_every_verdict_is_there(self) -> None:
        write(DESIGN + WRONG)
        value = report("--only", "since", "--only", "Note", "--seed", "5")

        assert (value["version"], value["design"], value["seed"]) == (1, "design", 5)
        verdicts = {v.get("pattern", v.get("entity")): v for v in value["verdicts"]}
        assert verdicts["Note"]["outcome"] == "proved"
        assert verdicts["since"]["counterexample"]["calls"] == [
            'since(owner="a", since=datetime(2032, 2, 29, 12, tzinfo=UTC))'
        ]
        assert verdicts["since"]["counterexample"]["files"] == [
            "counterexamples/test_since_is_right.py",
            "counterexamples/since_is_right_boto3.py",
        ]

    def test_only_takes_the_name_of_an_invariant(self) -> None:
        write(DESIGN + KEPT)
        value = report("--aspect", "kept", "--only", "has_an_owner", "--only", "Note")

        judged = [(v["aspect"], v.get("invariant", v.get("entity"))) for v in value["verdicts"]]
        assert judged == [("lossless", "Note"), ("kept", "has_an_owner")]

    def test_one_seed_comes_to_one_report(self) -> None:
        write(DESIGN + WRONG)

        assert report("--seed", "3") == report("--seed", "3")

    @pytest.mark.acceptance
    def test_another_process_comes_to_the_same(self) -> None:
        write(DESIGN + WRONG)
        command = [sys.executable, "-m", "sortkey", "prove", "design.py", "--quick"]
        command += ["--format", "json", "--seed", "3", "--only", "since"]
        texts = [
            subprocess.run(command, capture_output=True, text=True, check=False).stdout
            for _ in range(2)
        ]

        assert texts[0] == texts[1] != ""

    def test_nothing_but_counterexamples_is_left_behind(self, folder: Path) -> None:
        write(DESIGN + WRONG)
        command = [sys.executable, "-m", "sortkey", "prove", "design.py", "--quick"]
        subprocess.run([*command, "--only", "since"], capture_output=True, check=False)

        left = {path.name for path in folder.iterdir()} - {"__pycache__"}
        assert left == {"counterexamples", "design.py"}


class TestExit:
    def test_unproven_fails_only_where_it_is_strict(self) -> None:
        write(DESIGN + UNKNOWN)

        assert prove("--only", "old").exit_code == 0
        assert prove("--only", "old", "--strict").exit_code == 1

    def test_an_interrupt_keeps_the_verdicts_that_were_reached(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupt(*_: Any) -> NoReturn:
            raise KeyboardInterrupt

        monkeypatch.setattr(
            prove_command, "ASPECTS", [ASPECTS[0], replace(ASPECTS[1], judge=interrupt)]
        )
        write(DESIGN + WRONG)
        found = prove("--tries", "5")
        assert found.exit_code == prove_command.INTERRUPTED
        assert "since" in found.stdout
        assert "Interrupted: 1 verdict of 3 missing." in found.stderr

    def test_a_pattern_that_is_not_there_is_misuse(self) -> None:
        write(DESIGN)
        result = prove("--only", "note")

        assert result.exit_code == 2
        assert "no pattern, entity or invariant note. Did you mean" in result.output

    def test_what_could_be_meant_is_listed(self) -> None:
        write(DESIGN)
        result = prove("--only", "unlike")

        assert result.exit_code == 2
        listed = "Patterns: notes. Entities: Note. Invariants: none."
        assert listed in " ".join(result.output.split())

    @pytest.mark.parametrize("name", ["has_owners", "HAS_AN_OWNER"])
    def test_a_misspelt_invariant_is_misuse(self, name: str) -> None:
        write(DESIGN + KEPT)
        result = prove("--only", name)

        assert result.exit_code == 2
        assert f"invariant {name}. Did you mean has_an_owner?" in " ".join(result.output.split())

    def test_a_design_that_is_not_there_is_misuse(self) -> None:
        assert prove().exit_code == 2

    def test_strategies_of_another_form_are_misuse(self) -> None:
        write(DESIGN)
        write("strategies = {'Note': 3}", "own.py")
        result = prove("--strategies", "own.py")

        assert result.exit_code == 2
        assert "neither a strategy nor a mapping" in result.output

    def test_strategies_that_are_not_python_are_misuse(self) -> None:
        write(DESIGN)
        write("strategies = (", "own.py")
        result = prove("--strategies", "own.py")

        assert result.exit_code == 2
        assert "own.py cannot be run: SyntaxError" in result.output

    def test_without_hypothesis_it_says_what_to_install(self) -> None:
        write(DESIGN)
        program = (
            "import sys; sys.modules['hypothesis'] = None\n"
            "from sortkey.cli.main import main; main(['prove', 'design.py'])"
        )
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )

        assert done.returncode == 2, done.stderr
        assert "pip install 'sortkey[prove]'" in done.stderr


class TestStrategies:
    CODES = """
    from sortkey import Entity, Op, Table, pattern

    class App(Table):
        pass

    class Coupon(Entity, table=App):
        code: str
        primary = App.primary.key("COUPON#{code}", "COUPON")

    @pattern("A coupon of this year")
    def of_year(code: str) -> Op[Coupon | None]:
        if not code.startswith("2032-"):
            raise ValueError(code)
        return Coupon.get(code=code)
    """

    def test_values_that_are_never_generated_leave_a_pattern_unproven(self) -> None:
        write(self.CODES)

        assert "unproven right: of_year" in prove("--only", "of_year").stdout

    def test_the_design_can_say_them(self) -> None:
        write(
            self.CODES
            + """
    def strategies():
        from hypothesis import strategies as st
        return {Coupon: {"code": st.from_regex("^2032-[0-9]{2}$", fullmatch=True)}}
    """
        )

        assert "right: 1 of 1 proved" in prove("--only", "of_year").stdout

    @pytest.mark.parametrize(
        "said",
        [
            "{'Coupon': {'code': codes}}",
            "{Coupon: st.builds(Coupon, code=codes)}",
            "{of_year: {'code': codes}, Coupon: {'code': codes}}",
        ],
    )
    def test_so_can_a_file_beside_it(self, said: str) -> None:
        write(self.CODES)
        write(
            f"""
            from design import Coupon, of_year
            from hypothesis import strategies as st

            codes = st.sampled_from(["2032-01", "2032-02"])
            strategies = {said}
            """,
            "own.py",
        )
        result = prove("--only", "of_year", "--strategies", "own.py")

        assert "right: 1 of 1 proved" in result.stdout, result.output


class TestMeasures:
    def test_the_hottest_keys_are_shown_below_the_verdicts(self) -> None:
        write(SHARED)
        result = CliRunner().invoke(main, ["prove", "design.py", "--quick", "--aspect", "scalable"])

        assert result.exit_code == 0, result.output
        head, line = result.stdout.splitlines()[-2:]
        assert head.split()[-6:] == ["10k", "100k", "1M", "10M", "100M", "1B"]
        assert line.split()[-6:] == ["4%", "40%", "400%", "4000%", "x400", "x4k"]
        assert max(map(len, result.stdout.splitlines())) <= WIDTH

    def test_verbose_prints_the_measured_cost(self) -> None:
        write(SHARED)
        asked = ["--aspect", "affordable", "--aspect", "safe", "--only", "scan", "--verbose"]
        result = CliRunner().invoke(main, ["prove", "design.py", "--quick", *asked])

        assert result.exit_code == 0, result.output
        assert "    1 write unit; constant." in result.stdout
        assert "    raced the same call twice: 16 schedules" in result.stdout

    def test_a_growing_cost_is_reported_with_the_records_and_the_call(self) -> None:
        write(SHARED + FILTERED)
        asked = ["--quick", "--aspect", "affordable", "--only", "at_gate"]
        result = CliRunner().invoke(main, ["prove", "design.py", *asked])

        assert result.exit_code == 1, result.output
        lines = dedent(
            """\
                stored
                    #1 Scan(gate="a", number=1)
                      PK = "SCANS", SK = "a#000000000001"
                called
                    at_gate(number=1)
                Change: put number into the key of an index and query it, or declare
                Expected(count=...) on Scan if there are always few.
                counterexamples/test_at_gate_is_affordable.py
                counterexamples/at_gate_is_affordable_boto3.py
            """
        )
        assert indent(lines, "    ") in result.stdout

    @pytest.mark.acceptance
    def test_a_refutation_without_records_is_a_test_that_fails(self) -> None:
        write(SHARED.replace("400/s", "4000/s"))
        result = CliRunner().invoke(main, ["prove", "design.py", "--aspect", "scalable"])

        assert result.exit_code == 1
        file = "counterexamples/test_Gates_primary_SCANS_is_scalable.py"
        assert file in result.stdout
        assert imported(file) == {"sortkey", "sortkey.testing"}
        # S603: pytest, on what was just written.
        tried = subprocess.run([sys.executable, "-m", "pytest", "-q", file], check=False)
        assert tried.returncode == 1
        write(SHARED)
        mended = subprocess.run([sys.executable, "-m", "pytest", "-q", file], check=False)
        assert mended.returncode == 0

    def test_a_page_is_written_beside_the_text(self) -> None:
        write(SHARED)
        asked = ["--quick", "--aspect", "scalable", "--html", "report.html"]
        result = CliRunner().invoke(main, ["prove", "design.py", *asked])

        assert result.stdout.startswith("scalable: 1 of 1 proved.")
        assert "<svg" in Path("report.html").read_text()
