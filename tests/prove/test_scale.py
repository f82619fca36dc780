"""The calculated load of the hottest keys: now, when they are throttled, and how to spread it."""

from math import inf
from pathlib import Path

import pytest
from tests.prove.designs import design

from sortkey import load_design
from sortkey.prove import scale
from sortkey.prove.scale import KeyScaling
from sortkey.prove.trial import ProofSettings
from sortkey.prove.verdict import ProofOutcome, Verdict

IMPORTS = """
from typing import Literal
from sortkey import About, Expected, lsi
"""
SCANS = """
class Gates(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")

class Scan(Entity, table=Gates, expected=Expected(size_bytes=900{expected}){ignore}):
    gate: str
    number: int
    state: Literal["in", "out"]
    primary = Gates.primary.key("{partition}", "{sort}"{shards})
    by_state = Gates.gsi1.key("STATE#{{state}}", "{{gate}}#{{number:012d}}")

@pattern("A ticket is scanned"{rate})
def scanned(scan: Scan) -> Op[Scan]:
    return scan.create()

about = About(users={users})
"""


def scans(tmp_path: Path, **said: str) -> dict[str, Verdict]:
    """Return the verdict on each form of key, by the text before its first field."""
    usual = {
        "expected": "",
        "ignore": "",
        "partition": "SCANS",
        "sort": "{gate}#{number:012d}",
        "shards": "",
        "rate": ', rate="400/s"',
        "users": "100_000",
    }
    loaded = design(tmp_path, IMPORTS + SCANS.format(**{**usual, **said}))
    verdicts = [scale.judge(place, loaded, ProofSettings()) for place in scale.subjects(loaded)]
    return {verdict.subject.partition(" ")[2].partition("#")[0]: verdict for verdict in verdicts}


def scaling(verdict: Verdict) -> KeyScaling:
    assert isinstance(verdict.detail, KeyScaling)
    return verdict.detail


def test_one_partition_for_all_users_has_a_ceiling(tmp_path: Path) -> None:
    found = scans(tmp_path)["SCANS"]

    assert found.outcome is ProofOutcome.PROVED
    assert found.figures == {"write_units": 400}
    assert scaling(found).users_at_ceiling == 250_000
    shares = [round(column.share, 3) for column in scaling(found).columns]
    assert shares == [0.04, 0.4, 4, 40, 400, 4000]
    assert [column.shards for column in scaling(found).columns] == [1, 1, 4, 40, 400, 4000]


def test_a_key_above_what_dynamodb_serves_is_refuted(tmp_path: Path) -> None:
    found = scans(tmp_path, rate=', rate="4000/s"')["SCANS"]

    assert found.outcome is ProofOutcome.REFUTED
    assert "4,000 write units a second" in found.reason
    assert "most of them for scanned" in found.reason
    assert "shards=4" in found.change


def test_a_key_of_a_whole_day_takes_all_current_writes(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        IMPORTS
        + """
class Gates(Table):
    pass

class Scan(Entity, table=Gates, expected=Expected(count=1_000_000, per_partition=100)):
    day: date
    number: int
    primary = Gates.primary.key("DAY#{day}", "{number:012d}")

@pattern("A ticket is scanned", rate="5000/s")
def scanned(scan: Scan) -> Op[Scan]:
    return scan.create()
""",
    )
    [verdict] = [scale.judge(place, loaded, ProofSettings()) for place in scale.subjects(loaded)]

    assert verdict.outcome is ProofOutcome.REFUTED


def test_an_index_with_one_partition_for_all_is_refuted(tmp_path: Path) -> None:
    found = scans(tmp_path, rate=', rate="4000/s"', partition="GATE#{gate}")

    assert found["STATE"].outcome is ProofOutcome.REFUTED
    assert "2,000 write units" in found["STATE"].reason


@pytest.mark.parametrize("name", ["scalable", "SK803"])
def test_a_hot_key_may_be_acknowledged_and_still_shows_its_ceiling(
    tmp_path: Path, name: str
) -> None:
    ignore = f', ignore={{"{name}": "the gates are few"}}'
    found = scans(tmp_path, rate=', rate="4000/s"', ignore=ignore)["SCANS"]

    assert found.outcome is ProofOutcome.PROVED
    assert scaling(found).acknowledged == "the gates are few"
    assert scaling(found).users_at_ceiling == 25_000


def test_an_index_acknowledges_that_its_key_is_hot(tmp_path: Path) -> None:
    said = SCANS.replace('gsi("GSI1PK", "GSI1SK")', 'gsi("GSI1PK", "GSI1SK"{ignored})')
    usual = {"expected": "", "ignore": "", "partition": "GATE#{gate}", "sort": "{number:012d}"}
    usual |= {"shards": "", "rate": ', rate="4000/s"', "users": "100_000"}
    why = ', ignore={"scalable": "the gates are few"}'
    loaded = design(tmp_path, IMPORTS + said.format(**usual, ignored=why))
    verdicts = [scale.judge(place, loaded, ProofSettings()) for place in scale.subjects(loaded)]

    assert {verdict.outcome for verdict in verdicts} == {ProofOutcome.PROVED}


def test_shards_share_the_load_of_one_key(tmp_path: Path) -> None:
    found = scans(tmp_path, rate=', rate="4000/s"', shards=", shards=16")["SCANS"]

    assert found.outcome is ProofOutcome.PROVED
    assert found.figures == {"write_units": 250}


def test_the_load_of_one_key_per_user_does_not_grow_with_users(tmp_path: Path) -> None:
    found = scans(
        tmp_path, partition="GATE#{gate}", expected=", count=1_000_000, per_partition=1_000"
    )["GATE"]

    assert found.outcome is ProofOutcome.PROVED
    assert found.figures == {"write_units": 0.4}
    assert scaling(found).ceiling == inf
    assert scaling(found).users_at_ceiling is None


def test_a_share_that_is_declared_stays(tmp_path: Path) -> None:
    found = scans(tmp_path, partition="GATE#{gate}", expected=", hottest_share=0.1")["GATE"]

    assert found.figures == {"write_units": 40}
    assert scaling(found).users_at_ceiling == 2_500_000


def test_a_key_s_own_expectations_come_before_those_of_its_entity(tmp_path: Path) -> None:
    own = ", expected=Expected(hottest_share=0.05)"
    said = {"partition": "GATE#{gate}", "expected": ", hottest_share=0.1"}
    of_entity, of_key = scans(tmp_path, **said), scans(tmp_path, **said, shards=own)

    now = [scaling(found["GATE"]).now.writes for found in (of_entity, of_key)]
    assert now[1] == pytest.approx(now[0] / 2)


def test_without_a_rate_nothing_is_proved(tmp_path: Path) -> None:
    found = scans(tmp_path, rate="")["SCANS"]

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "the rate of scanned is not declared" in found.reason


def test_without_counts_the_spread_of_records_is_unknown(tmp_path: Path) -> None:
    found = scans(tmp_path, partition="GATE#{gate}", users="None")["GATE"]

    assert found.outcome is ProofOutcome.UNPROVEN
    assert "keys over which the records of Scan spread is not declared" in found.reason


def test_without_users_the_declared_rates_are_multiplied(tmp_path: Path) -> None:
    found = scaling(scans(tmp_path, users="None")["SCANS"])

    assert found.users_at_ceiling is None
    assert found.ceiling == 2.5
    assert [column.users for column in found.columns] == [1, 10, 100, 1_000, 10_000, 100_000]


@pytest.mark.parametrize(
    ("sort", "reason"),
    [
        ("{gate}#{number:012d}", "DynamoDB can split a hot key"),
        ("{number:012d}", "all new records go to its end"),
        ("SCAN", "it has one record"),
    ],
)
def test_the_sort_key_decides_whether_a_split_helps(tmp_path: Path, sort: str, reason: str) -> None:
    partition = "SCANS" if "{" in sort else "{gate}#{number}"
    found = scans(tmp_path, sort=sort, partition=partition, shards="")

    assert any(reason in scaling(verdict).split for verdict in found.values())


def test_a_local_index_keeps_a_partition_whole(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        IMPORTS
        + """
class Log(Table):
    by_level = lsi("LSI1SK")

class Line(Entity, table=Log):
    host: str
    level: str
    primary = Log.primary.key("LINES", "{host}")
    by_level = Log.by_level.key(sort="{level}")

class Unused(Entity, table=Log):
    name: str
    primary = Log.primary.key("UNUSED", "{name}")

@pattern("Write a line")
def write(line: Line) -> Op[Line]:
    return line.put()
""",
    )
    # A key that no pattern reads or writes has no load, which would prove nothing.
    [place] = scale.subjects(loaded)

    found = scaling(scale.judge(place, loaded, ProofSettings()))
    assert found.split == "DynamoDB cannot split a hot key, since the table has a local index"


def test_gymcoach_s_shared_partitions_show_their_ceiling() -> None:
    loaded = load_design("systems/sortkey_systems/gymcoach/design")
    verdicts = {
        place.name: scale.judge(place, loaded, ProofSettings()) for place in scale.subjects(loaded)
    }

    assert {verdict.outcome for verdict in verdicts.values()} == {ProofOutcome.PROVED}
    sessions = scaling(verdicts["GymCoach.primary WORKOUT_SESSIONS"])
    assert sessions.acknowledged.startswith("the partition is documented")
    assert sessions.users_at_ceiling is not None
    assert 100_000 < sessions.users_at_ceiling < 1_000_000


def test_the_json_has_each_column(tmp_path: Path) -> None:
    value = scaling(scans(tmp_path)["SCANS"]).value

    assert value["users_at_ceiling"] == 250_000
    assert value["loads"] == [{"pattern": "scanned", "writes_units": 400, "grows": True}]
    assert value["columns"][0] == {
        "users": 10_000,
        "write_units": 40,
        "read_units": 0,
        "shards": 1,
    }


def test_a_scan_reads_every_partition_whole(tmp_path: Path) -> None:
    loaded = design(
        tmp_path,
        IMPORTS
        + """
class Shop(Table):
    pass

class Order(Entity, table=Shop, expected=Expected(per_partition=40, size_bytes=1000)):
    shop_id: str
    number: int
    primary = Shop.primary.key("SHOP#{shop_id}", "{number:06d}")

@pattern("All orders", rate="100/s")
def orders() -> Op[list[Order]]:
    return Order.scan()

about = About(users=10_000)
""",
    )
    [place] = scale.subjects(loaded)
    found = scale.judge(place, loaded, ProofSettings())

    # Forty records are 10 units of 4 KB, at half the cost.
    assert found.figures == {"read_units": 100 * 10 / 2}
