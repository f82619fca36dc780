"""The details of verdicts, in lines for a terminal."""

from dataclasses import replace

import pytest

from sortkey import Entity, Op, Table, pattern
from sortkey.cli.text.details import detail_lines, growth_sum, scale_table
from sortkey.design.plans.load import KeyLoad
from sortkey.prove.curves import Point
from sortkey.prove.example import Example
from sortkey.prove.growth import Class, Growth
from sortkey.prove.invariants import Course, WritingCall
from sortkey.prove.safety import Explored, Race
from sortkey.prove.scale import KeyScaling
from sortkey.prove.verdict import Detail, ProofOutcome, Verdict


class App(Table):
    pass


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")


@pattern("A note", rate="100/s")
def note(note_id: str) -> Op[Note | None]:
    return Note.get(note_id=note_id)


ONE = Note(note_id="a")
STORED = ["    stored", '        #1 Note(note_id="a")', '          PK = "NOTE#a", SK = "NOTE"']
EXAMPLE = Example(note, [Note.__kind__], (ONE,), {"note_id": "a"})
GROWTH = Growth(Class.CONSTANT, Point(0, 1, 0.5, 0, 1), EXAMPLE)
WRITES = KeyLoad(note, App.primary, "NOTE#{note_id}", "writes", 1)
SCALING = KeyScaling((WRITES,), 10_000, "a split helps", 1)


def lines(detail: Detail, outcome: ProofOutcome = ProofOutcome.PROVED) -> list[str]:
    return list(detail_lines(detail, outcome))


class TestGrowth:
    def test_what_is_proved_says_what_it_costs(self) -> None:
        assert lines(GROWTH) == ["    0.5 read units; constant."]

    def test_what_is_refuted_shows_its_example(self) -> None:
        assert lines(GROWTH, ProofOutcome.REFUTED) == [
            *STORED,
            "    called",
            '        note(note_id="a")',
        ]

    def test_what_is_acknowledged_says_why(self) -> None:
        growth = replace(GROWTH, acknowledged="few notes")

        assert lines(growth, ProofOutcome.UNPROVEN) == ["    Acknowledged: few notes."]

    def test_the_patterns_of_each_class_are_counted_the_best_first(self) -> None:
        classes = (Class.TABLE, Class.CONSTANT, Class.CONSTANT)
        details = [replace(GROWTH, grows=each) for each in classes]
        verdicts = [Verdict("fast", "pattern", "a", ProofOutcome.PROVED, detail=d) for d in details]

        assert growth_sum(verdicts) == "2 constant, 1 growing with the table"


class TestScaling:
    def test_a_key_serves_so_many_users(self) -> None:
        assert lines(SCALING) == ["    One key serves 100,000 users; a split helps."]

    def test_a_refutation_mentions_the_split_only_in_its_reason(self) -> None:
        assert lines(SCALING, ProofOutcome.REFUTED) == ["    One key serves 100,000 users."]

    def test_without_a_number_of_users_rates_are_multiplied(self) -> None:
        [line] = lines(replace(SCALING, users=None))

        assert "One key serves 10.0 times the declared rates" in line

    def test_a_key_that_takes_the_same_has_no_end(self) -> None:
        fixed = replace(SCALING, loads=(replace(WRITES, grows=False),))

        assert lines(fixed) == [
            "    The load of a key does not grow with the number of users; a split helps."
        ]

    def test_a_key_that_takes_nothing_is_only_acknowledged(self) -> None:
        assert lines(replace(SCALING, loads=(), acknowledged="read by nobody")) == [
            "    Acknowledged: read by nobody."
        ]


class TestTable:
    def verdicts(self, *details: Detail) -> list[Verdict]:
        return [
            Verdict("scalable", "key", f"key {number}", ProofOutcome.PROVED, detail=detail)
            for number, detail in enumerate(details)
        ]

    def test_the_hottest_key_comes_first_with_its_share_at_each_number_of_users(self) -> None:
        cold = replace(SCALING, loads=(replace(WRITES, units=0.01),))
        _, head, hottest, last = scale_table(self.verdicts(cold, SCALING), every=False)

        assert head.split()[-6:] == ["10k", "100k", "1M", "10M", "100M", "1B"]
        assert hottest.split() == ["key", "1", "10%", "100%", "1000%", "x100", "x1k", "x10k"]
        assert last.startswith("key 0 ")

    def test_multiples_are_shown_where_the_users_are_not_known(self) -> None:
        _, head, _ = scale_table(self.verdicts(replace(SCALING, users=None)), every=False)

        assert head.split()[-6:] == ["x1", "x10", "x100", "x1k", "x10k", "x100k"]

    @pytest.mark.parametrize(("every", "shown"), [(False, 5), (True, 7)])
    def test_five_keys_are_shown_unless_every_one_is_wanted(
        self, shown: int, *, every: bool
    ) -> None:
        _, _, *rows = scale_table(self.verdicts(*[SCALING] * 7), every=every)

        assert len([row for row in rows if row.startswith("key")]) == shown
        assert (rows[-1] == "and 2 more (--verbose lists them)") is not every

    def test_a_long_name_is_cut(self) -> None:
        [verdict] = self.verdicts(SCALING)
        _, _, row = scale_table([replace(verdict, subject="k" * 50)], every=False)

        assert row.startswith(f"{'k' * 36}…")

    def test_there_is_no_table_where_no_key_takes_more(self) -> None:
        fixed = replace(SCALING, loads=(replace(WRITES, grows=False),))

        assert list(scale_table(self.verdicts(fixed), every=True)) == []


def test_what_was_raced_is_counted_in_schedules_before_its_story() -> None:
    races = (Race("a put", "fair", 3), Race("a put", "storm", 1), Race("a get", "fair", 1))

    explored = Explored(races, "    first\n    then", records=(ONE,))

    story = [*STORED, "    first", "    then"]
    assert lines(explored) == [
        "    raced 2 pairs of calls: 5 schedules (--verbose lists them)",
        *story,
    ]
    assert list(detail_lines(explored, ProofOutcome.UNPROVEN, every=True)) == [
        "    raced a put: 4 schedules",
        "    raced a get: 1 schedule",
        *story,
    ]
    assert lines(Explored(races[:2])) == ["    raced a put: 4 schedules"]


def test_a_course_is_what_was_written_and_what_is_stored() -> None:
    course = Course((WritingCall(note, {"note_id": "a"}),), (ONE,))

    assert lines(course) == ["    written", '        note(note_id="a")', *STORED]
    assert lines(Course((), (ONE,))) == STORED
