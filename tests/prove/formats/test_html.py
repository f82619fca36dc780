"""The HTML page: one self-contained file, in which every text of a design is escaped."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.prove.designs import design

from sortkey.prove.formats.html import report_html
from sortkey.prove.runner import prove
from sortkey.prove.scale import KeyScaling
from sortkey.prove.strategies import Strategies
from sortkey.prove.trial import QUICK, ProofSettings
from sortkey.prove.verdict import ProofOutcome, ProofReport, Verdict

GATES = """
from sortkey import About, Expected

class Gates(Table):
    pass

class Scan(Entity, table=Gates, expected=Expected(size_bytes=900)):
    gate: str
    number: int
    guest: str
    primary = Gates.primary.key("SCANS<&>", "{gate}#{number:012d}")

class Gate(Entity, table=Gates, expected=Expected(count=40)):
    gate: str
    scanned: int = 0
    primary = Gates.primary.key("GATE#{gate}", "GATE")

@pattern("A ticket is scanned", rate="4000/s")
def scan(record: Scan) -> Op[Scan]:
    return record.create()

@pattern("Scans of a guest", rate="1/s", where=lambda scan, guest: scan.number > 1)
def scans_of(guest: str) -> Op[list[Scan]]:
    return Scan.query().where(lambda s: s.guest == guest)

@pattern("Count a scan", rate="400/s")
def count(gate: str) -> Op[Gate]:
    return Gate.update(gate=gate).add(lambda g: g.scanned).by(1)

raw = raw_pattern(
    "A gate", table=Gates, operation="GetItem", name="raw", key={"PK": "GATE#{gate}", "SK": "GATE"},
    arguments={"gate": str},
)

about = About(name="Gates & <guests>", users=100_000)
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> ProofReport:
    loaded = design(tmp_path_factory.mktemp("design"), GATES)
    return prove(loaded, ProofSettings(0, QUICK, Strategies(loaded.modules)))


@pytest.fixture(scope="module")
def page(report: ProofReport) -> str:
    return report_html(report, {"count_is_safe": ("counterexamples/test_count_is_safe.py",)})


def test_every_subject_is_on_the_page(page: str, report: ProofReport) -> None:
    for verdict in report.verdicts:
        assert verdict.subject.replace("&", "&amp;").replace("<", "&lt;")[:20] in page


def test_refutations_come_with_what_shows_them(page: str) -> None:
    refuted = page[page.index("<h2>Refuted") : page.index("<h2>Unproven")]

    assert "took effect, and the response is lost" in refuted
    assert "counterexamples/test_count_is_safe.py" in refuted
    assert "its hottest key takes 4,000 write units".capitalize() in refuted
    assert "expected" in refuted
    assert "Change: " in refuted
    assert refuted.count("called\n  scans_of(guest=") == len(
        ["missing", "unexpected", "affordable"]
    )
    assert "stored\n  #1 Gate(gate=" in refuted
    assert "<p>It is a raw read" in page[page.index("<h2>Unproven") :]


def test_each_pattern_has_its_plot_and_hot_keys_have_one(page: str) -> None:
    titles = re.findall(r"<title>(.*?)</title>", page)

    assert {f"Units of {name} as data grows" for name in ("scan", "scans_of", "count")} <= {*titles}
    assert "Hottest keys as the users grow" in titles


def test_a_count_has_its_colour_only_if_there_are_any(page: str) -> None:
    none = report_html(ProofReport("gates", 0, 25, ()), {})

    assert re.search(r'<b class="refuted">[1-9]\d* refuted</b>', page)
    assert '<b class="soft">0 refuted</b>, <b class="soft">0 unproven</b>' in none


def scale_page(report: ProofReport, *, share: float, grows: bool) -> str:
    """The page of one key with one load."""
    verdict, scaling = next(
        (verdict, verdict.detail)
        for verdict in report.verdicts
        if isinstance(verdict.detail, KeyScaling)
    )
    load = replace(scaling.loads[0], share=share, grows=grows)
    changed = replace(verdict, detail=replace(scaling, loads=(load,)))
    return report_html(replace(report, verdicts=(changed,)), {})


def test_a_key_whose_load_does_not_grow_serves_users_without_limit(report: ProofReport) -> None:
    page = scale_page(report, share=0.5, grows=False)

    assert "Users one key serves" in page
    assert '<td class="number">no limit</td></tr>' in page


def test_a_small_load_is_not_shown_as_none(report: ProofReport) -> None:
    page = scale_page(report, share=1e-9, grows=False)

    assert '<td class="number">&lt;0.1%</td>' in page


def test_invariants_have_a_table_of_their_verdicts() -> None:
    kept = Verdict("kept", "invariant", "adds_up", ProofOutcome.PROVED, figures={"applied": 47})

    page = report_html(ProofReport("shop", 0, 25, (kept,)), {})

    table = page[page.index("<h2>Kept</h2>") :]
    assert "adds_up" in table
    assert '<td class="number">47</td>' in table


def test_it_needs_nothing_else(page: str) -> None:
    assert not re.search(r"<script|<link|<img|@import|url\(|https?://", page)
    assert "prefers-color-scheme: dark" in page


def test_it_is_well_formed_and_names_are_escaped(page: str) -> None:
    body = page.partition("<body>")[2].partition("</body>")[0]

    ET.fromstring(f"<body>{body.replace('<br>', '<br/>')}</body>")
    assert "Gates &amp; &lt;guests&gt;" in page
    assert "SCANS&lt;&amp;&gt;" in page


def test_a_report_of_one_aspect_has_only_its_section(tmp_path: Path) -> None:
    loaded = design(tmp_path, GATES)
    how = ProofSettings(0, QUICK, Strategies(loaded.modules))

    page = report_html(prove(loaded, how, only=["Gate"]), {})

    assert "<h2>Safe</h2>" in page
    assert "<h2>Scalable" not in page
    assert "<h2>Refuted" not in page
