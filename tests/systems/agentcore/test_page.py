"""The page about AgentCore is true: its units are as measured, its names exist."""

from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getmembers, isfunction
from typing import Any

import pytest
from tests.systems.agentcore.conftest import (
    MORNING,
    NOW,
    Watch,
    assign_tier,
    cost,
    define_tiers,
    spend,
    terms,
)
from tests.systems.agentcore.test_patterns import (
    ARGUMENTS,
    ASSISTANTS,
    BUSIEST,
    COSTS,
    DESIGN,
    OVERRIDES,
    READS,
    RECORDS,
)
from tests.systems.pages import Page, names, operations

from sortkey import DB, Call
from sortkey.access.filling import fill
from sortkey.testing import clock
from sortkey_systems.agentcore.api import api
from sortkey_systems.agentcore.assigning import adjust, assign, reassign, unassign
from sortkey_systems.agentcore.assisting import (
    change_status,
    create_assistant,
    delete_assistant,
    rename_assistant,
)
from sortkey_systems.agentcore.checking import check_quota
from sortkey_systems.agentcore.conversing import (
    add_message,
    delete_session,
    edit_session,
    find_session,
    session_costs,
    start_session,
)
from sortkey_systems.agentcore.defining import (
    change_tier,
    clear_default_tier,
    define_tier,
    delete_tier,
    set_default_tier,
)
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.assistants import AssistantStatus
from sortkey_systems.agentcore.design.quotas import ActionOnLimit, AssignmentType, OverrideType
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.overriding import grant_override, switch_override
from sortkey_systems.agentcore.recording import record_cost
from sortkey_systems.agentcore.resolving import Person, effective_quota
from sortkey_systems.agentcore.signing_in import begin_sign_in, finish_sign_in

PAGE = Page("agentcore")
SERVICES = (
    *("defining", "assigning", "overriding", "resolving", "checking", "recording", "conversing"),
    *("signing_in", "assisting", "measuring", "mail"),
)
ONES: dict[str, tuple[Any, ...]] = {
    "tier_by_id": ("basic",),
    "quota_config": (),
    "assignment_by_id": ("app_role:tutor",),
    "override_by_id": (OVERRIDES[0].override_id,),
    "session_by_id": (COSTS[0].session_id,),
    "summary_of": (BUSIEST, "2036-05"),
    "assistant_by_id": (ASSISTANTS[0].assistant_id,),
    "state_by_id": (next(each.state for each in RECORDS if isinstance(each, SignInState)),),
}
BACK = "https://chat.uni.edu/callback"
ANN = Person("ann", "ann@cs.uni.edu", app_roles=("tutor",), jwt_roles=("Faculty",))


def read_calls() -> Iterator[Call]:
    """Yield the call of each reading pattern, made once on generated users."""
    calls: list[Call] = []
    with clock(NOW.timestamp), DB.memory(*TABLES, observers=[calls.append]) as db:
        fill(db, RECORDS)
        for name, pattern in READS.items():
            arguments = ONES[name] if name in ONES else ARGUMENTS[name][0]
            db(pattern(*arguments))
            yield calls[-1]


Flow = tuple[str, Callable[[], object]]


def quota_flows(db: DB, watch: Watch) -> Iterator[Flow]:
    yield "defining.define_tier", lambda: define_tier(db, "basic", terms("10"), by="root")
    define_tiers(db, "staff", allowing=terms("10", action=ActionOnLimit.WARN))
    define_tiers(db, "unused", "unused too")
    yield "defining.change_tier", lambda: change_tier(db, "basic", terms("20", name="Better"))
    yield "defining.delete_tier", lambda: delete_tier(db, "unused")
    yield "defining.set_default_tier", lambda: set_default_tier(db, "basic")
    yield "defining.delete_tier (with a default)", lambda: delete_tier(db, "unused too")
    yield (
        "resolving.effective_quota (only the default)",
        lambda: effective_quota(db, ANN),
    )
    yield "defining.clear_default_tier", lambda: clear_default_tier(db)
    yield "assigning.assign", lambda: assign_tier(db, "ann", "basic")
    own = "direct_user:ann"
    yield "resolving.effective_quota (the user's own)", lambda: effective_quota(db, ANN)
    yield "checking.check_quota (within the limit)", lambda: check_quota(db, ANN)
    spend(db, "ann", "17")
    yield "checking.check_quota (a warning)", lambda: check_quota(db, ANN)
    yield "checking.check_quota (warned recently)", lambda: check_quota(db, ANN)
    watch.wait(seconds=1)
    spend(db, "ann", "3")
    yield "checking.check_quota (a block)", lambda: check_quota(db, ANN)
    yield "assigning.adjust", lambda: adjust(db, own, priority=1000)
    yield "assigning.reassign", lambda: reassign(db, own, "staff")
    yield "assigning.unassign", lambda: unassign(db, own)
    assign(db, AssignmentType.JWT_ROLE, "Faculty", "staff")
    override = grant_override(
        db,
        "bob",
        OverrideType.UNLIMITED,
        valid_from=MORNING,
        valid_until=MORNING.replace(year=2034),
        reason="exams",
    )
    yield (
        "overriding.grant_override",
        lambda: grant_override(
            db,
            "ann",
            OverrideType.UNLIMITED,
            valid_from=MORNING,
            valid_until=MORNING.replace(year=2034),
            reason="exams",
        ),
    )
    yield (
        "overriding.switch_override",
        lambda: switch_override(db, override.override_id, enabled=False),
    )
    yield "checking.check_quota (an override without a limit)", lambda: check_quota(db, ANN)


def chat_flows(db: DB, watch: Watch) -> Iterator[Flow]:
    yield "conversing.start_session", lambda: start_session(db, "ann", "Hegel")
    session = start_session(db, "ann", "Kant").session_id
    watch.wait(seconds=1)
    yield "conversing.add_message", lambda: add_message(db, "ann", session)
    yield (
        "conversing.add_message (within one timestamp)",
        lambda: add_message(db, "ann", session),
    )
    yield "recording.record_cost", lambda: record_cost(db, cost("ann", "r1", 9, session_id=session))
    yield (
        "recording.record_cost (repeated)",
        lambda: record_cost(db, cost("ann", "r1", 9, session_id=session)),
    )
    yield (
        "conversing.edit_session",
        lambda: edit_session(db, "ann", session, starred=True, tags=["thesis"]),
    )
    yield "conversing.find_session", lambda: find_session(db, "ann", session)
    yield "conversing.session_costs", lambda: session_costs(db, "ann", session)
    yield "conversing.delete_session", lambda: delete_session(db, "ann", session)
    yield "signing_in.begin_sign_in", lambda: begin_sign_in(db, BACK, allowed=[BACK])
    state = begin_sign_in(db, BACK, allowed=[BACK]).state
    yield "signing_in.finish_sign_in", lambda: finish_sign_in(db, state)
    yield (
        "assisting.create_assistant",
        lambda: create_assistant(db, "ann", "ann@uni.edu", "Tutor"),
    )
    made = create_assistant(db, "ann", "ann@uni.edu", "Coach").assistant_id
    active = AssistantStatus.ACTIVE
    yield "assisting.change_status", lambda: change_status(db, "ann", made, active)
    yield "assisting.rename_assistant", lambda: rename_assistant(db, "ann", made, "Trainer")
    yield "assisting.delete_assistant", lambda: delete_assistant(db, "ann", made)


def flow_calls(watch: Watch) -> Iterator[tuple[str, list[Call]]]:
    """Yield each flow with its calls, in an order in which they can happen."""
    with DB.memory(*TABLES) as db:
        for flows in (quota_flows, chat_flows):
            for name, flow in flows(db, watch):
                with db.budget() as calls:
                    flow()
                yield name, list(calls)


def pattern_rows(watch: Watch) -> list[str]:
    """Return the line of each pattern on the page."""
    found = {call.pattern: call for call in read_calls()}
    for _, calls in flow_calls(watch):
        for call in calls:
            found.setdefault(call.pattern, call)
    return [pattern_row(each.name, each.title, found[each.name]) for each in DESIGN.patterns]


def pattern_row(name: str, title: str, call: Call) -> str:
    cost = f"{len(call.exchanges)} | {call.read_units:g} | {call.write_units:g}"
    return f"| `{name}` | {title} | {cost} |"


def flow_rows(watch: Watch) -> Iterator[str]:
    """Yield the line of each flow on the page."""
    for name, calls in flow_calls(watch):
        requests = sum(len(call.exchanges) for call in calls)
        reads = sum(call.read_units for call in calls)
        writes = sum(call.write_units for call in calls)
        shown, _, note = name.partition(" ")
        yield f"| `{shown}`{note and ' ' + note} | {requests} | {reads:g} | {writes:g} |"


def test_the_units_of_each_pattern_are_as_measured(watch: Watch) -> None:
    measured = pattern_rows(watch)

    assert measured == PAGE.lines("Access patterns"), "\n".join(measured)


def test_the_units_of_each_flow_are_as_measured(watch: Watch) -> None:
    measured = list(flow_rows(watch))

    assert measured == PAGE.lines("Cost of each flow"), "\n".join(measured)


@pytest.mark.parametrize("heading", ["Guarantees", "Requirements"])
def test_every_name_on_the_page_exists(heading: str) -> None:
    named = [names(row[1:]) for row in PAGE.rows(heading)]

    assert named
    assert all(any(name.startswith("test_") for name in row) for row in named)
    assert [name for row in named for name in row if not PAGE.exists(name)] == []


def test_every_pattern_and_every_service_is_on_the_page() -> None:
    named = set(names([cell for row in PAGE.rows("Requirements") for cell in row[1:]]))

    patterns = {f"{found.function.__module__}.{found.name}" for found in DESIGN.patterns}
    wanted = {name.removeprefix("sortkey_systems.agentcore.") for name in patterns}
    for service in SERVICES:
        wanted |= public_functions(service)
    assert wanted - named == set()


def public_functions(name: str) -> set[str]:
    """Return the public functions of a module."""
    module = import_module(f"sortkey_systems.agentcore.{name}")
    return {
        f"{name}.{found}"
        for found, function in getmembers(module, isfunction)
        if function.__module__ == module.__name__ and found[0] != "_"
    }


def test_every_operation_of_the_api_is_on_the_page(memory: DB) -> None:
    assert [row[:2] for row in PAGE.rows("Over HTTP")] == operations(api, memory)


def test_every_key_index_and_attribute_is_in_the_catalog() -> None:
    named = " ".join(PAGE.lines("Item catalog"))

    for kind in DESIGN.kinds:
        for stored in kind.stored_names.values():
            assert f"`{stored}`" in named, (kind.name, stored)
    for table in TABLES:
        exported = table.definition.settings.exported
        assert exported is not None
        assert f"`{exported.name}`" in named
        for index in table.definition.indexes:
            assert f"`{index}`" in named, index


def test_a_message_is_one_read_and_one_transaction(memory: DB, watch: Watch) -> None:
    session = start_session(memory, "ann", "Hegel").session_id
    watch.wait(seconds=1)

    with memory.budget(requests=2, reads=0.5):
        add_message(memory, "ann", session)


def test_messages_are_declined_with_the_reason() -> None:
    """The document reserves the prefix and describes no such record, and the design has none."""
    [place] = [
        row[1]
        for row in PAGE.rows("Contents of the document")
        if row[0].startswith("Prefix `MESSAGE#`")
    ]

    assert place.startswith("declined. The document has the prefix, but no table")
    assert "MESSAGE#" not in "".join(PAGE.lines("Item catalog"))
