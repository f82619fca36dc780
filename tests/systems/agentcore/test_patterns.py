"""Every access pattern returns what it means, on generated people, wherever it runs."""

from collections import Counter
from datetime import timedelta
from typing import Any, TypeVar, get_args, get_origin

import pytest
from tests.access.executors import stored_items
from tests.systems.asking import answered, meant

from sortkey import DB, AlreadyExists, Entity, Page, Pattern, TransactionFailed, load_design
from sortkey.access.filling import fill
from sortkey.design.plans import pattern_plan
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
from sortkey_systems.agentcore.generator import NOW, TABLES, records

RECORDS: list[Entity] = [record for group in records(120) for record in group]
COSTS = [record for record in RECORDS if isinstance(record, CostRecord)]
EVENTS = [record for record in RECORDS if isinstance(record, QuotaEvent)]
ASSISTANTS = [record for record in RECORDS if isinstance(record, Assistant)]
OVERRIDES = [record for record in RECORDS if isinstance(record, Override)]


def busiest(found: list[Any], field: str) -> Any:
    """The value that most of the records have."""
    [(value, _)] = Counter(getattr(record, field) for record in found).most_common(1)
    return value


BUSIEST = busiest(COSTS, "user_id")
# With many records, with few, with an id that begins the others', and one that is not there.
USERS = (BUSIEST, "user1", "user11", busiest(EVENTS, "user_id"), "nobody")
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
# The arguments that each pattern is tried with.
GIVEN: dict[str, list[tuple[Any, ...]]] = {
    "all_tiers": [()],
    "default_assignments": [()],
    "assignments_of_tier": [("basic",), ("staff",), ("research",), ("unused",), ("none",)],
    "assignments_of_user": [("user3",), ("user11",), ("user1",), ("nobody",)],
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


def facts(found: list[Entity]) -> list[dict[str, Any]]:
    """The records without their versions, in one order where two may stand in either."""
    every = [record.model_dump(exclude={"rev"}) for record in found]
    fields = sorted(type(found[0]).__kind__.key_fields) if found else []
    return sorted(every, key=lambda record: [str(record[field]) for field in fields])


def test_every_pattern_that_returns_several_records_returns_those_that_it_means(db: DB) -> None:
    with clock(NOW.timestamp):
        fill(db, RECORDS)
        several = [found for found in READS.values() if returns_several(found)]
        for asked in several:
            order: Any = asked.order or type
            sizes: set[int] = set()
            for arguments in GIVEN[asked.name]:
                found, wanted = answered(db, asked, arguments), meant(RECORDS, asked, arguments)
                assert [order(record) for record in found] == [order(record) for record in wanted]
                assert facts(found) == facts(wanted), asked.name
                sizes.add(len(found))
            one_each = {"assignments_of_user", "assignments_of_app_role"}
            assert max(sizes) > (asked.name not in one_each), f"{asked.name} found too few"
    assert {asked.name for asked in several} == GIVEN.keys()


def test_every_pattern_that_returns_one_record_returns_it_and_no_other(db: DB) -> None:
    few = [r for r in RECORDS if getattr(r, "user_id", USERS[0]) in USERS]
    keys = {
        "tier_by_id": ("tier_id",),
        "assignment_by_id": ("assignment_id",),
        "override_by_id": ("override_id",),
        "summary_of": ("user_id", "period"),
        "assistant_by_id": ("assistant_id",),
    }
    ones = {name for name, found in READS.items() if not returns_several(found)}
    assert ones == {*keys, "quota_config", "session_by_id"}
    with clock(NOW.timestamp):
        fill(db, [*few, *OVERRIDES])
        for name, fields in keys.items():
            asked = PATTERNS[name]
            entity = get_args(asked.returns)[0]
            own = [record for record in few if type(record) is entity] or OVERRIDES
            for record in own[:25]:
                assert db(asked(*(getattr(record, field) for field in fields))) == record
            assert (
                db(asked(*("2030-01" if field == "period" else "none" for field in fields))) is None
            )
        assert db(quota_config()) == next(r for r in RECORDS if isinstance(r, QuotaConfig))


def test_a_session_is_found_by_its_id_wherever_it_is(db: DB) -> None:
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


def test_a_range_with_its_ends_turned_round_is_empty(memory: DB) -> None:
    assert answered(memory, costs_of_user, (BUSIEST, TIMES[-1], TIMES[0])) == []


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


def test_every_entity_says_how_many_records_are_expected() -> None:
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
    """Where a record stands in each index that it is in."""
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
def test_two_records_that_differ_in_their_ids_alone_stand_at_two_places_in_every_index(
    entity: type[Entity], identity: str
) -> None:
    """Where they shared one, it would be up to DynamoDB which of them comes first."""
    one = next(record for record in RECORDS if type(record) is entity)
    other = one.model_copy(update={identity: f"{getattr(one, identity)}-2"})

    of_one, of_other = places(one), places(other)

    assert of_one.keys() == of_other.keys() != set[str]()
    assert [name for name, place in of_one.items() if of_other[name] == place] == []


def test_the_index_that_others_may_read_has_a_users_costs_by_time(memory: DB) -> None:
    fill(memory, [cost for cost in COSTS if cost.user_id in USERS and cost.timestamp <= TIMES[20]])
    within = (TIMES[5], TIMES[15])

    query = CostRecord.query(CostRecord.by_user, user_id=BUSIEST).between(timestamp=within)

    assert memory(query.reverse()) == answered(memory, costs_of_user, (BUSIEST, *within))


def first(entity: type[E]) -> E:
    return next(record for record in RECORDS if isinstance(record, entity))


TIERS = [record for record in RECORDS if isinstance(record, QuotaTier)]
SESSION, DELETED, COST = first(Session), first(DeletedSession), first(CostRecord)
READ = SESSION.model_copy(update={"rev": SESSION.rev + 1})
MOVED = SESSION.model_copy(update={"last_message_at": NOW + timedelta(days=1), "rev": 0})
OVERRIDE, EVENT, MARK = first(Override), first(QuotaEvent), first(WarningMark)
OWN, ASSISTANT, STATE = first(Assignment), first(Assistant), first(SignInState)


@pytest.mark.parametrize(
    ("name", "written", "there"),
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
def test_what_is_new_takes_the_place_of_nothing(
    memory: DB, name: str, written: tuple[Any, ...], there: Entity
) -> None:
    fill(memory, [*TIERS, SESSION, *([] if there in (*TIERS, SESSION) else [there])])
    before = [stored_items(memory, table) for table in TABLES]

    with pytest.raises((AlreadyExists, TransactionFailed)):
        memory(PATTERNS[name](*written))

    assert [stored_items(memory, table) for table in TABLES] == before


def test_what_counts_for_a_user_stands_together_in_one_index(memory: DB) -> None:
    """Whoever asks why somebody has a quota reads one partition."""
    override = OVERRIDES[0]
    own = Assignment(
        assignment_id="own",
        tier_id="basic",
        assignment_type=AssignmentType.DIRECT_USER,
        subject=f"USER#{override.user_id}",
    )

    of_override, of_own = places(override), places(own)

    assert {name for name, place in of_override.items() if of_own[name][0] == place[0]}
