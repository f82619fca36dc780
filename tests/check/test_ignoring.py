"""What is acknowledged is silent where it stands, with its reason, and reported once it is idle."""

import pytest

from sortkey import DesignError, Entity, RawPattern, Table, raw_pattern
from sortkey.check.examples import codes_found, report_of

EVENT = """
class Event(Entity, table={table}{ignore}):
    user_id: str
    at: datetime
    primary = {table}.primary.key("USER#{{user_id}}", "EVENT#{{at}}")

@pattern("Record an event", rate="1/s")
def record(event: Event) -> Op[Event]:
    return event.create()
"""
WHY = '{"SK208": "one a second"}'


def event(*, ignore: str = "", table: str = "App") -> str:
    return EVENT.format(table=table, ignore=f", ignore={ignore}" if ignore else "")


def test_it_is_found_where_nothing_is_said() -> None:
    assert codes_found(event()) == {"SK208"}


@pytest.mark.parametrize("name", ["SK208", "time-as-identity"])
def test_an_entity_acknowledges_by_code_or_by_name(name: str) -> None:
    assert codes_found(event(ignore=f'{{"{name}": "one a second"}}')) == set()


def test_a_table_acknowledges_for_its_entities() -> None:
    table = f"class Visits(Table, ignore={WHY}):\n    pass\n"

    assert codes_found(table + event(table="Visits")) == set()


def test_an_index_acknowledges_for_itself_alone() -> None:
    design = """
class Notes(Table):
    by_day = gsi("day", "at"{ignore})
    by_hour = gsi("hour", "at")

class Note(Entity, table=Notes):
    note_id: str
    primary = Notes.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note", rate="1/s")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)
"""
    why = ', ignore={"SK421": "the old program reads it"}'

    before, after = (report_of(design.replace("{ignore}", said)) for said in ("", why))

    assert [f.where for f in before.open if f.code == "SK421"] == ["Notes.by_day", "Notes.by_hour"]
    assert [f.where for f in after.open if f.code == "SK421"] == ["Notes.by_hour"]
    assert [f.reason for f in after.acknowledged] == ["the old program reads it"]


def test_a_table_does_not_acknowledge_for_another_s_entities() -> None:
    table = f"class Visits(Table, ignore={WHY}):\n    pass\n"

    assert codes_found(table + event()) == {"SK208", "SK604"}


def test_the_design_acknowledges_for_all() -> None:
    assert codes_found(event() + f"\nabout = About(ignore={WHY})") == set()


def test_a_pattern_acknowledges_for_itself_alone() -> None:
    design = """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("All", rate="1/day", ignore={"scan": "once a day"})
def first() -> Op[list[Note]]:
    return Note.scan()
"""
    again = design.replace(', ignore={"scan": "once a day"}', "").replace("first", "second")

    assert "SK413" not in codes_found(design)
    assert "SK413" in codes_found(design + again.partition('NOTE#{note_id}", "NOTE")')[2])


def test_a_raw_pattern_acknowledges_too() -> None:
    class Old(Table, raw=True):
        pass

    kept = raw_pattern("All", table=Old, operation="Scan", ignore={"SK413": "once a day"})

    assert isinstance(kept, RawPattern)
    assert kept.ignore == {"SK413": "once a day"}


def test_what_is_acknowledged_and_not_found_is_found() -> None:
    assert codes_found(event(ignore='{"SK208": "one a second", "SK101": "no"}')) == {"SK604"}
    assert codes_found(event(ignore='{"SK208": "one a second", "SK999": "no"}')) == {"SK604"}


def test_a_reason_is_required() -> None:
    with pytest.raises(DesignError, match="SK603"):

        class App(Table, ignore={"SK208": " "}):  # pyright: ignore[reportUnusedClass]
            pass

    class Other(Table):
        pass

    with pytest.raises(DesignError, match="SK603"):

        class Note(Entity, table=Other, ignore={"SK208": ""}):  # pyright: ignore[reportUnusedClass]
            note_id: str
            primary = Other.primary.key("NOTE#{note_id}", "NOTE")


def test_an_entity_without_a_key_acknowledges_too() -> None:
    design = """
class Old(Table, raw=True):
    pass

class Lost(Entity, table=Old, ignore={"SK200": "as the document has it"}):
    gone: bool
    primary = Old.primary.key("LOST#{gone}", "LOST")
"""
    assert codes_found(design) == set()


def test_what_only_prove_finds_is_not_said_to_be_idle() -> None:
    design = """
class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")

@pattern("A note", rate="1/day", ignore={"affordable": "there are few"})
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)
"""
    assert "SK604" not in codes_found(design)
