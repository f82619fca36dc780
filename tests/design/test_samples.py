"""Samples stand for arguments, and are known again wherever they go."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from sortkey import CreatedAt, EpochSeconds, Version, auto
from sortkey.design.samples import MOMENT, TURNS, Samples, is_sample, sampling

UserId = NewType("UserId", str)


class Color(Enum):
    RED = "red"
    GREEN = "green"


class Inner(BaseModel):
    city: str
    zip: str | None = None


class Record(BaseModel):
    record_id: str
    amount: Decimal
    inner: Inner
    note: str | None = None
    rev: Version = 0
    created: CreatedAt = auto()


class Picky(BaseModel):
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    amount: Annotated[int, Field(gt=1000)]
    name: str = "x"


KINDS: list[tuple[Any, type]] = [
    (str, str),
    (int, int),
    (bool, bool),
    (Decimal, Decimal),
    (float, float),
    (bytes, bytes),
    (datetime, datetime),
    (EpochSeconds, datetime),
    (date, date),
    (UUID, UUID),
    (Color, Color),
    (UserId, str),
    (str | None, str),
    (Annotated[int, "mark"], int),
    (Literal["a", "b"], str),
    (list[int], list),
    (Sequence[int], list),
    (set[str], set),
    (frozenset[str], frozenset),
    (tuple[int, str], tuple),
    (tuple[int, ...], tuple),
    (dict[str, int], dict),
    (Mapping[str, int], dict),
    (list, list),
    (dict, dict),
    (Inner, Inner),
    (Any, str),
]


@pytest.mark.parametrize(("annotation", "kind"), KINDS)
def test_a_sample_is_of_the_type_that_was_asked_for_and_known_by_its_name(
    annotation: Any, kind: type
) -> None:
    samples = Samples()

    value = samples.make("given", annotation)

    assert type(value) is kind
    assert samples.name_of(value) == "given"


@pytest.mark.parametrize("kind", [str, int, Decimal, float, datetime, date, UUID, bytes, Color])
def test_two_samples_of_one_type_are_told_apart(kind: Any) -> None:
    samples = Samples()
    one, two = samples.make("one", kind), samples.make("two", kind)

    assert one != two
    assert (samples.name_of(one), samples.name_of(two)) == ("one", "two")


def test_there_are_as_many_numbers_as_are_needed() -> None:
    samples = Samples()

    assert len({samples.make(f"n{n}", int) for n in range(50)}) == 50


def test_enough_numbers_for_two_records_fit_into_two_padded_digits() -> None:
    samples = Samples()
    made = [samples.make(f"n{n}", int) for n in range(30)]
    assert len({*made}) == 30
    assert max(made) < 100


def test_every_sample_is_the_same_on_each_day() -> None:
    assert Samples().make("record", Inner) == Samples().make("record", Inner)
    assert Samples().make("at", datetime) == Samples().make("at", datetime)


@pytest.mark.parametrize("value", ["other", 1, None, Decimal(7), object()])
def test_what_is_no_sample_has_no_name(value: Any) -> None:
    samples = Samples()
    samples.make("given", str)

    assert samples.name_of(value) is None


def test_a_number_is_not_taken_for_one_of_another_type() -> None:
    samples = Samples()
    number = samples.make("number", int)

    assert samples.name_of(float(number)) is None


class TestChoices:
    @pytest.mark.parametrize("kind", [bool, Color, Literal["a", "b"], Literal["a", "b", "c"]])
    def test_over_the_turns_each_argument_differs_from_the_others_and_from_a_constant(
        self, kind: Any
    ) -> None:
        turns = [Samples(turn) for turn in range(TURNS)]
        sequences = [tuple(turn.make(f"a{n}", kind) for turn in turns) for n in range(14)]

        assert len(set(sequences)) == 14
        assert all(len(set(sequence)) > 1 for sequence in sequences)

    def test_the_only_member_of_a_type_is_no_argument_s(self) -> None:
        samples = Samples()

        only = samples.make("kind", Literal["only"])

        assert (only, samples.name_of(only), samples.choices) == ("only", None, set())


class TestRecords:
    def test_every_field_of_a_record_is_a_sample_of_its_own(self) -> None:
        samples = Samples()
        record = samples.make("record", Record)

        assert samples.name_of(record.record_id) == "record.record_id"
        assert samples.name_of(record.amount) == "record.amount"
        assert samples.name_of(record.note) == "record.note"
        assert samples.name_of(record.rev) == "record.rev"
        assert samples.name_of(record.inner.city) == "record.inner.city"

    def test_fields_that_sortkey_fills_are_left_to_it(self) -> None:
        record = Samples().make("record", Record)

        assert "created" not in record.model_fields_set

    def test_a_time_that_sortkey_keeps_is_known_again(self) -> None:
        samples = Samples()
        record = samples.make("record", Record)

        assert samples.name_of(record.created) == "record.created"

    def test_an_inner_record_has_only_what_it_needs(self) -> None:
        assert Samples().make("record", Record).inner.zip is None

    def test_a_record_that_its_model_would_refuse_is_made_all_the_same(self) -> None:
        samples = Samples()
        record = samples.make("record", Picky)

        assert samples.name_of(record.code) == "record.code"
        assert samples.name_of(record.amount) == "record.amount"
        assert samples.name_of(record.name) == "record.name"

    def test_a_member_of_a_list_is_named_after_it(self) -> None:
        samples = Samples()

        [member] = samples.make("ids", list[int])

        assert samples.name_of(member) == "ids[]"


class TestStored:
    @pytest.mark.parametrize(
        ("kind", "stored"),
        [
            (str, {"S": "«given»"}),
            (int, {"N": "41"}),
            (Decimal, {"N": "41.0"}),
            (bytes, {"B": "Z2l2ZW4="}),
            (Color, {"S": "green"}),
            (UUID, {"S": "00000000-0000-0000-0000-000000000029"}),
            (date, {"S": "2001-10-02"}),
            (datetime, {"S": "2001-09-10T01:46:40.000000Z"}),
            (datetime, {"N": "1000086400"}),
        ],
    )
    def test_a_sample_is_known_as_it_is_stored(self, kind: Any, stored: dict[str, Any]) -> None:
        samples = Samples()
        samples.make("given", kind)

        assert samples.names_of_stored(stored) == ["given"]

    @pytest.mark.parametrize(
        "stored", [{"S": "x"}, {"N": "7"}, {"N": "x"}, {"B": "eA=="}, {"BOOL": True}, {"L": []}]
    )
    def test_what_is_no_sample_has_no_name(self, stored: dict[str, Any]) -> None:
        samples = Samples()
        for number, kind in enumerate((str, int, bytes, bool)):
            samples.make(f"a{number}", kind)

        assert samples.names_of_stored(stored) == []

    def test_the_time_at_which_a_plan_is_made_is_now(self) -> None:
        assert Samples().names_of_stored({"N": str(int(MOMENT))}) == ["now()"]
        assert Samples().name_of(datetime.fromtimestamp(MOMENT, UTC)) == "now()"

    def test_samples_within_a_text_become_its_slots(self) -> None:
        samples = Samples()
        one, two = samples.make("one", str), samples.make("two", str)

        text = f"A#{one}#{{B}}#{two}"
        names = samples.names_in(text)

        assert names == ["one", "two"]
        assert samples.as_template(text, names) == "A#{one}#{{B}}#{two}"

    def test_a_text_without_samples_stays_as_it_is(self) -> None:
        assert Samples().names_in("A#{B}") == []
        assert Samples().as_template("A#{B}", []) == "A#{B}"


def test_samples_are_taken_for_valid_within_their_block_only() -> None:
    samples = Samples()
    value = samples.make("given", str)

    with sampling(samples):
        assert is_sample(value)
        assert not is_sample("other")

    assert not is_sample(value)
