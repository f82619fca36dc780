"""Arguments are drawn valid, independent of each other, and different in every turn."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NewType, Optional, TypedDict
from uuid import UUID

import pytest
from pydantic import AfterValidator, BaseModel, Field, TypeAdapter, ValidationError, model_validator

from sortkey import Claim, CreatedAt, Entity, EpochSeconds, Op, Table, Version, auto, pattern
from sortkey.design.declaring.design import design_of
from sortkey.design.declaring.pattern import Parameter
from sortkey.design.plans.drawing import TURNS, Drawing, Undrawable
from sortkey.design.plans.drawn import LEFT_OUT, Drawn, member_of
from sortkey.design.plans.sources import NOW
from sortkey.design.plans.tracing import valid_call
from sortkey.design.records.limits import limits_of
from sortkey.errors import ValueRefused

UserId = NewType("UserId", str)
EMAIL = r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$"


class Color(Enum):
    RED = "red"
    GREEN = "green"
    BLUE = "blue"


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


class Span(BaseModel):
    start: datetime
    end: datetime

    @model_validator(mode="after")
    def _ordered(self) -> "Span":
        if self.end < self.start:
            raise ValueError("it ends before it starts")
        return self


@dataclass(frozen=True)
class Parcel:
    parcel_id: str
    size: tuple[int, int]
    made: int = field(default=0, init=False)


class Route(NamedTuple):
    start: str
    stops: int


class Stop(TypedDict):
    city: str
    day: date


def drawing(**kinds: Any) -> Drawing:
    return Drawing([Parameter(n, k, required=True, keyword_only=False) for n, k in kinds.items()])


def drawn(turn: int = 0, **kinds: Any) -> Drawn:
    return drawing(**kinds).draw(turn)


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
    (timedelta, timedelta),
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
    (Parcel, Parcel),
    (Route, Route),
    (Stop, dict),
    (Any, str),
]


@pytest.mark.parametrize(("annotation", "kind"), KINDS)
def test_a_value_has_the_type_of_its_argument(annotation: Any, kind: type) -> None:
    for turn in range(TURNS):
        assert type(drawn(turn, given=annotation).values["given"]) is kind


@pytest.mark.parametrize("kind", [str, int, Decimal, float, datetime, date, UUID, bytes, timedelta])
def test_arguments_of_one_type_differ_from_each_other_and_from_turn_to_turn(kind: Any) -> None:
    turns = [drawn(turn, one=kind, two=kind).values for turn in range(TURNS)]

    assert len({value for values in turns for value in values.values()}) == 2 * TURNS


def test_times_differ_in_every_component_from_turn_to_turn() -> None:
    first, second = (drawn(turn, at=datetime).values["at"] for turn in range(2))

    for part in ("year", "month", "day", "hour", "minute", "second", "microsecond"):
        assert getattr(first, part) != getattr(second, part)


def test_arguments_of_one_type_ascend_as_the_bounds_of_a_range_do() -> None:
    values = drawn(since=datetime, until=datetime, low=int, high=int, a=str, b=str).values

    assert values["since"] < values["until"]
    assert values["low"] < values["high"]
    assert values["a"] < values["b"]


def test_the_same_values_are_drawn_at_every_time() -> None:
    assert drawn(record=Record).values == drawn(record=Record).values


def test_an_edge_turn_has_small_numbers_short_texts_and_past_times() -> None:
    made = drawing(n=int, text=str, at=datetime).draw(0, edge=True)

    assert 0 < made.values["n"] < 10
    assert len(made.values["text"]) < 4
    assert made.values["at"] < made.clock


def test_what_is_given_is_not_drawn_and_what_is_left_out_is_not_there() -> None:
    made = drawing(a=str, b=str, c=str).draw(given={"a": "x", "b": LEFT_OUT})

    assert made.values["a"] == "x"
    assert made.values.keys() == {"a", "c"}
    assert made.parts.keys() == {NOW, "c"}


class TestChoices:
    @pytest.mark.parametrize("kind", [bool, Color, Literal["a", "b"], Literal["a", "b", "c"]])
    def test_over_the_turns_each_argument_differs_from_the_others_and_from_a_constant(
        self, kind: Any
    ) -> None:
        names = {f"a{n}": kind for n in range(7)}
        turns = [drawn(turn, **names).values for turn in range(TURNS)]
        sequences = [tuple(values[name] for values in turns) for name in names]

        assert len(set(sequences)) == 7
        assert all(len(set(sequence)) > 1 for sequence in sequences)

    def test_nor_is_one_flag_the_opposite_of_another(self) -> None:
        names = {f"a{n}": bool for n in range(7)}
        turns = [drawn(turn, **names).values for turn in range(TURNS)]
        sequences = {tuple(values[name] for values in turns) for name in names}

        assert not sequences & {tuple(not v for v in sequence) for sequence in sequences}

    def test_the_only_member_of_a_type_cannot_be_told_from_a_constant(self) -> None:
        assert "kind" not in drawn(kind=Literal["only"]).parts

    def test_a_field_of_two_records_differs_in_every_turn(self) -> None:
        class Task(BaseModel):
            done: bool
            color: Color

        for turn in range(TURNS):
            before, after = drawn(turn, before=Task, after=Task).values.values()
            assert before.done != after.done
            assert before.color is not after.color

    def test_a_number_with_few_values_is_a_choice(self) -> None:
        made = drawing(rating=Annotated[int, Field(ge=1, le=5)])
        turns = [made.draw(turn).values["rating"] for turn in range(TURNS)]

        assert made.draw().choices.keys() == {"rating"}
        assert {*turns} <= {1, 2, 3, 4, 5}
        assert len({*turns}) > 1


class TestLimits:
    @pytest.mark.parametrize(
        "annotation",
        [
            Annotated[int, Field(ge=5_000_000)],
            Annotated[int, Field(gt=7, lt=90)],
            Annotated[int, Field(le=-1)],
            Annotated[int, Field(multiple_of=7)],
            Annotated[int | None, Field(ge=1, le=300)],
            Annotated[Decimal, Field(ge=0, le=1)],
            Annotated[Decimal, Field(gt=0, decimal_places=2, max_digits=7)],
            Annotated[float, Field(lt=0)],
            Annotated[str, Field(min_length=30)],
            Annotated[str, Field(max_length=3)],
            Annotated[str, Field(pattern=EMAIL)],
            Annotated[str, Field(pattern=r"^\d{4}-W[0-5]\d$", max_length=8)],
            Annotated[str, Field(examples=["DE12", "FR34"])],
            Literal["a", "b"],
            list[Annotated[int, Field(ge=1, le=9)]],
        ],
    )
    @pytest.mark.parametrize("edge", [False, True])
    def test_a_value_keeps_to_what_its_annotation_says(self, annotation: Any, edge: bool) -> None:
        for turn in range(TURNS):
            made = drawing(value=annotation).draw(turn, edge=edge)
            TypeAdapter(annotation).validate_python(made.values["value"])

    def test_examples_are_taken_as_they_are(self) -> None:
        named = Annotated[str, Field(examples=["first", "last"])]

        assert {drawn(turn, name=named).values["name"] for turn in range(2)} == {"first", "last"}

    def test_examples_may_be_records(self) -> None:
        places = [Inner(city="Rome", zip="00118"), Inner(city="Vienna", zip="1010")]
        known = Annotated[Inner, Field(examples=places)]

        made = [drawn(turn, place=known).values["place"] for turn in range(2)]

        assert sorted(made, key=lambda place: place.city) == places

    @pytest.mark.parametrize(
        "annotation",
        [
            Annotated[str, Field(pattern=r"^(?=.*x)(?!y).{3}$")],
            Annotated[str, AfterValidator(lambda text: UUID(text) and text)],
        ],
    )
    def test_what_cannot_be_drawn_is_said_with_its_argument(self, annotation: Any) -> None:
        with pytest.raises(Undrawable, match=r"no valid value of code is known") as refused:
            drawn(code=annotation)

        assert refused.value.argument == "code"

    def test_the_limits_of_a_union_are_those_of_its_first_member(self) -> None:
        kind, limits = limits_of(Optional[Annotated[int, Field(ge=3)]])  # noqa: UP045 - of an annotation

        assert (kind, limits.least) == (int, 3)


class TestRecords:
    def test_every_field_of_a_record_is_a_part_with_a_name(self) -> None:
        made = drawn(record=Record)
        record = made.values["record"]

        assert made.parts["record"] is record
        assert made.parts["record.record_id"] == record.record_id
        assert made.parts["record.note"] == record.note
        assert made.parts["record.rev"] == record.rev
        assert made.parts["record.inner.city"] == record.inner.city

    def test_a_time_that_sortkey_keeps_is_there_and_no_caller_has_set_it(self) -> None:
        made = drawn(record=Record)
        record = made.values["record"]

        assert made.parts["record.created"] == record.created
        assert "created" not in record.model_fields_set

    def test_an_inner_record_has_all_of_its_fields_too(self) -> None:
        made = drawn(record=Record)

        assert made.values["record"].inner.zip == made.parts["record.inner.zip"] is not None

    def test_a_record_may_contain_others_of_its_kind(self) -> None:
        class Node(BaseModel):
            name: str
            children: list["Node"]

        node = drawn(node=Node).values["node"]
        assert node.children[0].children[0].children == []

    def test_a_record_is_valid_for_its_own_model(self) -> None:
        for turn in range(TURNS):
            span = drawn(turn, span=Span).values["span"]
            assert span.start <= span.end

    def test_a_record_that_its_model_always_refuses_is_said_with_its_field(self) -> None:
        class Never(BaseModel):
            code: Annotated[str, AfterValidator(lambda code: {"a": "b"}.get(code, 1 / 0))]

        class Picky(BaseModel):
            code: str

            @model_validator(mode="after")
            def _known(self) -> "Picky":
                raise ValueError(f"{self.code} is not known")

        with pytest.raises(Undrawable, match=r"record is known: Picky rejects it: .*is not known"):
            drawn(record=Picky)
        with pytest.raises(ZeroDivisionError):
            drawn(record=Never)

    @pytest.mark.parametrize(
        ("kind", "name"), [(Parcel, "parcel_id"), (Route, "start"), (Stop, "city"), (Inner, "city")]
    )
    def test_a_member_of_a_whole_is_a_part_that_can_be_replaced(self, kind: Any, name: str) -> None:
        made = drawn(given=kind)
        changed = made.with_value(f"given.{name}", "other")

        assert member_of(made.values["given"], name) == made.parts[f"given.{name}"]
        assert member_of(changed.values["given"], name) == "other"
        assert changed.parts["given"] == changed.values["given"]
        assert "given" not in made.leaves

    @pytest.mark.parametrize("key", [Literal["a", "b"], Color, date, Annotated[str, "mark"]])
    def test_the_keys_of_a_map_have_their_type(self, key: Any) -> None:
        kind: Any = dict.__class_getitem__((key, int))
        adapter = TypeAdapter[Any](kind)
        for turn in range(TURNS):
            given = drawn(turn, given=kind).values["given"]
            assert adapter.validate_python(given) == given
            assert len(given) == (2 if turn == TURNS - 1 else 1)

    def test_a_map_has_no_more_keys_than_their_type(self) -> None:
        assert len(drawn(TURNS - 1, given=dict[Literal["a"], int]).values["given"]) == 1

    def test_a_member_of_a_container_is_a_part_of_it(self) -> None:
        made = drawn(ids=list[int], pair=tuple[int, str], by_name=dict[str, int])

        assert made.values["ids"] == [made.parts["ids[]"]]
        assert made.values["pair"] == (made.parts["pair[0]"], made.parts["pair[1]"])
        assert list(made.values["by_name"].values()) == [made.parts["by_name[]"]]


class TestGiven:
    def test_an_argument_that_is_given_leaves_the_others_as_they_are(self) -> None:
        made = drawing(flag=bool, name=str, record=Record)

        given = made.draw(1, given={"flag": None, "record": LEFT_OUT})

        assert given.values == {"flag": None, "name": made.draw(1).values["name"]}
        assert given.parts.keys() == {NOW, "name"}

    def test_an_argument_that_cannot_be_drawn_can_be_given(self) -> None:
        odd = Annotated[str, Field(pattern="(?!.)x")]

        given = drawing(odd=odd, name=str).draw(given={"odd": "x"})

        assert given.values.keys() == {"odd", "name"}


class TestSharing:
    def test_patterns_with_one_signature_have_one_draw(self) -> None:
        assert drawing(name=str).draw(2) is drawing(name=str).draw(2)

    def test_what_one_of_them_learns_is_not_drawn_for_the_other(self) -> None:
        one, other = drawing(age=int), drawing(age=int)
        refused = ValueRefused("age", "", one.draw().values["age"], Annotated[int, Field(le=99)])

        assert one.learn(refused, one.draw())

        assert one.draw().values["age"] <= 99
        assert other.draw().values["age"] > 99

    def test_an_annotation_without_a_hash_is_drawn_for_its_own_pattern(self) -> None:
        annotation = Annotated[str, {"unhashable": []}]

        assert drawing(name=annotation).draw() is not drawing(name=annotation).draw()


class TestChanges:
    def test_one_argument_can_be_that_of_another_call(self) -> None:
        one, other = (drawn(turn, a=str, record=Record) for turn in range(2))

        changed = one.with_part("a", other)

        assert changed is not None
        assert changed.values == {**one.values, "a": other.values["a"]}
        assert changed.parts["a"] == other.parts["a"]

    @pytest.mark.parametrize(
        "name", ["record.note", "pairs[][1].note", "pairs[][0].inner.city", "by_name[]"]
    )
    def test_a_part_of_an_argument_can_be_that_of_another_call(self, name: str) -> None:
        kinds = {"record": Record, "pairs": list[tuple[Record, Record]], "by_name": dict[str, int]}
        one, other = (drawn(turn, **kinds) for turn in range(2))

        changed = one.with_part(name, other)

        assert changed is not None
        assert changed.parts[name] == other.parts[name]
        assert [n for n in one.leaves if changed.parts[n] != one.parts[n]] == [name]
        argument = re.split(r"[.\[]", name)[0]
        assert changed.parts[argument] == changed.values[argument] != one.values[argument]

    def test_the_time_can_be_that_of_another_call(self) -> None:
        one, other = (drawn(turn, a=str) for turn in range(2))

        changed = one.with_part(NOW, other)

        assert changed is not None
        assert changed.clock == changed.parts[NOW] == other.clock


class Club(Table, ttl="expires"):
    pass


class Member(Entity, table=Club):
    club: str
    number: int
    email: Annotated[str, Field(pattern=EMAIL)]
    rank: Literal["new", "old"] = "new"
    points: Annotated[int, Field(ge=0, le=50)] = 0
    country: Annotated[str, Field(examples=["DE", "FR"], max_length=2)] = "DE"
    seen: EpochSeconds | None = None
    primary = Club.primary.key("CLUB#{club}", "MEMBER#{number:03d}")


class Payment(Claim[str], table=Club):
    order_id: str
    primary = Club.primary.key("PAYMENT#{order_id}", "PAYMENT")


@pattern("join")
def join(club: str, number: int, email: str, rank: str, country: str) -> Op[Member]:
    rank_: Any = rank
    return Member(club=club, number=number, email=email, rank=rank_, country=country).create()


@pattern("change")
def change(club: str, number: int, email: str, points: int, seen: datetime) -> Op[Member]:
    changed = Member.update(club=club, number=number).set(lambda m: m.email).to(email)
    return changed.set(lambda m: m.points).to(points).set(lambda m: m.seen).to(seen)


@pattern("replace")
def replace(before: Member, after: Member) -> Op[Member]:
    return after.replace(before)


@pattern("pay")
def pay(payment: Payment, result: str) -> Op[str]:
    return payment.finish(result)


DESIGN = design_of("club", [sys.modules[__name__]])


class TestRefusals:
    """What an argument's type allows and its field does not is learned from the field."""

    @pytest.mark.parametrize("asked", [join, change, replace, pay])
    @pytest.mark.parametrize("turn", range(TURNS))
    def test_a_call_is_drawn_that_every_field_takes(self, asked: Any, turn: int) -> None:
        assert valid_call(asked, DESIGN, turn=turn).plan.steps

    def test_the_values_are_those_that_the_fields_want(self) -> None:
        values = valid_call(join, DESIGN).drawn.values
        assert 0 <= values["number"] < 1_000
        assert re.fullmatch(EMAIL, values["email"])
        assert values["rank"] in {"new", "old"}
        assert values["country"] in {"DE", "FR"}

    def test_a_record_and_the_one_that_replaces_it_have_one_key(self) -> None:
        before, after = valid_call(replace, DESIGN).drawn.values.values()

        assert (before.club, before.number) == (after.club, after.number)
        assert before.email != after.email

    def test_what_nothing_is_learned_from_is_raised(self) -> None:
        made = drawing(a=str)

        assert not made.learn(ValueError("no"), made.draw())
        assert not made.learn(ValueRefused("b", "no"), made.draw())

    def test_a_constraint_of_a_model_that_the_design_does_not_have_is_learned_too(self) -> None:
        class Other(BaseModel):
            n: Annotated[int, Field(le=99)]

        made = drawing(n=int)
        first = made.draw()
        with pytest.raises(ValidationError) as refused:
            Other(n=first.values["n"])

        assert made.learn(refused.value, first)
        assert made.draw().values["n"] <= 99


def test_the_clock_of_each_turn_is_another_time() -> None:
    clocks = [drawn(turn).clock for turn in range(TURNS)]

    assert len({*clocks}) == TURNS
    assert all(clock.tzinfo is UTC for clock in clocks)


class Visit(BaseModel):
    visit_id: str
    created: CreatedAt


def test_a_time_that_sortkey_keeps_is_drawn_where_the_record_requires_it() -> None:
    first, second = (drawn(turn, visit=Visit).values["visit"] for turn in (0, 1))

    assert first.created != second.created
