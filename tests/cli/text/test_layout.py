"""Lines stay within 80 columns wherever their words allow it."""

from sortkey.cli.text.layout import WIDTH, clauses, columns, unbroken, wrapped
from sortkey.wording.prose import sentence


def test_a_long_text_is_set_in_further_after_its_first_line() -> None:
    first, second = wrapped("word " * 18, 4)

    assert (len(first) <= WIDTH, first[:6], second) == (True, "    wo", "      word word word")


def test_a_key_is_not_cut_in_two() -> None:
    key = "K#{" + "a-" * 60 + "}"

    assert list(wrapped(key, 2)) == [f"  {key}"]


def test_words_that_belong_together_stay_in_one_line() -> None:
    text = "a " * 38 + unbroken("x: int | None")

    assert list(wrapped(text, 0, 0))[-1] == "x: int | None"


def test_cells_stand_below_one_another_and_the_last_is_wrapped() -> None:
    rows = [("a", "1", "one"), ("long", "2", "word " * 16)]

    assert list(columns(rows, 2)) == [
        "  a     1  one",
        "  long  2  " + "word " * 13 + "word",
        "           word word",
    ]


def test_a_row_without_a_last_cell_ends_with_the_one_before() -> None:
    assert list(columns([("a", "")], 0)) == ["a"]


def test_what_is_not_there_is_not_listed() -> None:
    assert clauses(["a", None, "", "b"]) == "a; b"


def test_a_sentence_ends_with_one_mark() -> None:
    assert sentence("Name it") == "Name it."
    assert sentence("Name it.") == "Name it."
    assert sentence("Did you mean it?") == "Did you mean it?"
