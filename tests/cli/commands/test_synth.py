"""``sortkey synth``: files in a folder or on standard output, and what no policy can do."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sortkey.cli.main import main

EVERYTHING = str(Path(__file__).parents[2] / "synth/designs/everything.py")
REFUSED = """
from sortkey import Replica, Settings, Table

class App(Table, settings=Settings(stream="KEYS_ONLY", replicas=(Replica("eu-west-1"),))):
    pass
"""
BROKEN = """
from sortkey import Entity, Op, Role, Table, pattern

class App(Table):
    pass

class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note by the name of its kind")
def by_kind(kind: str) -> Op[Note | None]:
    return Note.get(note_id={"first": "1"}[kind])

reader = Role("reader", [by_kind])
"""
DEPLOYED = """
from sortkey import About, Table

about = About(environments=("dev", "prod"))

class App(Table):
    pass
"""
FILES = {
    "cloudformation": {"template.yaml"},
    "cdk-ts": {"package.json", "tsconfig.json", "cdk.json", "bin/app.ts", "lib/stack.ts"},
    "cdk-py": {"requirements.txt", "cdk.json", "app.py", "stack.py"},
    "terraform": {
        *("versions.tf", "variables.tf", "tables.tf", "parameters.tf", "policies.tf"),
        *("alarms.tf", "dashboard.tf", "backups.tf", "data.tf", "outputs.tf"),
    },
}


def synth(*options: str) -> Result:
    return CliRunner().invoke(main, ["synth", *options])


@pytest.mark.parametrize("target", FILES)
def test_the_files_of_a_target_are_written_and_listed(target: str, tmp_path: Path) -> None:
    out = tmp_path / "made"
    done = synth(EVERYTHING, "--to", target, "--env", "prod", "--out", str(out))

    written = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert done.exit_code == 0
    assert written == FILES[target]
    assert done.stdout.split() == [str(out / name) for name in written_in_order(done, out)]


def test_an_environment_that_the_design_does_not_have_is_noted(tmp_path: Path) -> None:
    design = tmp_path / "design.py"
    design.write_text(DEPLOYED)

    typo = synth(str(design), "--to", "cloudformation", "--env", "prd")
    known = synth(str(design), "--to", "cloudformation", "--env", "prod")

    assert typo.stderr == "note: the design has no environment prd, only dev, prod\n"
    assert (typo.exit_code, known.exit_code, known.stderr) == (0, 0, "")


def written_in_order(done: Result, out: Path) -> list[str]:
    return [str(Path(line).relative_to(out)) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("target", FILES)
def test_a_second_run_changes_nothing(target: str, tmp_path: Path) -> None:
    options = (EVERYTHING, "--to", target, "--env", "prod", "--out", str(tmp_path))
    synth(*options)
    before = {path: path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    synth(*options)

    assert {p: p.read_text() for p in tmp_path.rglob("*") if p.is_file()} == before


def test_one_file_is_printed_as_it_is() -> None:
    done = synth(EVERYTHING, "--to", "cloudformation", "--env", "prod")

    assert done.stdout.startswith("# Made from the design")
    assert "AWSTemplateFormatVersion" in done.stdout


def test_several_files_are_printed_each_after_its_path() -> None:
    done = synth(EVERYTHING, "--to", "cdk-py", "--env", "prod")

    assert done.stdout.startswith("==> requirements.txt <==\n")
    assert "\n==> stack.py <==\n" in done.stdout


def test_what_no_policy_can_keep_apart_is_told_beside_the_output() -> None:
    done = synth(EVERYTHING, "--to", "cloudformation", "--env", "prod")

    assert "note: owner: isolation by policy is impossible in NOTICES" in done.stderr
    assert "no policy keeps sessions apart" in done.stdout.replace("\n          # ", " ")


def test_names_and_ends_depend_on_the_environment() -> None:
    dev = synth(EVERYTHING, "--to", "terraform", "--env", "dev").stdout

    assert '"things-dev-things"' in dev
    assert "things-prod" not in dev


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (REFUSED, "App is replicated"),
        (BROKEN, "what the pattern by_kind sends is not known"),
    ],
)
def test_a_design_that_contradicts_itself_is_misuse(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "design.py"
    path.write_text(text)
    done = synth(str(path), "--to", "cloudformation", "--env", "prod")

    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("missing", ["--to", "--env"])
def test_the_target_and_the_environment_must_be_said(missing: str) -> None:
    options = {"--to": "cloudformation", "--env": "prod"}
    del options[missing]
    done = synth(EVERYTHING, *(part for pair in options.items() for part in pair))

    assert done.exit_code == 2
    assert missing in done.stderr


@pytest.mark.parametrize("environment", ["", "a b", "prod/.."])
def test_an_environment_that_no_name_can_have_is_refused(environment: str) -> None:
    result = synth(EVERYTHING, "--to", "terraform", "--env", environment)

    assert result.exit_code == 2
    assert "is part of names" in result.stderr
