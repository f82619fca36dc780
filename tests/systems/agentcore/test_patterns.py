"""Every access pattern returns exactly its records, on generated users, on every database."""

from collections import Counter
from datetime import timedelta
from typing import Any, TypeVar, get_args, get_origin

import pytest
from tests.access.executors import stored_items
from tests.systems.agentcore.conftest import NOW
from tests.systems.specification import expected, returned

from sortkey import DB, AlreadyExists, Entity, Page, Pattern, TransactionFailed, load_design
from sortkey.access.filling import fill
from sortkey.design.plans.value import pattern_plan
from sortkey.testing import clock
from sortkey_systems.agentcore.design.assistants import Assistant, AssistantStatus
from sortkey_systems.agentcore.design.events import QuotaEvent, WarningMark
from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    AssignmentType,
    Override,
    QuotaConfig,
    QuotaTier,
    quota_config,
)
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    DeletedSession,
    Session,
    costs_of_user,
    session_by_id,
)
from sortkey_systems.agentcore.design.sign_in import SignInState
from sortkey_systems.agentcore.generator import TABLES, records

RECORDS: list[Entity] = [record for group in records(120, now=NOW) for record in group]
COSTS = [record for record in RECORDS if isinstance(record, CostRecord)]
EVENTS = [record for record in RECORDS if isinstance(record, QuotaEvent)]
ASSISTANTS = [record for record in RECORDS if isinstance(record, Assistant)]
OVERRIDES = [record for record in RECORDS if isinstance(record, Override)]


def busiest(found: list[Any], field: str) -> Any:
    """Return the most frequent value of a field."""
    [(value, _)] = Counter(getattr(record, field) for record in found).most_common(1)
    return value


BUSIEST = busiest(COSTS, "user_id")
# Users with many records, with few, with an id that is a prefix of others, and a missing one.
USERS = (BUSIEST, "user1", "user11", busiest(EVENTS, "user_id"), "unknown")
TIMES = sorted(cost.timestamp for cost in COSTS if cost.user_id == BUSIEST)
DESIGN = load_design("sortkey_systems.agentcore.design")
E = TypeVar("E", bound=Entity)
PATTERNS: dict[str, Pattern[..., Any]] = {found.name: found for found in DESIGN.patterns}


def is_read(pattern: Pattern[..., Any]) -> bool:
    steps = pattern_plan(pattern, DESIGN)["steps"]
    return all(step["operation"] in {"GetItem", "Query"} for step in steps)


READS = {name: found for name, found in PATTERNS.items() if is_read(found)}


OWN_EVENTS = sorted(event.timestamp for event in EVENTS if event.user_id == USERS[3])
TIER_EVENTS = sorted(event.timestamp for event in EVENTS if event.tier_id == "basic")
LONG_AGO = NOW - timedelta(days=9)
# The arguments of each pattern.
ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "all_tiers": [()],
    "default_assignments": [()],
    "assignments_of_tier": [("basic",), ("staff",), ("research",), ("unused",), ("none",)],
    "assignments_of_user": [("user3",), ("user11",), ("user1",), ("unknown",)],
    "assignments_of_app_role": [("researcher",), ("tutor",), ("none",)],
    "assignments_of_role": [("Faculty",), ("Student",), ("Fac",)],
    "assignments_of_domain": [("cs.uni.edu",), ("*.uni.edu",), ("uni.edu",)],
    "assignments_of_type": [(kind,) for kind in AssignmentType],
    "live_overrides": [
        (override.user_id, NOW + timedelta(days=days, microseconds=more))
        for override in OVERRIDES
        for days, more in ((0, 0), (20, 0), (40, 1))
    ],
    "overrides_of_user": [(override.user_id,) for override in OVERRIDES],
    "events_of_user": [
        *((user, LONG_AGO, NOW) for user in USERS),
        (USERS[3], OWN_EVENTS[1], OWN_EVENTS[-2]),
        (USERS[3], OWN_EVENTS[-1], OWN_EVENTS[0]),
    ],
    "events_of_tier": [
        ("basic", LONG_AGO, NOW),
        ("basic", TIER_EVENTS[2], TIER_EVENTS[-3]),
        ("bas", LONG_AGO, NOW),
    ],
    "active_sessions": [(user,) for user in USERS],
    "deleted_sessions": [(user,) for user in USERS],
    "costs_of_user": [
        *((user, TIMES[0], TIMES[-1]) for user in USERS),
        (BUSIEST, TIMES[5], TIMES[-5]),
        (BUSIEST, TIMES[5], TIMES[5]),
    ],
    "costs_of_session": [(busiest(COSTS, "session_id"),), (COSTS[0].session_id,), ("none",)],
    "top_spenders": [("2036-05",), ("2036-05-14",), ("2036-02-29",), ("2030-01",)],
    "assistants_of_owner": [
        (busiest(ASSISTANTS, "owner_id"), status) for status in AssistantStatus
    ],
    "assistants_of_domain": [("uni.edu",), ("cs.uni.edu",), ("edu",)],
    "assistants_of_month": [(NOW - timedelta(days=31 * ago),) for ago in range(5)],
}


def returns_several(pattern: Pattern[..., Any]) -> bool:
    return get_origin(pattern.returns) in {list, Page}


def unversioned(found: list[Entity]) -> list[dict[str, Any]]:
    """Return the records without their versions, with ties in a fixed order."""
    every = [record.model_dump(exclude={"rev"}) for record in found]
    fields = sorted(type(found[0]).__kind__.key_fields) if found else []
    return sorted(every, key=lambda record: [str(record[field]) for field in fields])


def test_every_list_pattern_returns_exactly_the_matching_records(db: DB) -> None:
    with clock(NOW.timestamp):
        fill(db, RECORDS)
        several = [found for found in READS.values() if returns_several(found)]
        for pattern in several:
            order: Any = pattern.order or type
            sizes: set[int] = set()
            for arguments in ARGUMENTS[pattern.name]:
                found, wanted = (
                    returned(db, pattern, arguments),
                    expected(RECORDS, pattern, arguments),
                )
                assert [order(record) for record in found] == [order(record) for record in wanted]
                assert unversioned(found) == unversioned(wanted), pattern.name
                sizes.add(len(found))
            one_each = {"assignments_of_user", "assignments_of_app_role"}
            assert max(sizes) > (pattern.name not in one_each), f"{pattern.name} found too few"
    assert {pattern.name for pattern in several} == ARGUMENTS.keys()


def test_every_single_record_pattern_returns_its_record(db: DB) -> None:
    few = [r for r in RECORDS if getattr(r, "user_id", USERS[0]) in USERS]
    keys = {
        "tier_by_id": ("tier_id",),
        "assignment_by_id": ("assignment_id",),
        "override_by_id": ("override_id",),
        "summary_of": ("user_id", "period"),
        "assistant_by_id": ("assistant_id",),
        "state_by_id": ("state",),
    }
    ones = {name for name, found in READS.items() if not returns_several(found)}
    assert ones == {*keys, "quota_config", "session_by_id"}
    with clock(NOW.timestamp):
        fill(db, [*few, *OVERRIDES])
        for name, fields in keys.items():
            pattern = PATTERNS[name]
            entity = get_args(pattern.returns)[0]
            own = [record for record in few if type(record) is entity] or OVERRIDES
            for record in own[:25]:
                assert db(pattern(*(getattr(record, field) for field in fields))) == record
            assert (
                db(pattern(*("2030-01" if field == "period" else "none" for field in fields)))
                is None
            )
        assert db(quota_config()) == next(r for r in RECORDS if isinstance(r, QuotaConfig))


def test_active_and_deleted_sessions_are_found_by_id(db: DB) -> None:
    own = [r for r in RECORDS if isinstance(r, Session | DeletedSession) and r.user_id == BUSIEST]
    costs = [r for r in COSTS if r.user_id == BUSIEST]
    assert {type(session) for session in own} == {Session, DeletedSession}
    with clock(NOW.timestamp):
        fill(db, [*own, *costs])
        for session in own[:20]:
            found = db(session_by_id(session.session_id))
            [only] = [*found.active, *found.deleted]
            assert only.model_dump(exclude={"rev"}) == session.model_dump(exclude={"rev"})
        nothing = db(session_by_id("none"))
        assert (nothing.active, nothing.deleted) == ([], [])


def test_a_session_is_found_without_reading_its_costs(memory: DB) -> None:
    session = busiest(COSTS, "session_id")
    fill(memory, [cost for cost in COSTS if cost.session_id == session])

    with memory.budget(reads=0.5) as calls:
        memory(session_by_id(session))
    assert sum(call.items_returned for call in calls) == 0


def test_a_reversed_range_is_empty(memory: DB) -> None:
    assert returned(memory, costs_of_user, (BUSIEST, TIMES[-1], TIMES[0])) == []


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_scans_or_filters_and_every_one_has_a_rate(name: str) -> None:
    found = PATTERNS[name]

    assert found.rate is not None
    for step in pattern_plan(found, DESIGN)["steps"]:
        assert step["operation"] != "Scan"
        assert not step.get("filter")


def test_every_pattern_belongs_to_a_role_and_readers_write_nothing() -> None:
    used = {pattern.name for role in DESIGN.roles for pattern in role.patterns}
    assert used == PATTERNS.keys()
    for role in DESIGN.roles:
        names = [pattern.name for pattern in role.patterns]
        assert len(names) == len(set(names))
        if role.name.endswith("-reader"):
            assert set(names) <= READS.keys()


def test_every_entity_declares_how_many_records_are_expected() -> None:
    assert set(DESIGN.tables) == set(TABLES)
    for kind in DESIGN.kinds:
        assert kind.expected is not None
        assert kind.expected.count


def test_tiers_of_one_name_are_all_listed(memory: DB) -> None:
    tiers = [record for record in RECORDS if isinstance(record, QuotaTier)]
    fill(memory, tiers)

    assert len(memory(PATTERNS["all_tiers"]())) == len(tiers)
    assert len([record for record in RECORDS if isinstance(record, Assignment)]) > len(tiers)


def places(record: Entity) -> dict[str, tuple[Any, ...]]:
    """Return the key of a record in each of its indexes."""
    item = record.create().params()["Item"]
    indexes = type(record).__kind__.table.indexes
    keys = {name: [a.name for a in index.attributes] for name, index in indexes.items()}
    return {
        name: tuple(item[part] for part in parts)
        for name, parts in keys.items()
        if all(part in item for part in parts)
    }


@pytest.mark.parametrize(
    ("entity", "identity"),
    [
        (QuotaTier, "tier_id"),
        (Assignment, "assignment_id"),
        (Override, "override_id"),
        (QuotaEvent, "event_id"),
        (CostRecord, "record_id"),
        (Assistant, "assistant_id"),
    ],
)
def test_records_that_differ_only_in_id_have_two_entries_in_every_index(
    entity: type[Entity], identity: str
) -> None:
    """If they shared a key, their order would be undefined."""
    one = next(record for record in RECORDS if type(record) is entity)
    other = one.model_copy(update={identity: f"{getattr(one, identity)}-2"})

    of_one, of_other = places(one), places(other)

    assert of_one.keys() == of_other.keys() != set[str]()
    assert [name for name, place in of_one.items() if of_other[name] == place] == []


def test_the_index_that_others_may_read_has_a_users_costs_by_time(memory: DB) -> None:
    fill(memory, [cost for cost in COSTS if cost.user_id in USERS and cost.timestamp <= TIMES[20]])
    within = (TIMES[5], TIMES[15])

    query = CostRecord.query(CostRecord.by_user, user_id=BUSIEST).between(timestamp=within)

    assert memory(query.reverse()) == returned(memory, costs_of_user, (BUSIEST, *within))


def first(entity: type[E]) -> E:
    return next(record for record in RECORDS if isinstance(record, entity))


TIERS = [record for record in RECORDS if isinstance(record, QuotaTier)]
SESSION, DELETED, COST = first(Session), first(DeletedSession), first(CostRecord)
READ = SESSION.model_copy(update={"rev": SESSION.rev + 1})
MOVED = SESSION.model_copy(update={"last_message_at": NOW + timedelta(days=1), "rev": 0})
OVERRIDE, EVENT, MARK = first(Override), first(QuotaEvent), first(WarningMark)
OWN, ASSISTANT, STATE = first(Assignment), first(Assistant), first(SignInState)


@pytest.mark.parametrize(
    ("name", "written", "existing"),
    [
        ("add_tier", (TIERS[0],), TIERS[0]),
        ("add_assignment", (OWN,), OWN),
        ("add_override", (OVERRIDE, EVENT), OVERRIDE),
        ("add_override", (OVERRIDE, EVENT), EVENT),
        ("add_event", (EVENT,), EVENT),
        ("warn_once", (EVENT, MARK, NOW), EVENT),
        ("add_session", (SESSION,), SESSION),
        ("move_session", (READ, MOVED), MOVED),
        ("move_to_deleted", (READ, DELETED), DELETED),
        ("add_cost", (COST,), COST),
        ("add_state", (STATE,), STATE),
        ("add_assistant", (ASSISTANT,), ASSISTANT),
    ],
)
def test_a_create_never_replaces_a_record(
    memory: DB, name: str, written: tuple[Any, ...], existing: Entity
) -> None:
    fill(memory, [*TIERS, SESSION, *([] if existing in (*TIERS, SESSION) else [existing])])
    before = [stored_items(memory, table) for table in TABLES]

    with pytest.raises((AlreadyExists, TransactionFailed)):
        memory(PATTERNS[name](*written))

    assert [stored_items(memory, table) for table in TABLES] == before


def test_assignments_and_overrides_of_a_user_share_an_index_partition(memory: DB) -> None:
    """One partition explains why a user has a quota."""
    override = OVERRIDES[0]
    own = Assignment(
        assignment_id="own",
        tier_id="basic",
        assignment_type=AssignmentType.DIRECT_USER,
        subject=f"USER#{override.user_id}",
    )

    of_override, of_own = places(override), places(own)

    assert {name for name, place in of_override.items() if of_own[name][0] == place[0]}
