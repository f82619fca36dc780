"""Concurrent callers: every order of their requests, with crashes, lost responses and stale reads.

Each exploration passes, and fails without the condition or the transaction that it tests.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import (
    MORNING,
    Unguard,
    assign_tier,
    cost,
    define_tiers,
    fails_unless,
    spend,
    start_sessions,
    terms,
)
from tests.systems.agentcore.in_turn import in_turn
from tests.systems.guards import with_and_without_guard
from tests.systems.racing import explore

from sortkey import DB, AlreadyExists, ConditionFailed, NotFound, Op, VersionConflict
from sortkey.testing import Outcome, clock
from sortkey_systems.agentcore import checking, conversing, recording
from sortkey_systems.agentcore.assigning import adjust, assign, reassign, unassign
from sortkey_systems.agentcore.assisting import (
    change_status,
    create_assistant,
    delete_assistant,
)
from sortkey_systems.agentcore.checking import Verdict, check_quota
from sortkey_systems.agentcore.conversing import (
    add_message,
    delete_session,
    edit_session,
    session_costs,
    start_session,
)
from sortkey_systems.agentcore.defining import define_tier, delete_tier, set_default_tier
from sortkey_systems.agentcore.design.assistants import Assistant, AssistantStatus
from sortkey_systems.agentcore.design.events import EventType, QuotaEvent, QuotaEvents, add_event
from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    AssignmentType,
    UserQuotas,
    all_tiers,
    quota_config,
    tier_by_id,
)
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    DeletedSession,
    Session,
    add_cost,
    count_message,
    move_session,
)
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.design.summaries import CostSummary, day_of, month_of
from sortkey_systems.agentcore.errors import AgentCoreError, StateInvalid
from sortkey_systems.agentcore.recording import record_cost
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.agentcore.signing_in import begin_sign_in, finish_sign_in

REFUSALS = (AgentCoreError,)
WITHOUT_CONDITION, WITHOUT_TRANSACTION = "without its condition", "without its transaction"


def counts_are_right(db: DB) -> None:
    """Assert that each tier counts its assignments, and that the tier of each assignment exists."""
    tiers = {item["PK"]["S"]: item for item in stored_items(db, UserQuotas) if is_tier(item)}
    counted = Counter(f"QUOTA#{each.tier_id}" for each in db(Assignment.scan()))
    for key, item in tiers.items():
        count = int(item.get("assignmentCount", {"N": "0"})["N"])
        assert count == counted[key], f"{key} counts {count} assignments of {counted[key]}"
    assert counted.keys() <= tiers.keys(), "an assignment to a deleted tier"
    assert all("tierName" in item for item in tiers.values()), "a count without its tier"


def is_tier(item: dict[str, Any]) -> bool:
    return item["PK"]["S"].startswith("QUOTA#")


# Assigning


@with_and_without_guard
@pytest.mark.parametrize("kind", [AssignmentType.DIRECT_USER, AssignmentType.APP_ROLE])
def test_of_two_concurrent_assignments_of_one_subject_one_is_made(
    memory: DB, unguard: Unguard, kind: AssignmentType, *, guarded: bool
) -> None:
    define_tiers(memory, "basic", "staff")
    if not guarded:
        unguard("Assignment", AlreadyExists)

    def one_is_made(outcomes: list[Outcome]) -> None:
        counts_are_right(memory)
        assert len(memory(Assignment.scan())) <= 1
        assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both were made"

    with fails_unless(guarded=guarded, match="both were made|counts 1 assignments of 0"):
        explore(
            lambda: assign(memory, kind, "ann", "basic"),
            lambda: assign(memory, kind, "ann", "staff"),
            db=memory,
            invariant=one_is_made,
            errors=REFUSALS,
        )


@with_and_without_guard
@pytest.mark.parametrize("configured", [True, False])
@pytest.mark.parametrize("guard", [NotFound, ConditionFailed])
def test_a_tier_that_is_being_deleted_gets_no_assignment(
    memory: DB, unguard: Unguard, guard: type[Any], *, configured: bool, guarded: bool
) -> None:
    """An assignment requires the tier, and a deletion requires that it is unused."""
    define_tiers(memory, "basic", "other")
    if configured:
        set_default_tier(memory, "other")
    if not guarded:
        unguard("QuotaTier", guard)

    with fails_unless(guarded=guarded, match="a deleted tier|a count without its tier"):
        explore(
            lambda: assign_tier(memory, "ann", "basic"),
            lambda: delete_tier(memory, "basic"),
            db=memory,
            invariant=lambda: counts_are_right(memory),
            errors=REFUSALS,
        )


@with_and_without_guard
def test_an_assignment_removed_twice_is_counted_off_once(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    define_tiers(memory, "basic")
    own = assign_tier(memory, "ann", "basic")
    assign_tier(memory, "bob", "basic")
    if not guarded:
        unguard("Assignment", NotFound, ConditionFailed)

    with fails_unless(guarded=guarded, match="counts 0 assignments of 1"):
        explore(
            lambda: unassign(memory, own.assignment_id),
            lambda: unassign(memory, own.assignment_id),
            db=memory,
            invariant=lambda: counts_are_right(memory),
            errors=REFUSALS,
        )


@with_and_without_guard
def test_an_assignment_that_moves_while_it_is_removed_is_not_counted(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    define_tiers(memory, "basic", "staff")
    own = assign_tier(memory, "ann", "basic")
    assign_tier(memory, "bob", "basic")
    assign_tier(memory, "cem", "staff")
    if not guarded:
        unguard("Assignment", ConditionFailed)

    with fails_unless(guarded=guarded, match="counts . assignments of ."):
        explore(
            lambda: unassign(memory, own.assignment_id),
            lambda: reassign(memory, own.assignment_id, "staff"),
            db=memory,
            invariant=lambda: counts_are_right(memory),
            errors=REFUSALS,
        )


@with_and_without_guard
def test_an_assignment_moved_twice_is_counted_in_its_final_tier(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    define_tiers(memory, "basic", "staff", "best")
    own = assign_tier(memory, "ann", "basic")
    assign_tier(memory, "bob", "basic")
    if not guarded:
        unguard("Assignment", ConditionFailed)

    with fails_unless(guarded=guarded, match="counts . assignments of ."):
        explore(
            lambda: reassign(memory, own.assignment_id, "staff"),
            lambda: reassign(memory, own.assignment_id, "best"),
            db=memory,
            invariant=lambda: counts_are_right(memory),
            errors=REFUSALS,
        )


def test_a_tier_counts_right_when_three_administrators_change_it(memory: DB) -> None:
    define_tiers(memory, "basic", "staff")
    own = assign_tier(memory, "ann", "basic")

    explore(
        lambda: reassign(memory, own.assignment_id, "staff"),
        lambda: unassign(memory, own.assignment_id),
        lambda: delete_tier(memory, "staff"),
        db=memory,
        invariant=lambda: counts_are_right(memory),
        errors=REFUSALS,
        sample=300,
    )


@with_and_without_guard
def test_of_two_definitions_of_a_tier_one_is_made(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    if not guarded:
        unguard("QuotaTier", AlreadyExists)

    def one_is_made(outcomes: list[Outcome]) -> None:
        made = [end.result.monthly_cost_limit for end in outcomes if end.succeeded]
        assert len(made) <= 1, "both were made"
        stored = [tier.monthly_cost_limit for tier in memory(all_tiers())]
        assert not made or made == stored

    with fails_unless(guarded=guarded, match="both were made"):
        explore(
            lambda: define_tier(memory, "basic", terms("10"), by="root"),
            lambda: define_tier(memory, "basic", terms("20"), by="root"),
            db=memory,
            invariant=one_is_made,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_a_priority_and_a_switch_are_both_kept(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    define_tiers(memory, "basic")
    own = assign_tier(memory, "ann", "basic")
    if not guarded:
        unguard("Assignment", ConditionFailed)

    def both_are_kept(outcomes: list[Outcome]) -> None:
        [stored] = memory(Assignment.scan())
        raised, switched = (outcome.succeeded for outcome in outcomes)
        assert stored.priority == 7 or not raised, "the priority is lost"
        assert not stored.enabled or not switched, "the switch is lost"

    with fails_unless(guarded=guarded, match="the switch is lost|the priority is lost"):
        explore(
            lambda: adjust(memory, own.assignment_id, priority=7),
            lambda: adjust(memory, own.assignment_id, enabled=False),
            db=memory,
            invariant=both_are_kept,
            errors=REFUSALS,
        )


@with_and_without_guard
@pytest.mark.parametrize("configured", [True, False])
@pytest.mark.parametrize("guard", ["QuotaConfig", "QuotaTier"])
def test_the_default_is_never_a_deleted_tier(
    memory: DB, unguard: Unguard, guard: str, *, configured: bool, guarded: bool
) -> None:
    """A deletion checks the configuration, and setting the default checks the tier."""
    define_tiers(memory, "basic", "staff")
    if configured:
        set_default_tier(memory, "staff")
    if not guarded:
        unguard(
            guard, *((ConditionFailed, AlreadyExists) if guard == "QuotaConfig" else (NotFound,))
        )

    def default_is_there() -> None:
        config = memory(quota_config())
        if config is not None and config.default_tier_id is not None:
            assert memory(tier_by_id(config.default_tier_id)), "the default is gone"

    with fails_unless(guarded=guarded, match="the default is gone"):
        explore(
            lambda: set_default_tier(memory, "basic"),
            lambda: delete_tier(memory, "basic"),
            db=memory,
            invariant=default_is_there,
            errors=REFUSALS,
        )


# Checking

ANN = Person("ann")


def events(db: DB, kind: EventType) -> list[QuotaEvent]:
    return [event for event in db(QuotaEvent.scan()) if event.event_type is kind]


@with_and_without_guard
def test_of_two_checks_one_warns(memory: DB, unguard: Unguard, *, guarded: bool) -> None:
    define_tiers(memory, "basic")
    assign_tier(memory, "ann", "basic")
    spend(memory, "ann", "8")
    if not guarded:
        unguard("WarningMark")

    def one_warning(outcomes: list[Outcome]) -> None:
        warnings = events(memory, EventType.WARNING)
        assert len(warnings) <= 1, "warned twice"
        marks = [i for i in stored_items(memory, QuotaEvents) if i["SK"]["S"] == "WARNED#080"]
        assert len(marks) == len(warnings)
        warned = [end.result.warned_of for end in outcomes if isinstance(end.result, Verdict)]
        assert warned.count(80) <= len(warnings)

    with fails_unless(guarded=guarded, match="warned twice"):
        explore(
            lambda: check_quota(memory, ANN),
            lambda: check_quota(memory, ANN),
            db=memory,
            invariant=one_warning,
        )


def with_own_id(event: QuotaEvent) -> Op[QuotaEvent]:
    return add_event(event.model_copy(update={"event_id": uuid4().hex}))


@with_and_without_guard
def test_the_blocks_of_a_minute_have_one_event(
    memory: DB, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    """They have one key: a second block and a repeated write find the event there."""
    define_tiers(memory, "basic")
    assign_tier(memory, "ann", "basic")
    spend(memory, "ann", "10")
    if not guarded:
        monkeypatch.setattr(checking, "add_event", with_own_id)

    def one_is_recorded(outcomes: list[Outcome]) -> None:
        blocked = [end for end in outcomes if end.succeeded]
        assert not any(end.result.is_allowed for end in blocked)
        recorded = len(events(memory, EventType.BLOCK))
        assert bool(blocked) <= recorded <= 1, f"{recorded} events of {len(blocked)} blocks"

    with fails_unless(guarded=guarded, match="2 events of 2 blocks"):
        explore(
            lambda: check_quota(memory, ANN),
            lambda: check_quota(memory, ANN),
            db=memory,
            invariant=one_is_recorded,
        )


# Costs


def sums_are_right(db: DB) -> None:
    """Assert that each sum equals its records, and that each record has its sums."""
    records, sums = db(CostRecord.scan()), db(CostSummary.scan())
    wanted: Counter[tuple[str, str]] = Counter()
    for record in records:
        for period in (day_of(record.timestamp), month_of(record.timestamp)):
            wanted[record.user_id, period] += record.cost_micros
    totals = {(each.user_id, each.period): each.total_cost_micros for each in sums}
    assert totals == wanted, f"the sums are {sorted(totals.values())} of {sorted(wanted.values())}"


@pytest.mark.parametrize(
    ("second", "taken"),
    [
        ("the same cost", ""),
        pytest.param("the same cost", WITHOUT_CONDITION, marks=pytest.mark.acceptance),
        pytest.param("the same cost", WITHOUT_TRANSACTION, marks=pytest.mark.acceptance),
        ("another cost", ""),
        pytest.param("another cost", WITHOUT_TRANSACTION, marks=pytest.mark.acceptance),
    ],
)
def test_sums_equal_their_records_after_concurrent_and_repeated_calls(
    memory: DB, unguard: Unguard, monkeypatch: pytest.MonkeyPatch, second: str, taken: str
) -> None:
    start_sessions(memory, "ann")
    first = cost("ann", "r1", 700)
    other = first if second == "the same cost" else cost("ann", "r2", 30)
    if taken == WITHOUT_CONDITION:
        unguard("CostRecord", AlreadyExists)
    if taken == WITHOUT_TRANSACTION:
        monkeypatch.setattr(recording, "add_cost", in_turn(add_cost))

    with fails_unless(guarded=not taken, match=r"the sums are|raised AlreadyExists"):
        explore(
            lambda: record_cost(memory, first),
            lambda: record_cost(memory, other),
            db=memory,
            invariant=lambda: sums_are_right(memory),
            errors=REFUSALS,
        )


# Sessions


def stored_sessions(db: DB) -> list[Session | DeletedSession]:
    return [*db(Session.scan()), *db(DeletedSession.scan())]


def the_session(db: DB) -> Session | DeletedSession:
    """Return the only session."""
    found = stored_sessions(db)
    assert found, "the session is lost"
    assert len(found) == 1, "the session is stored twice"
    return found[0]


def a_second_later(call: Callable[[], object], seconds: float = 1) -> Callable[[], object]:
    """Return the call with a clock that is ahead."""

    def called() -> object:
        with clock(lambda: MORNING.timestamp() + seconds):
            return call()

    return called


def take_out(taken: str, unguard: Unguard, monkeypatch: pytest.MonkeyPatch) -> None:
    if taken == WITHOUT_CONDITION:
        unguard("Session", VersionConflict, NotFound, AlreadyExists)
    if taken == WITHOUT_TRANSACTION:
        monkeypatch.setattr(conversing, "move_session", in_turn(move_session))
        monkeypatch.setattr(conversing, "count_message", in_turn(count_message))


@pytest.mark.parametrize(
    "taken",
    [
        "",
        pytest.param(WITHOUT_CONDITION, marks=pytest.mark.acceptance),
        pytest.param(WITHOUT_TRANSACTION, marks=pytest.mark.acceptance),
    ],
)
@pytest.mark.parametrize("clocks", [(1, 2), (2, 1), (1, 1), (0, 1)], ids=str)
def test_no_message_is_lost_and_the_last_one_stays_the_last(
    memory: DB,
    unguard: Unguard,
    monkeypatch: pytest.MonkeyPatch,
    taken: str,
    clocks: tuple[int, int],
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    take_out(taken, unguard, monkeypatch)

    def message() -> object:
        return add_message(memory, "ann", begun.session_id)

    def all_are_counted(outcomes: list[Outcome]) -> None:
        session = the_session(memory)
        sent = sum(outcome.succeeded for outcome in outcomes)
        assert sent <= session.message_count <= len(outcomes), f"{session.message_count} of {sent}"
        latest = max(
            (at for at, end in zip(clocks, outcomes, strict=True) if end.succeeded), default=0
        )
        assert session.last_message_at >= MORNING + timedelta(seconds=latest), "it went back"

    with fails_unless(guarded=not taken, match=r"stored twice|is lost|\d of \d|cannot be read"):
        explore(
            *(a_second_later(message, seconds) for seconds in clocks),
            db=memory,
            invariant=all_are_counted,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_messages_with_one_timestamp_count_once_each(
    memory: DB, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    """The transaction's token keeps a retry from counting again."""
    begun = start_session(memory, "ann", "Hegel")
    if not guarded:
        take_out(WITHOUT_TRANSACTION, lambda *_: None, monkeypatch)

    def each_counts_once(outcomes: list[Outcome]) -> None:
        count = the_session(memory).message_count
        sent = sum(outcome.succeeded for outcome in outcomes)
        assert sent <= count <= len(outcomes), f"{count} of {sent}"

    with fails_unless(guarded=guarded, match="3 of 2"):
        explore(
            lambda: add_message(memory, "ann", begun.session_id),
            lambda: add_message(memory, "ann", begun.session_id),
            db=memory,
            invariant=each_counts_once,
            errors=REFUSALS,
        )


@with_and_without_guard
def test_a_message_and_a_star_are_both_kept(memory: DB, unguard: Unguard, *, guarded: bool) -> None:
    begun = start_session(memory, "ann", "Hegel")
    if not guarded:
        unguard("Session", VersionConflict, NotFound)

    def both_are_kept(outcomes: list[Outcome]) -> None:
        session = the_session(memory)
        sent, starred = (outcome.succeeded for outcome in outcomes)
        assert session.message_count >= sent
        assert session.starred or not starred, "the star is lost"

    with fails_unless(guarded=guarded, match="the star is lost|two places"):
        explore(
            a_second_later(lambda: add_message(memory, "ann", begun.session_id)),
            lambda: edit_session(memory, "ann", begun.session_id, starred=True),
            db=memory,
            invariant=both_are_kept,
            errors=REFUSALS,
        )


@with_and_without_guard
@pytest.mark.parametrize("seconds", [0, 1])
def test_a_session_deleted_during_a_message_is_stored_once(
    memory: DB, unguard: Unguard, seconds: int, *, guarded: bool
) -> None:
    begun = start_session(memory, "ann", "Hegel")
    if not guarded:
        unguard("Session", VersionConflict, NotFound)

    def stored_once(outcomes: list[Outcome]) -> None:
        sent, deleted = (outcome.succeeded for outcome in outcomes)
        session = the_session(memory)
        if deleted:
            assert isinstance(session, DeletedSession), "it came back"
        assert session.message_count >= sent, "a message is lost"

    with fails_unless(guarded=guarded, match="came back|stored twice|a message is lost|cannot be"):
        explore(
            a_second_later(lambda: add_message(memory, "ann", begun.session_id), seconds),
            a_second_later(lambda: delete_session(memory, "ann", begun.session_id), 2),
            db=memory,
            invariant=stored_once,
            errors=REFUSALS,
        )


def test_a_session_deleted_by_two_calls_is_deleted_once(memory: DB) -> None:
    begun = start_session(memory, "ann", "Hegel")

    def deleted_once() -> None:
        the_session(memory)

    explore(
        lambda: delete_session(memory, "ann", begun.session_id),
        a_second_later(lambda: delete_session(memory, "ann", begun.session_id)),
        db=memory,
        invariant=deleted_once,
        errors=REFUSALS,
    )


AFTER_DELETION: dict[str, Callable[[DB, str], object]] = {
    "a second deletion": lambda db, name: delete_session(db, "ann", name),
    "a cost": lambda db, name: record_cost(db, cost("ann", "r1", 5, session_id=name)),
    "its costs": lambda db, name: session_costs(db, "ann", name),
}


@pytest.mark.parametrize("use", AFTER_DELETION.values(), ids=AFTER_DELETION)
def test_a_deleted_session_is_found_although_the_index_lags(
    memory: DB, use: Callable[[DB, str], object]
) -> None:
    begun = start_session(memory, "ann", "Hegel")

    def delete_and_use() -> None:
        delete_session(memory, "ann", begun.session_id)
        use(memory, begun.session_id)

    explore(delete_and_use, db=memory, invariant=lambda: None, errors=(), crashes=False)


# Signing in


@with_and_without_guard
def test_a_state_brought_back_twice_signs_in_once(memory: DB, *, guarded: bool) -> None:
    begun = begin_sign_in(memory, "https://a.example", allowed=["https://a.example"])

    def read_and_delete() -> SignInState:
        """Do as the document does: read, then delete without a condition."""
        found = memory(SignInState.get(state=begun.state).consistently())
        if found is None:
            raise StateInvalid("unknown")
        memory(SignInState.erase(state=begun.state))
        return found

    consume = (lambda: finish_sign_in(memory, begun.state)) if guarded else read_and_delete

    def one_signs_in(outcomes: list[Outcome]) -> None:
        assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both sign in"

    with fails_unless(guarded=guarded, match="both sign in"):
        explore(consume, consume, db=memory, invariant=one_signs_in, errors=REFUSALS)


# Assistants


@with_and_without_guard
def test_an_assistant_is_not_archived_and_activated_at_once(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    made = create_assistant(memory, "ann", "ann@uni.edu", "Tutor")
    if not guarded:
        unguard("Assistant")

    def archive() -> AssistantStatus:
        return change_status(memory, "ann", made.assistant_id, AssistantStatus.ARCHIVED).status

    def activate() -> AssistantStatus:
        return change_status(memory, "ann", made.assistant_id, AssistantStatus.ACTIVE).status

    def stays_archived(outcomes: list[Outcome]) -> None:
        if outcomes[0].succeeded:
            [stored] = memory(Assistant.scan())
            assert stored.status is AssistantStatus.ARCHIVED, "it is active"

    with fails_unless(guarded=guarded, match="it is active"):
        explore(archive, activate, db=memory, invariant=stays_archived, errors=REFUSALS)


@with_and_without_guard
def test_an_assistant_deleted_by_two_calls_is_deleted_once(
    memory: DB, unguard: Unguard, *, guarded: bool
) -> None:
    made = create_assistant(memory, "ann", "ann@uni.edu", "Tutor")
    if not guarded:
        unguard("Assistant", NotFound, ConditionFailed)

    def deleted_once(outcomes: list[Outcome]) -> None:
        assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both deleted it"

    with fails_unless(guarded=guarded, match="both deleted it"):
        explore(
            lambda: delete_assistant(memory, "ann", made.assistant_id),
            lambda: delete_assistant(memory, "ann", made.assistant_id),
            db=memory,
            invariant=deleted_once,
            errors=REFUSALS,
        )
