"""The sample items of GymCoach's document: what is wrong with them by hand is what is found."""

from pathlib import Path

import pytest

from sortkey import load_design
from sortkey.check.runner import check
from sortkey.check.samples.reading import read_samples
from sortkey.design.findings import Finding

FOLDER = Path(__file__).parent
SAMPLES = read_samples(FOLDER / "gymcoach_samples.json")

# Held against the document itself, as far as it is transcribed.
AS_DOCUMENTED = [
    # It is to go at midnight, eight hours before it is sent.
    ("SK956", 18, '"ttl" is 2024-01-01T00:00:00Z, before its "sentAt", 2024-01-01T08:00:00Z'),
    # The document lists no access pattern of performance trends; the others are not transcribed.
    ("SK952", 16, "no entity of Gym has such a key"),
    # The day that sorts these two is nowhere but in the key, so no range of days can be filtered.
    ("SK955", 12, 'it has "date" only in its key'),
    ("SK955", 13, 'it has "date" only in its key'),
]
# Held against the design that came of it, which mends the document's keys and adopts its items.
AS_MENDED = [
    # The keys of metrics, strength, measurements and trends are accepted as earlier ones.
    ("SK956", 18, '"ttl" is 2024-01-01T00:00:00Z, before its "sentAt", 2024-01-01T08:00:00Z'),
    # Two indexes are declared, and no item of the document has their attributes.
    *(
        ("SK957", number, "it has no GSI1PK and GSI1SK, so it is not in GymCoach.GSI1")
        for number in (2, 3, 4, 5, 6, 7, 8, 14, 15, 18)
    ),
    ("SK957", 4, "it has no GSI2PK and GSI2SK, so it is not in GymCoach.GSI2"),
]
UNTRANSCRIBED = (4, 5, 7, 8, 9, 10, 14, 15, 16, 19)


def found_in(design: str | Path) -> list[Finding]:
    found = check(load_design(design), samples=SAMPLES).open
    return [one for one in found if one.code.startswith("SK95")]


def says(finding: Finding, code: str, number: int, said: str) -> bool:
    is_there = f", item {number} (" in finding.where
    return finding.code == code and is_there and said in finding.message


@pytest.mark.parametrize(("code", "number", "said"), AS_DOCUMENTED)
def test_a_defect_of_the_document_is_found(code: str, number: int, said: str) -> None:
    assert any(says(found, code, number, said) for found in found_in(FOLDER / "gymcoach.py"))


def test_nothing_else_is_held_against_the_document_s_items() -> None:
    known = [*AS_DOCUMENTED, *(("SK952", number, "no entity") for number in UNTRANSCRIBED)]
    # The transcription has few of the fields.
    known += [("SK955", sample.number, "declares no such field") for sample in SAMPLES]

    others = [
        found
        for found in found_in(FOLDER / "gymcoach.py")
        if not any(says(found, *each) for each in known)
    ]

    assert others == []


def test_the_design_that_came_of_it_finds_exactly_what_it_mends() -> None:
    found = found_in("sortkey_systems.gymcoach.design")

    for each in AS_MENDED:
        assert any(says(one, *each) for one in found), each
    assert len(found) == len(AS_MENDED)


def test_every_finding_has_the_line_of_its_item() -> None:
    places = {str(found.place) for found in found_in("sortkey_systems.gymcoach.design")}

    lines = (FOLDER / "gymcoach_samples.json").read_text().splitlines()
    assert all(lines[int(place.rpartition(":")[2]) - 1] == "  {" for place in places)
