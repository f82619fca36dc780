"""No two resources of an account have the same name, even if two designs share a standard."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.synth.readers.physical import names_in

from sortkey import load_design
from sortkey.design.declaring.deployed_names import limited_names
from sortkey.design.declaring.design import Design
from sortkey.synth.naming import shortened
from sortkey.synth.stack import stack_of
from sortkey.synth.targets import TARGETS

# Alike in everything but the names of the design and of its table.
DESIGN = """
from sortkey import (
    About, Alarms, Backups, Bucket, Entity, Export, Function, HttpApi, Op, OnMessage, Queue, Role,
    Route, Schedule, Settings, Standard, Table, pattern
)

HOUSE = Standard(
    "house",
    project={project!r},
    table_name="{{project}}-{{name}}",
    exported_as="/{{project}}/{{group}}/{{name}}",
)

class Notes(
    Table,
    name=HOUSE.named({name!r}),
    settings=Settings(
        alarms=Alarms(),
        backups=Backups(),
        exported=Export("all", {name!r}, "Where the notes are"),
        standard=HOUSE,
    ),
):
    pass

class Tasks(Table, name=HOUSE.named({name!r} + "-tasks"), settings=Settings(
    backups=Backups(keep_days=7)
)):
    pass

class Note(Entity, table=Notes):
    note_id: str
    primary = Notes.primary.key("NOTE#{{note_id}}", "NOTE")

@pattern("A note")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)

about = About(name={name!r}, environments=("dev", "prod"), standard=HOUSE)
reader = Role("reader", [note])
read = Function("read", "notes:read", reader, triggers=[
    Route(HttpApi(), "GET /notes"), Schedule("rate(1 hour)"), Schedule("rate(1 day)"),
    OnMessage(Queue("read")),
], reads=[Bucket("notes")])
other = Function("read-2", "notes:read", reader, triggers=[Schedule("rate(1 hour)")])
"""
KINDS = {
    *("table", "policy", "topic", "alarm", "dashboard", "vault", "plan", "parameter"),
    *("function", "queue", "bucket", "log group", "rule", "API", "role"),
}


def designs(folder: Path, project: str, names: tuple[str, ...]) -> Iterator[Design]:
    for name in names:
        path = folder / f"{name}.py"
        path.write_text(DESIGN.format(project=project, name=name))
        yield load_design(path)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("names", [("plans", "logs"), ("house", "logs")])
def test_two_designs_of_one_standard_share_no_name_in_any_environment(
    target: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    found: Counter[tuple[str, str]] = Counter()
    for design in designs(tmp_path, "house-{environment}", names):
        for environment in ("dev", "prod"):
            stack = stack_of(design, environment)
            found.update(names_in(target, stack, TARGETS[target](stack)))

    kinds = {kind for kind, _ in found}
    assert kinds >= KINDS
    assert [name for name, times in found.items() if times > 1] == []


def test_a_project_that_is_named_after_the_design_is_not_repeated(tmp_path: Path) -> None:
    [own, other] = designs(tmp_path, "house-{environment}", ("house", "logs"))

    assert own.prefix_in("prod") == "house-prod"
    assert other.prefix_in("prod") == "house-prod-logs"


def test_a_project_without_the_environment_does_not_name_two_of_them_alike(tmp_path: Path) -> None:
    [design] = designs(tmp_path, "house", ("logs",))

    assert [design.prefix_in(each) for each in ("dev", "prod")] == [
        "house-logs-dev",
        "house-logs-prod",
    ]


def test_each_name_is_held_against_what_aws_allows(tmp_path: Path) -> None:
    [design] = designs(tmp_path, "house-{environment}", ("logs",))
    stack = stack_of(design, "prod")
    deployed = {name for _, name in names_in("terraform", stack, TARGETS["terraform"](stack))}

    judged = {name for name, _ in limited_names(design, "prod")}

    assert judged <= deployed | {stack.name}
    assert {plan.name for plan in stack.backup_plans[-1:]} <= judged
    assert {topic.name for topic in stack.topics} <= judged


def test_a_name_that_is_too_long_is_cut_off_and_stays_different() -> None:
    names = [f"{'x' * 250}-{end}" for end in ("read-throttled", "write-throttled")]

    short = [shortened(name, 255) for name in names]

    assert [len(name) for name in short] == [255, 255]
    assert short[0] != short[1]
    assert shortened("short", 255) == "short"
