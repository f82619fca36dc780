"""Where the values of a pattern come from, seen from calls with different arguments."""

import gc
import sys
import weakref
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from typing import Annotated, Any, Literal
from uuid import uuid4

import pytest
from pydantic import AfterValidator, Field

from sortkey import (
    Claim,
    Entity,
    Op,
    Table,
    Version,
    gsi,
    pattern,
    secret,
    transact,
    utc_now,
)
from sortkey.design.declaring.design import design_of
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.drawing import Undrawable
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.tracing import paths, trace
from sortkey.design.plans.value import step_json


class Desk(Table, ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class State(Enum):
    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"


class Ticket(Entity, table=Desk):
    shop: int
    number: int
    text: str = ""
    state: State = State.NEW
    total: Decimal = Decimal(0)
    points: dict[str, int] = Field(default_factory=dict[str, int])
    tags: list[str] = Field(default_factory=list[str])
    note: Annotated[str, secret] = "none"
    at: datetime
    rev: Version = 0
    primary = Desk.primary.key("SHOP#{shop:08d}", "TICKET#{number:08d}")
    by_day = Desk.gsi1.key("DAY#{at:%Y-%m-%d}", "{state}")


class Session(Entity, table=Desk):
    token: str
    user_id: str
    primary = Desk.primary.key("SESSION#{token}", "SESSION")


class Job(Claim[str], table=Desk):
    job_id: str
    primary = Desk.primary.key("JOB#{job_id}", "JOB")


DESIGN = design_of("desk", [sys.modules[__name__]])
AT = datetime(2031, 1, 1, tzinfo=UTC)


def step(asked: Pattern[..., Any]) -> PlannedStep:
    """The only step of a pattern's plan."""
    plan = trace(asked, DESIGN)
    assert plan.error is None, plan.error
    [only] = plan.steps
    return only


def shown(asked: Pattern[..., Any]) -> dict[str, Any]:
    return step_json(step(asked))


def item(asked: Pattern[..., Any]) -> dict[str, Any]:
    return {name: made.get("value", made) for name, made in shown(asked)["item"].items()}


def ticket(**fields: Any) -> Ticket:
    whole: dict[str, Any] = {"shop": 1, "number": 1, "at": AT}
    return Ticket(**(whole | fields))


Letter = Literal["a", "b", "c", "d", "e", "f", "g", "h"]


class TestSources:
    @pytest.mark.parametrize("number", [41, 43, 10_007, 1, 0])
    def test_a_constant_is_a_constant_whatever_it_equals(self, number: int) -> None:
        @pattern("p")
        def asked(shop: int) -> Op[Any]:
            found = Ticket.query(shop=number).where(lambda t: t.number > number + shop * 0)
            return found.limit(number or 1)

        made = shown(asked)
        assert made["key"]["PK"]["bound"] == {"shop": number}
        assert (made["filter"], made["limit"]) == (f"number > {number}", number or 1)

    def test_a_digest_is_derived(self) -> None:
        @pattern("p")
        def asked(token: str, user_id: str) -> Op[Any]:
            digest = sha256(token.encode()).hexdigest()
            return Session(token=digest, user_id=f"U-{user_id}").put()

        made = shown(asked)
        assert made["key"]["PK"]["bound"] == {"token": "$derived(token)"}
        assert made["item"]["user_id"] == {
            "template": "U-{user_id}",
            "bound": {"user_id": "$user_id"},
        }

    def test_an_id_is_generated_also_within_a_text(self) -> None:
        @pattern("p")
        def asked(user_id: str) -> Op[Any]:
            return Session(token=uuid4().hex, user_id=f"{user_id}:{uuid4()}").put()

        made = item(asked)
        assert made["token"] == "$generated()"
        assert made["user_id"] == {
            "template": "{user_id}:{generated()}",
            "bound": {"user_id": "$user_id", "generated()": "$generated()"},
        }

    def test_the_time_is_an_argument_like_any_other(self) -> None:
        @pattern("p")
        def asked(days: int) -> Op[Any]:
            now, later = utc_now(), utc_now() + timedelta(days=7)
            found = Ticket.query(shop=days)
            return found.where(lambda t: (t.at > now) & (t.at < later) & (t.number != days))

        made = shown(asked)
        assert made["filter"] == "(at > $now() AND at < $derived(now())) AND number <> $days"

    def test_a_part_of_a_time_is_derived_and_a_slot_that_keeps_a_part_is_not(self) -> None:
        @pattern("p")
        def asked(at: datetime) -> Op[Any]:
            return ticket(at=at, text=f"{at.date()}").put()

        made = shown(asked)
        assert made["item"]["text"] == {"value": "$derived(at)"}
        assert made["item"]["GSI1PK"] == {"template": "DAY#{at:%Y-%m-%d}", "bound": {"at": "$at"}}

    def test_a_clamp_is_a_variant_with_the_argument_that_decides(self) -> None:
        @pattern("p")
        def asked(limit: int) -> Op[Any]:
            return Ticket.query(shop=1).limit(min(limit, 50))

        assert shown(asked)["limit"] == {"variant": ["$limit", 50], "by": ["limit"]}

    def test_so_is_what_a_flag_decides(self) -> None:
        @pattern("p")
        def asked(text: str, *, hidden: bool) -> Op[Any]:
            return ticket(text="(hidden)" if hidden else text).put()

        assert item(asked)["text"] == {"variant": ["$text", "(hidden)"], "by": ["hidden"]}

    def test_what_only_one_of_many_values_decides_is_seen(self) -> None:
        @pattern("p")
        def asked(name: Letter) -> Op[Any]:
            return ticket(text="one" if name == "b" else "other").put()

        assert item(asked)["text"] == "$derived(name)"

    def test_of_two_texts_neither_is_taken_for_the_smaller(self) -> None:
        @pattern("p")
        def asked(one: str, two: str) -> Op[Any]:
            first, second = sorted((one, two))
            return Session(token=first, user_id=second).put()

        made = item(asked)
        assert made["token"]["variant"] == ["$one", "$two"]
        assert set(made["token"]["by"]) == {"one", "two"}

    def test_two_texts_that_are_compared_beside_a_flag_only_are_both_seen(self) -> None:
        @pattern("p")
        def asked(one: str, two: str, *, plain: bool) -> Op[Any]:
            return ticket(text=one if plain else min(one, two)).put()

        assert item(asked)["text"]["variant"] == ["$one", "$two"]

    def test_a_text_after_a_time_is_kept(self) -> None:
        @pattern("p")
        def asked(at: datetime, text: str) -> Op[Any]:
            return ticket(text=f"{at.isoformat()}#{text}").put()

        assert item(asked)["text"]["template"] == "{at}#{text}"

    def test_one_example_is_no_constant(self) -> None:
        @pattern("p")
        def asked(token: Annotated[str, Field(examples=["t-1"])]) -> Op[Any]:
            return Session.get(token=token)

        assert shown(asked)["key"]["PK"]["bound"] == {"token": "$token"}

    @pytest.mark.parametrize("kind", [float, Decimal])
    def test_an_open_bound_leaves_room(self, kind: Any) -> None:
        @pattern("p")
        def asked(ratio: Decimal) -> Op[Any]:
            return Ticket.query(shop=1).where(lambda t: t.total == Decimal(str(ratio)))

        asked.function.__annotations__["ratio"] = Annotated[kind, Field(gt=0, le=1)]
        assert shown(asked)["filter"] in {"total = $ratio", "total = $derived(ratio)"}

    def test_the_keys_of_a_map_and_the_length_of_a_list_are_derived(self) -> None:
        @pattern("p")
        def asked(by_name: dict[str, int], ids: list[str]) -> Op[Any]:
            return ticket(text=next(iter(by_name)), number=len(ids)).put()

        made = item(asked)
        assert (made["text"], made["number"]) == ("$derived(by_name)", "$derived(ids)")

    def test_fields_with_defaults_are_fields_of_an_argument(self) -> None:
        @pattern("p")
        def asked(given: Ticket) -> Op[Any]:
            return given.put()

        made = item(asked)
        assert (made["tags"], made["points"]) == ("$given.tags", "$given.points")

    def test_a_length_is_derived(self) -> None:
        @pattern("p")
        def asked(text: str) -> Op[Any]:
            return Ticket.query(shop=1).limit(len(text))

        assert shown(asked)["limit"] == "$derived(text)"

    def test_what_two_arguments_make_is_derived_from_both(self) -> None:
        @pattern("p")
        def asked(one: int, two: int, three: int) -> Op[Any]:
            return Ticket.query(shop=three).limit(one + two)

        assert shown(asked)["limit"] == "$derived(one, two)"


class TestPlaces:
    def test_the_key_of_a_map_may_be_an_argument(self) -> None:
        @pattern("p")
        def asked(name: str, points: int) -> Op[Any]:
            changed = Ticket.update(shop=1, number=1).set(lambda t: t.points[name]).to(points)
            return changed.where(lambda t: t.points[name] == 0)

        assert shown(asked)["update"].startswith("SET points.$name = $points")

    def test_members_of_lists_and_maps_have_sources_of_their_own(self) -> None:
        @pattern("p")
        def asked(tag: str, points: int) -> Op[Any]:
            return ticket(tags=[tag, "x"], points={"all": points, "one": 1}).put()

        made = item(asked)
        assert made["tags"] == ["$tag", "x"]
        assert made["points"] == {"all": "$points", "one": 1}

    def test_a_secret_is_not_shown_where_it_is_a_constant(self) -> None:
        @pattern("p")
        def asked(note: str) -> Op[Any]:
            return transact(ticket().put(), ticket(number=2, note=note).put())

        one, two = (step_json(made)["item"]["note"] for made in trace(asked, DESIGN).steps)
        assert (one, two) == ({"value": "(secret)"}, {"value": "$note"})

    def test_an_argument_in_a_text_may_stand_there_twice(self) -> None:
        @pattern("p")
        def asked(text: str, number: int) -> Op[Any]:
            return ticket(text=f"{text}/{number}/{text}").put()

        assert item(asked)["text"]["template"] == "{text}/{number}/{text}"

    def test_a_taken_claim_is_finished(self) -> None:
        @pattern("p")
        def asked(job: Job, result: str) -> Op[str]:
            return job.finish(result)

        assert "held_by = $job.held_by" in shown(asked)["condition"]


class TestPaths:
    def test_each_path_of_a_flag_has_a_plan(self) -> None:
        @pattern("p")
        def asked(shop: int, number: int | None = None, *, fresh: bool = False) -> Op[Any]:
            if number is None:
                return Ticket.query(shop=shop)
            found = Ticket.get(shop=shop, number=number)
            return found.consistently() if fresh else found

        found = {(path.steps[0].verb, path.steps[0].consistent) for path in paths(asked, DESIGN)}
        assert found == {("Query", False), ("GetItem", True), ("GetItem", False)}
        for path in paths(asked, DESIGN):
            assert path.steps[0].partition_arguments == {"shop"}

    def test_a_plan_has_the_other_paths_that_send_something_else(self) -> None:
        @pattern("p")
        def asked(shop: int, *, brief: bool, quick: bool = True) -> Op[Any]:
            if not brief and not quick:
                return Ticket.scan()
            return Ticket.query(shop=shop)

        made = trace(asked, DESIGN)
        assert [path.steps[0].verb for path in made.paths] == ["Query", "Scan"]
        assert made.steps == made.paths[0].steps

    def test_another_value_or_another_number_of_members_is_no_other_path(self) -> None:
        @pattern("p")
        def defaulted(shop: int = 1) -> Op[Any]:
            return Ticket.query(shop=shop).limit(shop)

        @pattern("q")
        def listed(tokens: list[str]) -> Op[Any]:
            return transact(*(Session.delete(token=token) for token in tokens))

        assert not trace(defaulted, DESIGN).others
        assert not trace(listed, DESIGN).others

    def test_what_decides_on_the_path_is_a_constant_on_it(self) -> None:
        @pattern("p")
        def asked(state: State, day: date) -> Op[Any]:
            if state is State.CLOSED:
                return Ticket.scan().where(lambda t: t.state == state)
            return Ticket.query(shop=day.year)

        assert shown(asked)["filter"] == 'state = "closed"'

    def test_a_value_that_others_on_the_path_share_is_not(self) -> None:
        @pattern("p")
        def asked(state: State) -> Op[Any]:
            if state is State.NEW:
                return Ticket.query(shop=1)
            return Ticket.scan().where(lambda t: t.state == state)

        assert shown(asked)["filter"] == "state = $state"

    def test_one_call_alone_shows_nothing(self) -> None:
        calls = iter(range(1_000))

        @pattern("p")
        def asked(text: str) -> Op[Any]:
            # Another number of conditions each time, so that no two calls can be compared.
            found = Ticket.query(shop=1)
            for _ in range(next(calls) + 1):
                found = found.where(lambda t: t.text == text)
            return found.limit(7)

        made = shown(asked)
        assert made["limit"] == "$derived(?)"
        assert "text = $text" in made["filter"]

    @pytest.mark.parametrize("first", [False, True])
    def test_slots_that_are_bound_or_compared_otherwise_are_another_path(self, first: bool) -> None:
        @pattern("p")
        def asked(shop: int, number: int, *, flag: bool) -> Op[Any]:
            found = Ticket.query(shop=shop)
            return found.ge(number=number) if flag is first else found.gt(number=number)

        @pattern("q")
        def bound(day: datetime, state: State, *, flag: bool) -> Op[Any]:
            if flag is first:
                return Ticket.query(Ticket.by_day, at=day, state=state)
            return Ticket.query(Ticket.by_day, at=day)

        ops = {path.steps[0].key["SK"].op for path in paths(asked, DESIGN)}
        slots = {len(path.steps[0].key) for path in paths(bound, DESIGN)}
        assert (ops, slots) == ({">=", ">"} if len(ops) > 1 else ops, {1, 2})
        assert trace(asked, DESIGN).error is None

    def test_an_argument_after_one_that_is_left_out_keeps_its_place(self) -> None:
        @pattern("p")
        def asked(text: str, other: str = "x", third: str = "y") -> Op[Any]:
            return Session(token=text, user_id=f"{other}/{third}").put()

        users = [step_json(path.steps[0])["item"]["user_id"] for path in paths(asked, DESIGN)]
        assert {"template": "x/{third}", "bound": {"third": "$third"}} in users
        assert {"template": "{other}/y", "bound": {"other": "$other"}} in users


class TestErrors:
    def test_what_a_function_raises_is_the_plan_s_error_with_names_for_values(self) -> None:
        @pattern("p")
        def asked(code: str) -> Op[Any]:
            return {"known": Ticket.scan()}[code]

        plan = trace(asked, DESIGN)
        assert isinstance(plan.error, KeyError)
        assert plan.why == "KeyError: '{code}'"
        assert plan.steps == ()

    def test_what_cannot_be_drawn_names_the_argument(self) -> None:
        def known(code: str) -> str:
            if code not in {"a", "b"}:
                raise ValueError("not known")
            return code

        @pattern("p")
        def asked(code: Annotated[str, AfterValidator(known)]) -> Op[Any]:
            return Session.get(token=code)

        error = trace(asked, DESIGN).error
        assert isinstance(error, Undrawable)
        assert error.argument == "code"

    def test_examples_are_enough(self) -> None:
        @pattern("p")
        def asked(code: Annotated[str, Field(examples=["a", "b"])]) -> Op[Any]:
            return Session.get(token={"a": "1", "b": "2"}[code])

        assert shown(asked)["key"]["PK"]["bound"] == {"token": "$derived(code)"}


class TestOnce:
    def test_a_pattern_is_traced_once_for_a_design(self) -> None:
        calls: list[str] = []

        @pattern("A ticket")
        def ticket(shop: int, number: int) -> Op[Ticket | None]:
            calls.append("")
            return Ticket.get(shop=shop, number=number)

        first = trace(ticket, DESIGN)
        made = len(calls)

        assert trace(ticket, DESIGN) is first
        assert len(calls) == made

    def test_the_plans_of_a_design_are_forgotten_with_it(self) -> None:
        @pattern("A ticket")
        def ticket(shop: int, number: int) -> Op[Ticket | None]:
            return Ticket.get(shop=shop, number=number)

        design = design_of("desk", [sys.modules[__name__]])
        trace(ticket, design)
        remembered = weakref.ref(design)

        del design
        gc.collect()

        assert remembered() is None
