"""Mismatches between an answer and the expected one, in one sentence each."""

from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from sortkey.errors import NotFound, TooMany
from sortkey.prove.wanted import (
    Counted,
    Several,
    Single,
    Wanted,
    WantedParts,
    compared,
    count_of,
    raised,
    records_of,
    seen,
    shown,
)

BOTH = WantedParts({"head": Single(["a"]), "rows": Several([["b"], ["c"]])})


def message(wanted: Wanted, found: Any) -> str:
    mismatch = compared(wanted, found)
    return "" if mismatch is None else mismatch.message


@pytest.mark.parametrize(
    ("wanted", "count", "records", "answer"),
    [
        (Several([["a"], ["b"]], most=1), 2, ["a", "b"], ["a"]),
        (Single(["a"]), 1, ["a"], "a"),
        (Single([]), 0, [], None),
        (Counted(["a", "b"]), 2, ["a", "b"], 2),
        (BOTH, 3, ["a", "b", "c"], {"head": "a", "rows": ["b", "c"]}),
    ],
)
def test_what_is_wanted_is_counted_listed_and_shown(
    wanted: Wanted, count: int, records: list[str], answer: Any
) -> None:
    assert count_of(wanted) == count
    assert records_of(wanted) == records
    assert shown(wanted) == answer


@pytest.mark.parametrize(
    ("wanted", "found", "sentence"),
    [
        (Counted(["a"]), 1, ""),
        (Counted(["a"]), 2, "the count is 2 but should be 1"),
        (Single(["a"]), None, "a record is missing"),
        (Single([]), "a", "a record is returned that does not belong to the answer"),
        (Several([["a", "b"]], most=1), ["a", "b"], "the call returns 2 records instead of 1"),
        (Several([["a"], ["b"]]), ["b", "a"], "the records are returned in the wrong order"),
        (Several([["a"], ["b"]], most=1), ["a"], ""),
        (BOTH, SimpleNamespace(head=None, rows=["b", "c"]), "head: a record is missing"),
        (WantedParts({0: Single(["a"])}), [None], "0: a record is missing"),
    ],
)
def test_the_first_mismatch_is_reported(wanted: Wanted, found: Any, sentence: str) -> None:
    assert message(wanted, found) == sentence


class TestErrors:
    def test_two_records_instead_of_one_may_raise(self) -> None:
        error = TooMany("2 records")

        assert raised(Single(["a", "b"], sole=True), error) is None
        assert raised(WantedParts({"head": Single(["a", "b"])}), error) is None
        assert raised(Single(["a"], sole=True), error) is not None

    def test_a_record_that_is_required_and_not_there_may_raise(self) -> None:
        assert raised(Single((), required=True), NotFound("no", entity="Note", key={})) is None
        assert raised(Single(()), NotFound("no", entity="Note", key={})) is not None

    def test_any_other_error_is_a_fault(self) -> None:
        mismatch = raised(Counted([]), ValueError("no"))

        assert mismatch is not None
        assert mismatch.message == "the call raises ValueError: no"


def test_a_record_that_does_not_fit_the_shape_of_the_answer_stays_as_it_is() -> None:
    class Part(BaseModel):
        count: int

    record = SimpleNamespace(count="many")

    assert seen(record, Part(count=1)) is record
