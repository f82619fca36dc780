"""A pattern that is not planned: what `check` may no longer claim, and what it still must."""

import pytest

from sortkey.check.examples import report_of
from sortkey.check.rules import RULES

UNPLANNED = """
@pattern("Something unknown", rate="1/s")
def unknown(one: str, other: str) -> Op[{entity} | None]:
    if one != other:
        raise ValueError("not the same")
    return {entity}.get()
"""
ELSEWHERE = """
class Elsewhere(Entity, table=App):
    elsewhere_id: str
    primary = App.primary.key("ELSEWHERE#{elsewhere_id}", "ELSEWHERE")
"""
FLAGGED = {rule.code: rule.flagged for rule in RULES}
# What rules conclude from a request that is missing, with the entity that lacks it.
ABSENT: dict[str, tuple[str, str, str]] = {
    "SK134: ranks without a delete": (
        "SK134",
        "Place",
        """
class Place(Entity, table=App):
    game_id: str
    rank: int
    user_id: str
    primary = App.primary.key("GAME#{game_id}", "PLACE#{rank:06d}#{user_id}")

@pattern("Set a place", rate="1/s")
def place(place: Place) -> Op[Place]:
    return place.put()
""",
    ),
    "SK303: an expiry that no pattern sets": (
        "SK303",
        "Session",
        """
class Sessions(Table, ttl="expires_at"):
    pass

class Session(Entity, table=Sessions):
    session_id: str
    expires_at: TTL | None = None
    primary = Sessions.primary.key("SESSION#{session_id}", "SESSION")

@pattern("Log in", rate="1/s")
def log_in(session_id: str) -> Op[Session]:
    return Session(session_id=session_id).create()
""",
    ),
    "SK303: raw updates that do not set the expiry": (
        "SK303",
        "Visit",
        """
class Visits(Table, raw=True, ttl="expires_at"):
    pass

class Visit(Entity, table=Visits):
    visit_id: str
    count: int
    expires_at: TTL
    primary = Visits.primary.key("VISIT#{visit_id}", "VISIT")

visit = raw_pattern(
    "Count a visit",
    table=Visits,
    operation="UpdateItem",
    entity=Visit,
    key={"PK": "VISIT#{visit_id}", "SK": "VISIT"},
    update="ADD #count :one",
    names={"#count": "count"},
    values={":one": 1},
    arguments={"visit_id": str},
)
""",
    ),
    "SK419: an entity": ("SK419", "Draft", FLAGGED["SK419"]),
    "SK420: a read without a write": (
        "SK420",
        "Note",
        FLAGGED["SK420"]
        + """
class Draft(Entity, table=App):
    draft_id: str
    primary = App.primary.key("DRAFT#{draft_id}", "DRAFT")

@pattern("Write a draft", rate="1/s")
def draft(draft: Draft) -> Op[Draft]:
    return draft.create()
""",
    ),
    "SK420: an update without a write": (
        "SK420",
        "Note",
        """
class Note(Entity, table=App):
    note_id: str
    text: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("Edit a note", rate="5/s")
def edit(note_id: str, text: str) -> Op[Note]:
    return Note.update(note_id=note_id).set(text=text)
""",
    ),
    "SK421: an index": ("SK421", "Note", FLAGGED["SK421"]),
    "SK425: the entries of an entity": ("SK425", "Draft", FLAGGED["SK425"]),
    "SK431: a state": ("SK431", "Job", FLAGGED["SK431"]),
    "SK610: a contact in an index": (
        "SK610",
        "User",
        """
class User(Entity, table=App):
    user_id: str
    city: str
    phone_number: str
    primary = App.primary.key("USER#{user_id}", "USER")
    in_city = App.gsi1.key("CITY#{city}", "{user_id}")

@pattern("A user", rate="5/s")
def user(user_id: str) -> Op[User | None]:
    return User.get(user_id=user_id)
""",
    ),
    "SK709: the name of a person": (
        "SK709",
        "Comment",
        """
class Comment(Entity, table=App):
    comment_id: str
    author_id: str
    author_name: str
    primary = App.primary.key("COMMENT#{comment_id}", "COMMENT")
""",
    ),
    "SK719: records that stay": ("SK719", "Photo", FLAGGED["SK719"]),
    "SK811: a whole record": ("SK811", "Note", FLAGGED["SK811"]),
    "SK820: records of a week": ("SK820", "Board", FLAGGED["SK820"]),
}


def codes_in(design: str) -> set[str]:
    return {finding.code for finding in report_of(design).open}


@pytest.mark.parametrize("case", ABSENT)
def test_a_rule_claims_no_absence_of_what_an_unplanned_pattern_may_do(case: str) -> None:
    code, entity, design = ABSENT[case]

    found = codes_in(design + UNPLANNED.format(entity=entity))

    assert code not in found
    assert "SK406" in found


@pytest.mark.parametrize("case", ABSENT)
def test_an_unplanned_pattern_hides_nothing_of_other_entities(case: str) -> None:
    code, _, design = ABSENT[case]

    assert code in codes_in(design + ELSEWHERE + UNPLANNED.format(entity="Elsewhere"))


def test_a_design_of_reads_and_an_unplanned_pattern_may_write() -> None:
    assert "SK420" not in codes_in(FLAGGED["SK420"] + UNPLANNED.format(entity="Note"))


def test_a_refused_pattern_may_be_the_missing_write() -> None:
    found = codes_in(
        FLAGGED["SK420"]
        + """
@pattern("Write a note", rate="5/s")
def write(title: str) -> Op[Note]:
    return Note.update(title=title).set(text="")
"""
        + ELSEWHERE
        + """
@pattern("Write elsewhere", rate="5/s")
def write_elsewhere(elsewhere: Elsewhere) -> Op[Elsewhere]:
    return elsewhere.create()
"""
    )

    assert "SK405" in found
    assert "SK420" not in found


def test_the_lines_of_a_pattern_that_always_fails_are_one_finding() -> None:
    report = report_of(FLAGGED["SK420"] + UNPLANNED.format(entity="Note"))

    assert {f.code for f in report.open if f.where == "unknown"} == {"SK406"}


def test_lines_that_a_planned_pattern_does_not_reach_are_reported_beside_an_unplanned_one() -> None:
    assert codes_in(FLAGGED["SK423"] + UNPLANNED.format(entity="Note")) >= {"SK406", "SK423"}


@pytest.mark.parametrize(
    "pattern",
    [
        """
def _writes(one: str) -> Op[Draft]:
    return Draft(draft_id=one).create()

@pattern("A helper", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return _writes(one)
""",
        """
@pattern("A record as an argument", rate="1/s")
def unknown(draft: Draft, other: str) -> Op[object]:
    if draft.draft_id != other:
        raise ValueError("not the same")
    return draft.create()
""",
        """
def _made(entity: type[Entity]) -> object:
    @pattern("A closure", rate="1/s")
    def unknown(one: str, other: str) -> Op[object]:
        if one != other:
            raise ValueError("not the same")
        return entity.get(draft_id=one)
    return unknown

unknown = _made(Draft)
""",
        """
KINDS = {"draft": Draft}

@pattern("A dictionary", rate="1/s")
def unknown(name: str) -> Op[object]:
    return KINDS[name].get(draft_id=name)
""",
        """
class Drafts:
    @classmethod
    def first(cls) -> Op[object]:
        return (lambda: Draft.get(draft_id="1"))()

@pattern("A class", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return Drafts.first()
""",
        """
class Drafts:
    @classmethod
    def first(cls) -> Op[object]:
        return Draft.get(draft_id="1")

class Newest(Drafts):
    pass

@pattern("An inherited method", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return Newest.first()
""",
        """
class Newest:
    kind = Draft

@pattern("An attribute of a class", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return Newest.kind.get(draft_id=one)
""",
        """
class Stored:
    def __init__(self, kind: type[Entity]) -> None:
        self.kind = kind

stored = Stored(Draft)

@pattern("An object", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return stored.kind.get(draft_id=one)
""",
        """
load = Draft.get

@pattern("A method of the entity", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return load(draft_id=one)
""",
        """
from functools import partial

load = partial(Draft.get, draft_id="1")

@pattern("A call that is prepared", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return load()
""",
        """
def load(one: str, kind: type[Entity] = Draft) -> Op[object]:
    return kind.get(draft_id=one)

@pattern("A default", rate="1/s")
def unknown(one: str, other: str) -> Op[object]:
    if one != other:
        raise ValueError("not the same")
    return load(one)
""",
        """
@pattern("Any entity", rate="1/s")
def unknown(kind: type[Entity], one: str) -> Op[object]:
    raise ValueError(one)
""",
        """
@pattern("An argument whose type is not defined", rate="1/s")
def unknown(one: "Nowhere") -> Op[object]:
    return Draft.get(draft_id=one)
""",
    ],
)
def test_an_entity_is_mentioned_by_whatever_the_function_uses(pattern: str) -> None:
    found = codes_in(FLAGGED["SK419"] + pattern)

    assert "SK406" in found
    assert "SK419" not in found


def test_an_acknowledgement_is_not_unused_because_a_pattern_is_not_planned() -> None:
    design = """
about = About(name="notes", ignore={"SK424": "later"})

class Notes(Table, ignore={"SK615": "few"}):
    by_author = gsi("GSI1PK", "GSI1SK", ignore={"SK421": "a report reads it"})

class Note(Entity, table=Notes, ignore={"SK420": "an import writes them"}):
    note_id: str
    author: str
    primary = Notes.primary.key("NOTE#{note_id}", "NOTE")
    of_author = Notes.by_author.key("AUTHOR#{author}", "{note_id}")

@pattern("A note", rate="1/s", ignore={"SK413": "few"})
def note(one: str, other: str) -> Op[Note | None]:
    if one != other:
        raise ValueError("not the same")
    return Note.get(note_id=one)
"""
    planned = report_of(design.replace("one != other", "one == other"))

    assert codes_in(design) == {"SK406"}
    assert len([f for f in planned.open if f.code == "SK604"]) == 4
