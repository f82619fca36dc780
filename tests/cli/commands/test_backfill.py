"""`sortkey backfill`: its output, how it resumes after a kill, and what it rejects."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sortkey import DB, TableMismatch, load_design
from sortkey.access.rewriting import Failure, Progress
from sortkey.cli.main import main
from sortkey.cli.text.backfill import progress_line, summary_text
from sortkey.wire.messages import Request

BEFORE = """
from sortkey import Entity, Table, gsi

class App(Table, name="{environment}-App"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class User(Entity, table=App):
    user_id: int
    name: str
    primary = App.primary.key("USER#{user_id:04d}", "USER")
"""
AFTER = """
from sortkey import Entity, Table, gsi

class App(Table, name="{environment}-App"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

def split_name(item):
    item["first"], _, item["last"] = item.pop("name").partition(" ")
    return item

class User(Entity, table=App, upcasts=(split_name,)):
    user_id: int
    first: str
    last: str
    primary = App.primary.key("USER#{user_id:04d}", "USER")
    by_last = App.gsi1.key("LAST#{last}", "{user_id:04d}")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A design, and a database that the design before it has filled."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SORTKEY_TARGET", raising=False)
    Path("before.py").write_text(BEFORE)
    Path("design.py").write_text(AFTER)
    design = load_design("before.py")
    [user] = [kind.model for kind in design.kinds]
    with DB.open("app.db", *design.tables) as db:
        db.write_many(user(user_id=n, name=f"Ann Lee{n % 3}").put() for n in range(200))
    return tmp_path


def backfill(*options: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["backfill", "design.py", "--target", "app.db", *options])
    return done.exit_code, done.stdout, done.stderr


def rewritten() -> int:
    """Return the number of records that the later design finds in its index."""
    design = load_design("design.py")
    [kind] = design.kinds
    with DB.open("app.db", *design.tables) as db:
        queries = [kind.model.query(kind.model.by_last, last=f"Lee{n}") for n in range(3)]
        return sum(len(db(query)) for query in queries)


@pytest.mark.usefixtures("folder")
def test_it_prints_what_it_did() -> None:
    code, out, err = backfill()

    assert code == 0
    assert out.startswith("200 rewritten, 0 already current, of 200 items read (")
    assert err.splitlines()[-1].startswith("█" * 24 + " 100%  200 read, 200 rewritten, ")
    assert rewritten() == 200


@pytest.mark.usefixtures("folder")
def test_it_prints_what_it_would_do() -> None:
    code, out, err = backfill("--dry-run")

    assert code == 0
    assert "200 read, 200 would be rewritten, " in err
    assert out.startswith("200 would be rewritten, 0 already current, of 200 items read (")
    assert rewritten() == 0


@pytest.mark.usefixtures("folder")
def test_it_prints_json_for_programs() -> None:
    code, out, _ = backfill("--format", "json", "--segments", "2")
    value = json.loads(out)

    assert code == 0
    assert value.pop("units") > 200
    assert value == {
        "version": 1,
        "dry_run": False,
        "read": 200,
        "current": 0,
        "rewritten": 200,
        "moved": 0,
        "encrypted": 0,
        "gone": 0,
        "failed": 0,
        "locks": 0,
        "other": 0,
        "failures": [],
        "indexes": [],
    }


def test_a_run_that_is_killed_goes_on_where_it_was(folder: Path) -> None:
    command = [sys.executable, "-m", "sortkey", "backfill", "design.py", "--target", "app.db"]
    process = subprocess.Popen(
        [*command, "--rate", "30"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    with process:
        assert process.stderr
        first = process.stderr.readline()
        process.send_signal(signal.SIGKILL)
    done = rewritten()

    assert "30 read, 30 rewritten" in first
    assert process.returncode == -signal.SIGKILL
    assert 30 <= done < 200
    state = json.loads((folder / ".sortkey-backfill.json").read_text())

    code, out, err = backfill()

    assert code == 0
    assert "Resuming the run in .sortkey-backfill.json." in err
    # The page that was begun when the process was killed is the only one that was read twice.
    left = 200 - state["progress"]["read"]
    assert out.startswith(f"{200 - (done - state['progress']['rewritten'])} rewritten, ")
    assert left > 0
    assert rewritten() == 200
    assert not (folder / ".sortkey-backfill.json").exists()


@pytest.mark.usefixtures("folder")
def test_a_state_of_another_design_is_refused() -> None:
    Path("state").write_text(
        json.dumps(
            {
                "format": 1,
                "identity": "another",
                "segments": 1,
                "positions": {},
                "progress": {"failures": []},
            }
        )
    )

    code, _, err = backfill("--state", "state")

    assert code == 2
    assert "state is the state of a back-fill of another design" in err


@pytest.mark.usefixtures("folder")
def test_a_record_that_cannot_be_rewritten_is_reported_by_its_key() -> None:
    design = load_design("before.py")
    [user] = [kind.model for kind in design.kinds]
    with DB.open("app.db", *design.tables) as db:
        item = user(user_id=7, name="x").put().params()["Item"]
        del item["name"]
        request = {"TableName": "dev-App", "Item": item}
        db._transport.send(("PutItem", request))  # pyright: ignore[reportArgumentType]

    code, out, _ = backfill()

    assert code == 1
    assert "1 could not be rewritten and is unchanged:" in out
    assert "  User USER#0007 / USER: it cannot be read: _shape: upcasting from shape 1" in out
    assert out.count("USER#0007") == 1
    assert "199 rewritten" in out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--entity", "Usr"), "has no entity Usr. Did you mean User?"),
        (
            ("--env", "prod"),
            "a table of the design is missing in the environment prod: check --target and --env (",
        ),
        (("--state", "absent/state.json"), "there is no folder absent: choose another file"),
        (("--rate", "0"), "Invalid value for '--rate'"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_cannot_be_done_is_refused(options: tuple[str, ...], expected: str) -> None:
    code, _, err = backfill(*options)

    assert code == 2
    assert expected in err


def test_a_file_that_is_not_there_is_refused_and_not_made(folder: Path) -> None:
    done = CliRunner().invoke(main, ["backfill", "design.py", "--target", "absent.db"])

    assert done.exit_code == 2
    assert done.stderr == "Error: there is no file absent.db\n"
    assert not (folder / "absent.db").exists()


@pytest.mark.usefixtures("folder")
def test_in_a_log_no_line_comes_twice() -> None:
    design = load_design("before.py")
    [user] = [kind.model for kind in design.kinds]
    with DB.open("few.db", *design.tables) as db:
        db(user(user_id=1, name="Ann Lee").create())

    done = CliRunner().invoke(main, ["backfill", "design.py", "--target", "few.db"])

    assert done.exit_code == 0
    [line] = done.stderr.splitlines()
    assert line.startswith("█" * 24 + " 100%  1 read, 1 rewritten, ")


@pytest.mark.usefixtures("folder")
def test_without_a_target_it_says_how_to_name_one() -> None:
    done = CliRunner().invoke(main, ["backfill", "design.py"])

    assert done.exit_code == 2
    assert "SORTKEY_TARGET" in done.stderr


def test_a_terminal_sees_one_line_that_moves(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with pytest.raises(SystemExit) as ended:
        main(["backfill", "design.py", "--target", "app.db"])

    lines = capsys.readouterr().err.split("\r\x1b[K")[1:]
    assert ended.value.code == 0
    assert [line.partition("%")[0] for line in lines] == [
        "████████████░░░░░░░░░░░░  50",
        "████████████████████████ 100",
        "████████████████████████ 100",
        "████████████████████████ 100",
    ]
    assert lines[-1].endswith("\n")


def test_of_many_failures_the_first_are_shown_and_all_are_counted() -> None:
    failures = tuple(Failure("User", f"USER#{n}", "broken") for n in range(50))

    text = summary_text(Progress(read=900, failed=70, failures=failures), dry_run=False)

    assert "70 could not be rewritten" in text
    assert text.count("broken") == 20
    assert text.endswith("… and 50 more")


@pytest.mark.parametrize(
    ("progress", "expected"),
    [
        (Progress(read=1, locks=1), "of 1 item read"),
        (Progress(read=1, locks=1), "\n1 is the lock of a unique field."),
        (Progress(read=31, locks=31), "\n31 are locks of unique fields."),
        (Progress(read=9, rewritten=9, moved=2), "\n2 of these moved to another primary key."),
        (
            Progress(read=9, rewritten=9, encrypted=2),
            "\n2 of these had a secret in plain text, which is now encrypted.",
        ),
        (Progress(read=1, other=1), "\n1 item belongs to none of the selected entities."),
        (Progress(read=2, other=2), "\n2 items belong to none of the selected entities."),
    ],
)
def test_what_is_counted_is_said_in_the_right_number(progress: Progress, expected: str) -> None:
    assert expected in summary_text(progress, dry_run=False)


@pytest.mark.parametrize(
    ("units", "expected"), [(0.5, "0 units"), (1.0, "1 unit"), (9.0, "9 units")]
)
def test_one_unit_is_singular(units: float, expected: str) -> None:
    assert progress_line(Progress(units=units)).endswith(f", {expected}")


WITHOUT_INDEX = """
from sortkey import Entity, Table, gsi

class App(Table, name="{environment}-App"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class User(Entity, table=App):
    user_id: int
    name: str
    primary = App.primary.key("USER#{user_id:04d}", "USER")
"""
WITH_INDEX = """
from sortkey import Entity, Table, gsi

class App(Table, name="{environment}-App"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")

class Billing(Table, name="{environment}-Billing"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class User(Entity, table=App):
    user_id: int
    name: str
    primary = App.primary.key("USER#{user_id:04d}", "USER")
    by_name = App.gsi2.key("NAME#{name}", "{user_id:04d}")

class Invoice(Entity, table=Billing):
    number: int
    primary = Billing.primary.key("INVOICE#{number:04d}", "INVOICE")
    all_invoices = Billing.gsi1.key("INVOICES", "{number:04d}")
"""


@pytest.fixture
def lacking(folder: Path) -> Path:
    """A design with an index and a table that the database lacks."""
    Path("before.py").write_text(WITHOUT_INDEX)
    Path("design.py").write_text(WITH_INDEX)
    return folder


def named(name: str) -> int:
    """Return the number of records that the new index finds, without adding indexes."""
    design = load_design("design.py")
    user = next(kind.model for kind in design.kinds if kind.name == "User")
    with DB.open("app.db", *design.tables) as db:
        return len(db(user.query(user.by_name, name=name)))


@pytest.mark.usefixtures("lacking")
def test_an_index_is_added_when_the_records_have_their_keys() -> None:
    code, out, err = backfill("--add-indexes")

    assert code == 0
    assert out.startswith("200 rewritten, 0 already current, of 200 items read (")
    assert out.endswith("\ndev-App got the index gsi2.\n")
    assert err.splitlines()[0] == "dev-App lacks the index gsi2."
    assert err.splitlines()[-1].startswith("█" * 24 + " 100%  200 read, 200 rewritten, ")
    assert named("Ann Lee0") == 67


@pytest.mark.usefixtures("lacking")
def test_a_dry_run_says_what_would_be_added_and_changes_nothing() -> None:
    header = 100  # SQLite counts there how often the file was opened
    before = Path("app.db").read_bytes()[header:]

    code, out, err = backfill("--add-indexes", "--dry-run")

    assert code == 0
    assert err.startswith("dev-App lacks the index gsi2.\n")
    assert out.startswith("200 would be rewritten, 0 already current, of 200 items read (")
    assert out.endswith("\ndev-App would get the index gsi2.\n")
    assert Path("app.db").read_bytes()[header:] == before
    with pytest.raises(TableMismatch):
        named("Ann Lee0")


@pytest.mark.usefixtures("lacking")
def test_programs_read_which_indexes_were_added() -> None:
    index = {"table": "dev-App", "index": "gsi2"}

    _, dry, _ = backfill("--add-indexes", "--dry-run", "--format", "json")
    _, out, _ = backfill("--add-indexes", "--format", "json", "--segments", "3", "--rate", "9000")
    _, again, _ = backfill("--add-indexes", "--format", "json")

    assert json.loads(dry)["indexes"] == [{**index, "added": False}]
    assert json.loads(out)["indexes"] == [{**index, "added": True}]
    assert json.loads(out)["rewritten"] == 200
    assert json.loads(again)["indexes"] == []


@pytest.mark.usefixtures("lacking")
def test_an_index_that_would_lack_a_record_is_not_added() -> None:
    with DB.open("app.db") as db:
        item = {"PK": {"S": "USER#0300"}, "SK": {"S": "USER"}, "_type": {"S": "User"}}
        request = Request("PutItem", {"TableName": "dev-App", "Item": item})
        db._transport.send(request)

    code, out, _ = backfill("--add-indexes")
    _, asked, _ = backfill("--add-indexes", "--dry-run")

    assert code == 1
    assert "  User USER#0300 / USER: it cannot be read: name: Field required" in out
    assert out.endswith(
        "dev-App did not get the index gsi2: correct or delete these records first.\n"
    )
    assert "dev-App would not get the index gsi2: " in asked
    with pytest.raises(TableMismatch):
        named("Ann Lee0")


def test_killed_while_it_adds_an_index_it_goes_on(lacking: Path) -> None:
    command = [sys.executable, "-m", "sortkey", "backfill", "design.py", "--target", "app.db"]
    with subprocess.Popen(
        [*command, "--add-indexes", "--rate", "30"], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        process.stderr.readline()
        assert "30 read, 30 rewritten" in process.stderr.readline()
        process.send_signal(signal.SIGKILL)
    with pytest.raises(TableMismatch):
        named("Ann Lee0")

    code, out, _ = backfill("--add-indexes")

    assert code == 0
    assert "dev-App got the index gsi2." in out
    assert int(out.split()[0]) <= 170
    assert named("Ann Lee0") == 67
    # The records show what is done; the state of an earlier run might be outdated.
    assert not (lacking / ".sortkey-backfill.json").exists()


@pytest.mark.usefixtures("lacking")
def test_an_index_is_not_added_from_a_state_of_an_earlier_run() -> None:
    """An older program may have written since to what that run has done already."""
    Path(".sortkey-backfill.json").write_text("a state that would be refused")

    assert backfill("--add-indexes")[0] == 0
    assert Path(".sortkey-backfill.json").exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--entity", "User"), "--add-indexes needs the records of every entity: leave out"),
        (("--env", "prod"), "app.db has no table of the design design in the environment prod"),
        (("--target", "aws:eu-west-1"), "add_indexes is for databases on this machine"),
    ],
)
@pytest.mark.usefixtures("lacking")
def test_where_no_index_can_be_added_it_is_refused(options: tuple[str, ...], expected: str) -> None:
    code, _, err = backfill("--add-indexes", *options)

    assert code == 2
    assert expected in err
