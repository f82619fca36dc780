"""The evidence of a refutation: records, calls, requests, expected and actual results."""

from typing import Any

from sortkey import Entity, Table, gsi
from sortkey.prove.counterexample import Counterexample, Recording
from sortkey.prove.formats.blocks import counterexample_blocks, stored_block
from sortkey.wire.messages import Request


class App(Table):
    by_name = gsi("GSI1PK", "GSI1SK", name="ByName")


class Note(Entity, table=App):
    note_id: str
    primary = App.primary.key("NOTE#{note_id}", "NOTE")
    named = App.by_name.key("NAME", "{note_id}")


NOTES = [Note(note_id=f"n{number}") for number in range(12)]


def blocks(
    wanted: Any, found: Any, message: str = "wrong", page: int | None = None
) -> dict[str, Any]:
    recording = Recording((), {}, (Request("Scan", {"TableName": "App"}),))
    example = Counterexample(
        "notes", message, tuple(NOTES[:1]), ({"size": 1},), wanted, found, recording, page
    )
    return {block.title: block.lines for block in counterexample_blocks(example)}


def test_records_have_their_numbers_in_what_is_expected_and_returned() -> None:
    shown = blocks(NOTES[:1], NOTES[:2], page=2)

    assert shown["called, in pages of 2"] == ("notes(size=1)",)
    assert shown["sent"] == ("Scan App",)
    assert shown["expected"] == ("[#1]",)
    assert shown["returned"] == ('[#1, Note(note_id="n1")]',)


def test_an_error_that_the_message_contains_is_not_repeated() -> None:
    assert "returned" not in blocks([], ValueError("no"), "the call raises ValueError: no")
    assert blocks([], ValueError("no"))["returned"] == ("ValueError: no",)


def test_a_result_in_words_is_shown_unchanged() -> None:
    assert blocks("nothing is written", [])["expected"] == ("nothing is written",)


def test_of_many_records_the_first_few_are_shown() -> None:
    [stored] = stored_block(NOTES)

    assert stored.lines[-1] == "and 9 more like these"
    assert blocks(NOTES, [])["expected"] == (
        '[#1, Note(note_id="n1"), Note(note_id="n2"), and 9 more]',
    )


def test_the_keys_of_the_index_that_is_read_are_shown() -> None:
    [stored] = stored_block(NOTES[:1], [Request("Query", {"IndexName": "ByName"})])

    assert stored.lines[1] == '  PK = "NOTE#n0", SK = "NOTE", GSI1PK = "NAME", GSI1SK = "n0"'
