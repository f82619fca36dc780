"""Generated users look real, follow every rule, and are the same each time."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import TypeVar

from tests.systems.agentcore.conftest import MORNING, NOW

from sortkey import DB, Entity, Table
from sortkey.access.filling import fill
from sortkey.testing import clock
from sortkey_systems.agentcore.design.assistants import Assistant, AssistantStatus
from sortkey_systems.agentcore.design.events import EventType, QuotaEvent, WarningMark
from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    AssignmentType,
    Override,
    QuotaConfig,
    QuotaTier,
)
from sortkey_systems.agentcore.design.sessions import CostRecord, DeletedSession, Session
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.design.summaries import CostSummary, day_of, month_of
from sortkey_systems.agentcore.generator import TABLES, records, user_id

E = TypeVar("E", bound=Entity)


@cache
def people() -> list[Sequence[Entity]]:
    return list(records(300, now=NOW))


def every(entity: type[E], groups: Sequence[Sequence[Entity]] | None = None) -> list[E]:
    return [
        record for group in groups or people() for record in group if isinstance(record, entity)
    ]


def test_the_seed_determines_the_data() -> None:
    # The first group has the shared records, which depend on the number of users.
    assert list(records(300, seed=1, now=NOW)) == people()
    assert list(records(5, seed=1, now=NOW))[1:] == people()[1:5]
    assert list(records(5, seed=2, now=NOW))[1:] != people()[1:5]


def test_records_are_of_today() -> None:
    today = MORNING + timedelta(days=3)
    with clock(today.timestamp):
        made = list(records(60))

    latest = max(cost.timestamp for cost in every(CostRecord, made))
    assert today - timedelta(days=2) < latest <= today
    assert all(cost.ttl > today for cost in every(CostRecord, made))
    assert all(state.created_at <= today < state.ttl for state in every(SignInState, made))


def test_every_record_can_be_stored_and_no_two_have_one_key() -> None:
    entities = {type(record) for group in people() for record in group}
    with DB.memory(*TABLES) as db:
        for group in people()[:40]:
            fill(db, group)
        for entity in entities:
            assert db(entity.scan().count()) == len(every(entity, people()[:40]))


def test_every_entity_and_every_choice_is_generated() -> None:
    declared = {kind.model for table in TABLES for kind in table.definition.entities}
    assert {type(record) for group in people() for record in group} == declared
    assert {each.assignment_type for each in every(Assignment)} == set(AssignmentType)
    assert {each.status for each in every(Assistant)} == set(AssistantStatus)
    types = {each.event_type for each in every(QuotaEvent)}
    assert types == set(EventType) - {EventType.RESET}


def test_sums_equal_their_costs() -> None:
    wanted: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for cost in every(CostRecord):
        for period in (day_of(cost.timestamp), month_of(cost.timestamp)):
            wanted[cost.user_id, period].update(
                micros=cost.cost_micros,
                requests=1,
                read=cost.input_tokens,
                written=cost.output_tokens,
            )
    assert {
        (each.user_id, each.period): Counter(
            micros=each.total_cost_micros,
            requests=each.request_count,
            read=each.input_tokens,
            written=each.output_tokens,
        )
        for each in every(CostSummary)
    } == wanted


def test_tiers_count_their_assignments_and_users_have_one() -> None:
    counted = Counter(assignment.tier_id for assignment in every(Assignment))
    tiers = every(QuotaTier)

    assert {each.tier_id: each.assignment_count for each in tiers} == {
        each.tier_id: counted[each.tier_id] for each in tiers
    }
    assert counted.keys() <= {each.tier_id for each in tiers}
    sole = [
        assignment
        for assignment in every(Assignment)
        if assignment.assignment_type in {AssignmentType.DIRECT_USER, AssignmentType.APP_ROLE}
    ]
    assert len(sole) == len({assignment.subject for assignment in sole})
    for assignment in sole:
        who = assignment.subject.partition("#")[2]
        assert assignment.assignment_id == f"{assignment.assignment_type}:{who}"
    [config] = every(QuotaConfig)
    assert config.default_tier_id in {each.tier_id for each in tiers}


def test_sessions_count_their_messages_and_end_with_the_last() -> None:
    costs: defaultdict[str, list[CostRecord]] = defaultdict(list)
    for cost in every(CostRecord):
        costs[cost.session_id].append(cost)

    sessions = [*every(Session), *every(DeletedSession)]
    assert len({session.session_id for session in sessions}) == len(sessions)
    assert costs.keys() <= {session.session_id for session in sessions}
    for session in sessions:
        own = costs[session.session_id]
        assert session.message_count == len(own)
        assert {cost.user_id for cost in own} <= {session.user_id}
        assert session.last_message_at == max(
            (cost.timestamp for cost in own), default=session.last_message_at
        )
        assert session.created_at <= session.last_message_at <= NOW
    assert all(each.last_message_at < each.deleted_at <= NOW for each in every(DeletedSession))


def test_nothing_has_expired_or_lies_in_the_future() -> None:
    assert all(cost.timestamp <= NOW < cost.ttl for cost in every(CostRecord))
    assert all(state.created_at <= NOW < state.ttl for state in every(SignInState))
    assert all(event.timestamp <= NOW for event in every(QuotaEvent))
    assert all(mark.warned_at <= NOW for mark in every(WarningMark))


def test_values_that_break_designs_are_generated() -> None:
    names = {user_id(number) for number in range(len(people()))}
    moments = Counter((cost.session_id, cost.timestamp) for cost in every(CostRecord))
    created = Counter((each.owner_id, each.created_at) for each in every(Assistant))
    live = [each for each in every(Override) if each.is_active_at(NOW)]
    hiding = [each for each in every(Override) if not each.is_active_at(NOW)]

    assert {"user1", "user11", "user111"} < names
    assert any(not name.isascii() for name in names)
    assert max(moments.values()) > 1
    assert max(created.values()) > 1
    assert any(f"{cost.timestamp:%H:%M:%S}" == "23:59:57" for cost in every(CostRecord))
    assert {200, 1000, 9} < {each.priority for each in every(Assignment)}
    later = {each.user_id for each in hiding if each.valid_until > NOW}
    assert later & {each.user_id for each in live}
    names_of_tiers = [each.tier_name for each in every(QuotaTier)]
    assert len(set(names_of_tiers)) < len(names_of_tiers)


def test_some_people_have_far_more_than_others() -> None:
    sizes = sorted(len(group) for group in people()[1:])

    assert sizes[-1] > 20 * sizes[len(sizes) // 2]


def test_all_six_tables_have_records() -> None:
    assert len(TABLES) == 6
    filled: set[type[Table] | None] = {
        type(record).__kind__.primary.definition.table for group in people() for record in group
    }
    assert filled == set(TABLES)
