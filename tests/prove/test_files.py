"""Counterexamples as files: a test that fails as it says, and a script that needs boto3 alone."""

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.access.executors import HAS_LOCAL
from tests.prove.designs import TRIED, TYPED
from tests.prove.scripts import shown

from sortkey import load_design
from sortkey.prove.files import script_of, write_files
from sortkey.prove.runner import ASPECTS, prove
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, THOROUGH, ProofSettings
from sortkey.prove.verdict import ProofReport

pytestmark = pytest.mark.acceptance

FAULTY = (
    TYPED
    + """
class Old(Table, raw=True, ttl="ends"):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Kind(Enum):
    CALL = "call"
    VISIT = "visit"

class Event(Entity, table=Old, identity=("event_id",)):
    user_id: str
    event_id: str
    number: Annotated[int, Field(ge=0)]
    at: datetime
    kind: Kind = Kind.CALL
    price: Decimal = Decimal(0)
    token: Annotated[str, secret] = "t"
    ends: TTL | None = None
    primary = Old.primary.key("USER#{user_id}", "EVENT#{number}")
    by_kind = Old.gsi1.key("KIND#{kind}", "{at}#{user_id}#{number}")

class Counter(Entity, table=Old):
    name: str
    total: Annotated[int, Field(ge=0)] = 0
    primary = Old.primary.key("COUNTER#{name}", "COUNTER")

by_number = raw_pattern(
    "Events of a user by number", table=Old, operation="Query",
    key_condition="PK = :pk", values={":pk": "USER#{user_id}"}, arguments={"user_id": str},
    entity=Event, name="by_number", filter="attribute_not_exists(ends)",
    where=lambda event, user_id: event.user_id == user_id and event.ends is None,
    order=lambda event: event.number,
)

@pattern(
    "Events of a kind until a time",
    where=lambda event, kind, until: event.kind is kind and event.at <= until,
)
def until(kind: Kind, until: datetime, after: str | None = None) -> Op[Page[Event]]:
    return Event.query(Event.by_kind, kind=kind).lt(at=until).page(2, after)

@pattern("Take away")
def take(name: str) -> Op[Counter]:
    return Counter.update(name=name).add(lambda c: c.total).by(-1)

@pattern("Shown", where=lambda event, user_id: event.ends > event.at)
def shown(user_id: str) -> Op[list[Event]]:
    return Event.query(user_id=user_id)
"""
)


# Each pattern is refuted by a measurement or a race.
COSTLY = (
    TYPED
    + """
class Shop(Table):
    pass

class Order(Entity, table=Shop):
    number: int
    buyer: str
    primary = Shop.primary.key("ORDERS", "{number:06d}")

class Till(Entity, table=Shop):
    name: str
    total: int = 0
    primary = Shop.primary.key("TILL#{name}", "TILL")

class Receipt(Entity, table=Shop, immutable=True):
    number: int
    text: str
    primary = Shop.primary.key("RECEIPT#{number:06d}", "RECEIPT")

@pattern("Orders of a buyer")
def bought(buyer: str) -> Op[list[Order]]:
    return Order.query().where(lambda o: o.buyer == buyer)

@pattern("Ring up")
def ring(name: str) -> Op[Till]:
    return Till.update(name=name).add(lambda t: t.total).by(1)

print_again = raw_pattern(
    "Print a receipt", table=Shop, operation="TransactWriteItems", name="print_again",
    arguments={"number": int, "text": str},
    actions=[RawRequest("Put", Shop, entity=Receipt, item={
        "PK": "RECEIPT#{number:06d}", "SK": "RECEIPT", "_type": "Receipt",
        "number": "{number}", "text": "{text}",
    })],
)
"""
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("counterexamples")


@pytest.fixture(scope="module")
def report(folder: Path) -> ProofReport:
    """Prove a faulty design, and write its files to the folder."""
    file = folder / "design.py"
    file.write_text(FAULTY)
    design = load_design(file)
    found = prove(design, ProofSettings(0, THOROUGH, Strategies(design.modules)), aspects=TRIED)
    written = write_files(found, design, str(file), folder / "found")
    assert {Path(name).name for names in written.values() for name in names} == {
        "test_by_number_is_right.py",
        "by_number_is_right_boto3.py",
        "test_until_is_right.py",
        "until_is_right_boto3.py",
        "test_take_is_right.py",
        "take_is_right_boto3.py",
        "test_shown_is_right.py",
        # The counterexamples of further causes.
        "test_shown_is_right_2.py",
        "shown_is_right_2_boto3.py",
        "test_shown_is_right_3.py",
        "shown_is_right_3_boto3.py",
        "test_Event_is_lossless.py",
        "Event_is_lossless_boto3.py",
    }
    return found


@pytest.mark.usefixtures("report")
def test_every_test_fails_as_it_says(folder: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "found"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    assert "7 failed" in done.stdout, done.stdout
    for text in (
        "assert 'the records are returned in the wrong order' is None",
        "assert 'a record is missing' is None",
        "a stored record cannot be read: total",
        "its where= raises TypeError",
        "assert 'two records share the key",
    ):
        assert text in done.stdout, done.stdout


@pytest.mark.usefixtures("report")
def test_a_test_passes_once_the_fault_is_fixed(folder: Path, tmp_path: Path) -> None:
    mended = FAULTY.replace(".lt(at=until)", ".le(at=until)")
    (tmp_path / "design.py").write_text(mended)
    (tmp_path / "found").mkdir()
    name = "test_until_is_right.py"
    (tmp_path / "found" / name).write_text((folder / "found" / name).read_text())

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"found/{name}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert "1 passed" in done.stdout, done.stdout


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a costly design."""
    folder = tmp_path_factory.mktemp("costly")
    file = folder / "design.py"
    file.write_text(COSTLY)
    design = load_design(file)
    aspects = [aspect for aspect in ASPECTS if aspect.name in {"affordable", "safe"}]
    found = prove(design, ProofSettings(0, QUICK, Strategies(design.modules)), aspects=aspects)
    written = write_files(found, design, str(file), folder / "found")
    assert {Path(name).name for names in written.values() for name in names} == {
        *MEASURED,
        *(f"test_{name}".replace("_boto3", "") for name in MEASURED),
    }
    return folder


SCRIPTS = {
    "by_number_is_right_boto3.py": ("EVENT#10",),
    "until_is_right_boto3.py": ("EVENT#",),
    "take_is_right_boto3.py": ('"total": {"N": "-1"}',),
    "shown_is_right_2_boto3.py": ("EVENT#",),
    "Event_is_lossless_boto3.py": ("EVENT#",),
}
MEASURED = {
    "bought_is_affordable_boto3.py": (
        "with 11 items stored, the call reads 11 and",
        "with 41 items stored, the call reads 41 and",
        "THE COST GROWS",
    ),
    "ring_is_safe_boto3.py": ("A: {", "B: {", '"total": {"N": "3"}', "THIS MUST NOT HAPPEN"),
    "print_again_is_safe_boto3.py": ('"text": {"S": "a-0001"}', "THIS MUST NOT HAPPEN"),
}


def replayed(folder: Path, name: str, url: str) -> str:
    """Run a script, assert that it shows the wrong answer, and return its output."""
    return shown(folder / "found" / name, url, "NOT THE SAME", *SCRIPTS[name])


@pytest.mark.usefixtures("report")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_shows_the_wrong_answer_on_the_embedded_engine(
    folder: Path, http_url: str, name: str
) -> None:
    replayed(folder, name, http_url)


@pytest.mark.usefixtures("report")
@pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_shows_the_same_on_dynamodb_local(
    folder: Path, http_url: str, local_url: str, name: str
) -> None:
    assert replayed(folder, name, local_url) == replayed(folder, name, http_url)


@pytest.mark.usefixtures("report")
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_needs_nothing_but_boto3(folder: Path, name: str) -> None:
    tree = ast.parse((folder / "found" / name).read_text())
    imported = {
        (node.module or "").partition(".")[0] if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    assert imported - sys.stdlib_module_names == {"boto3", "botocore"}


@pytest.mark.parametrize("name", MEASURED)
def test_the_script_shows_what_grows_and_what_must_not_be_stored(
    measured: Path, http_url: str, name: str
) -> None:
    shown(measured / "found" / name, http_url, *MEASURED[name])


@pytest.mark.skipif(not HAS_LOCAL, reason="DynamoDB Local is not installed")
@pytest.mark.parametrize("name", MEASURED)
def test_dynamodb_local_grows_and_stores_the_same(
    measured: Path, http_url: str, local_url: str, name: str
) -> None:
    script = measured / "found" / name

    assert shown(script, local_url, *MEASURED[name]) == shown(script, http_url)


def test_a_script_that_cannot_connect_says_so(measured: Path) -> None:
    script = measured / "found" / "bought_is_affordable_boto3.py"

    done = subprocess.run(
        [sys.executable, script, "nowhere"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr == "the replay failed: Invalid endpoint: nowhere\n"


def test_a_script_describes_what_it_does(measured: Path) -> None:
    script = measured / "found" / "bought_is_affordable_boto3.py"

    done = subprocess.run(
        [sys.executable, script, "--help"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0
    assert "It replays the requests with boto3 alone" in done.stdout


def test_a_script_exits_with_zero_if_its_requests_are_rejected(
    measured: Path, http_url: str, tmp_path: Path
) -> None:
    text = (measured / "found" / "print_again_is_safe_boto3.py").read_text()
    guarded = '"Put": {"ConditionExpression": "attribute_not_exists(PK)",'
    script = tmp_path / "guarded.py"
    script.write_text(text.replace('"Put": {', guarded))

    done = subprocess.run(
        [sys.executable, script, http_url], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "TransactWriteItems is rejected" in done.stdout
    assert "this no longer happens" in done.stdout


def test_a_script_with_quotes_in_its_data_is_python(tmp_path: Path) -> None:
    file = tmp_path / "design.py"
    file.write_text(FAULTY)
    design = load_design(file)
    how = ProofSettings(0, THOROUGH, Strategies(design.modules))
    [verdict] = prove(design, how, aspects=TRIED, only=["until"]).verdicts
    assert verdict.counterexample is not None
    recording = verdict.counterexample.recording
    quoted = replace(recording, items={"App": ({"PK": {"S": "it'''s"}},)})
    quoting = replace(verdict, counterexample=replace(verdict.counterexample, recording=quoted))

    ast.parse(script_of(quoting))
