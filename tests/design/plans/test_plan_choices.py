"""A constant of a type with few values is not taken for an argument in a plan."""

from enum import Enum
from typing import Any, Literal

import pytest

from sortkey import About, Entity, Op, Table, gsi, pattern
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.value import pattern_plan


class State(Enum):
    NEW = "new"
    OPEN = "open"
    CLOSED = "closed"


class Desk(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Ticket(Entity, table=Desk):
    ticket_id: str
    state: State
    urgent: bool
    spam: bool
    seen: bool
    level: Literal["low", "high"]
    origin: Literal["mail"]
    primary = Desk.primary.key("TICKET#{ticket_id}", "TICKET")
    by_state = Desk.gsi1.key("STATE#{state}", "{ticket_id}")


DESK = Design("desk", About(), (Desk,), {Desk: (Ticket,)}, (), (), (), ())


def bound(**arguments: Any) -> dict[str, Any]:
    return {"op": "=", "template": "STATE#{state}", "bound": arguments}


def step(asked: Pattern[..., Any]) -> dict[str, Any]:
    """The only step of a pattern."""
    planned = pattern_plan(asked, DESK)
    assert "error" not in planned
    [only] = planned["steps"]
    return only


@pytest.mark.parametrize("state", State)
def test_a_constant_is_written_as_itself(state: State) -> None:
    @pattern("closed")
    def close(ticket: Ticket) -> Op[Any]:
        return ticket.update().set(lambda t: t.state).to(state).set(lambda t: t.urgent).to(True)

    update = step(close)["update"]

    assert f'state = "{state.value}"' in update
    assert f'GSI1PK = "STATE#{state.value}"' in update
    assert "urgent = true" in update


def test_an_argument_is_named() -> None:
    @pattern("moved")
    def move(ticket: Ticket, state: State, urgent: bool) -> Op[Any]:
        changed = ticket.update().set(lambda t: t.state).to(state)
        return changed.set(lambda t: t.urgent).to(urgent)

    update = step(move)["update"]

    assert "state = $state" in update
    assert 'GSI1PK = "STATE#{state}"' in update
    assert "urgent = $urgent" in update


@pytest.mark.parametrize("state", State)
def test_a_key_is_made_from_a_constant(state: State) -> None:
    @pattern("by state")
    def by_state(state_: State) -> Op[Any]:
        return Ticket.query(Ticket.by_state, state=state)

    assert step(by_state)["key"]["GSI1PK"] == bound(state=state.value)


@pytest.mark.parametrize("urgent", [True, False])
def test_a_filter_compares_with_a_constant(urgent: bool) -> None:
    @pattern("urgent")
    def urgent_ones(state: State, flag: bool) -> Op[Any]:
        asked = Ticket.query(Ticket.by_state, state=state)
        return asked.where(lambda t: (t.urgent == urgent) & (t.spam == flag))

    asked = step(urgent_ones)

    assert asked["key"]["GSI1PK"] == bound(state="$state")
    assert asked["filter"] == f"urgent = {str(urgent).lower()} AND spam = $flag"


def test_fields_of_one_type_are_told_apart() -> None:
    @pattern("put")
    def put(ticket: Ticket) -> Op[Any]:
        return ticket.put()

    item = step(put)["item"]

    for name in ("state", "urgent", "spam", "seen", "level"):
        assert item[name] == {"value": f"$ticket.{name}"}
    assert item["origin"] == {"value": "mail"}


def test_what_an_argument_decides_by_one_value_is_a_constant_on_that_path() -> None:
    @pattern("either")
    def either(state: State, urgent: bool) -> Op[Any]:
        asked = Ticket.query(Ticket.by_state, state=state)
        return asked.where(lambda t: t.urgent == urgent) if urgent else asked

    assert step(either)["filter"] == "urgent = true"
