"""Assignments: one for each user and application role, and each counted by its tier."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from tests.systems.agentcore.conftest import assign_tier, define_tiers, stored_tier

from sortkey import DB, Contended, TransactionFailed
from sortkey_systems.agentcore import assigning
from sortkey_systems.agentcore.assigning import adjust, assign, find_assignment, reassign, unassign
from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    AssignmentType,
    assignments_of_domain,
    assignments_of_role,
    assignments_of_tier,
    assignments_of_type,
    assignments_of_user,
    change_assignment,
    move_assignment,
)
from sortkey_systems.agentcore.errors import (
    AlreadyAssigned,
    AssignmentNotFound,
    BadInput,
    TierNotFound,
)

SOLE = pytest.mark.parametrize("kind", [AssignmentType.DIRECT_USER, AssignmentType.APP_ROLE])


def test_an_assignment_is_found_by_its_subject_its_tier_and_its_type(db: DB) -> None:
    define_tiers(db, "basic")

    made = assign_tier(db, "ann", "basic")

    assert db(assignments_of_user("ann")) == [made]
    assert list(db(assignments_of_tier("basic"))) == [made]
    assert list(db(assignments_of_type(AssignmentType.DIRECT_USER))) == [made]
    assert find_assignment(db, made.assignment_id) == made
    assert stored_tier(db, "basic").assignment_count == 1


def test_an_assignment_counts_at_once_and_after_all_that_have_a_priority(memory: DB) -> None:
    define_tiers(memory, "basic")

    made = assign_tier(memory, "ann", "basic")

    assert made.enabled
    with pytest.raises(BadInput):
        adjust(memory, made.assignment_id, priority=made.priority - 1)


@SOLE
def test_a_user_and_an_application_role_have_one_assignment(db: DB, kind: AssignmentType) -> None:
    define_tiers(db, "basic", "staff")
    first = assign(db, kind, "ann", "basic")

    with pytest.raises(AlreadyAssigned):
        assign(db, kind, "ann", "staff")

    assert find_assignment(db, first.assignment_id).tier_id == "basic"
    assert (
        stored_tier(db, "basic").assignment_count,
        stored_tier(db, "staff").assignment_count,
    ) == (1, 0)


def test_a_user_and_an_application_role_of_one_name_are_two(db: DB) -> None:
    define_tiers(db, "basic")

    made = [assign(db, kind, "ann", "basic").assignment_id for kind in list(AssignmentType)[:2]]

    assert len({*made}) == stored_tier(db, "basic").assignment_count == 2


def test_roles_and_domains_have_several_assignments(db: DB) -> None:
    define_tiers(db, "basic", "staff")

    for priority, tier_id in ((200, "basic"), (1000, "staff"), (9, "basic")):
        assign(db, AssignmentType.JWT_ROLE, "Faculty", tier_id, priority=priority)

    found = db(assignments_of_role("Faculty"))
    assert [assignment.priority for assignment in found] == [1000, 200, 9]
    assert stored_tier(db, "basic").assignment_count == 2


def test_a_domain_is_compared_in_lower_case(db: DB) -> None:
    define_tiers(db, "basic")

    made = assign(db, AssignmentType.EMAIL_DOMAIN, "*.Uni.EDU", "basic")

    assert db(assignments_of_domain("*.uni.edu")) == [made]


def test_an_assignment_needs_a_tier(db: DB) -> None:
    with pytest.raises(TierNotFound):
        assign_tier(db, "ann", "basic")
    assert db(assignments_of_user("ann")) == []


@pytest.mark.parametrize(
    ("kind", "who"),
    [
        (AssignmentType.DIRECT_USER, None),
        (AssignmentType.DIRECT_USER, ""),
        (AssignmentType.JWT_ROLE, "a#b"),
        (AssignmentType.APP_ROLE, "a" * 129),
        (AssignmentType.EMAIL_DOMAIN, None),
        (AssignmentType.EMAIL_DOMAIN, "edu"),
        (AssignmentType.EMAIL_DOMAIN, "*.*.edu"),
        (AssignmentType.EMAIL_DOMAIN, "ann@uni.edu"),
        (AssignmentType.DEFAULT_TIER, "ann"),
    ],
)
def test_an_invalid_subject_is_rejected(memory: DB, kind: AssignmentType, who: str | None) -> None:
    define_tiers(memory, "basic")

    with pytest.raises(BadInput) as caught:
        assign(memory, kind, who, "basic")
    assert caught.value.field == "who"
    assert stored_tier(memory, "basic").assignment_count == 0


@pytest.mark.parametrize("priority", [-1, 1_000_000])
def test_a_priority_fits_its_six_digits(memory: DB, priority: int) -> None:
    define_tiers(memory, "basic")
    made = assign_tier(memory, "ann", "basic")

    with pytest.raises(BadInput, match="priority"):
        assign(memory, AssignmentType.JWT_ROLE, "x", "basic", priority=priority)
    with pytest.raises(BadInput, match="priority"):
        adjust(memory, made.assignment_id, priority=priority)


def test_an_assignment_moves_to_another_tier_and_both_count_it(db: DB) -> None:
    define_tiers(db, "basic", "staff")
    made = assign_tier(db, "ann", "basic")

    moved = reassign(db, made.assignment_id, "staff")

    assert moved == find_assignment(db, made.assignment_id)
    assert (
        stored_tier(db, "basic").assignment_count,
        stored_tier(db, "staff").assignment_count,
    ) == (0, 1)
    assert list(db(assignments_of_tier("staff"))) == [moved]
    assert list(db(assignments_of_tier("basic"))) == []


def test_an_assignment_to_the_same_tier_stays(db: DB) -> None:
    define_tiers(db, "basic")
    made = assign_tier(db, "ann", "basic")

    assert reassign(db, made.assignment_id, "basic") == made
    assert stored_tier(db, "basic").assignment_count == 1


def test_an_assignment_does_not_move_to_a_missing_tier(db: DB) -> None:
    define_tiers(db, "basic")
    made = assign_tier(db, "ann", "basic")

    with pytest.raises(TierNotFound):
        reassign(db, made.assignment_id, "missing")
    assert stored_tier(db, "basic").assignment_count == 1


def test_a_priority_moves_the_assignment_in_its_indexes(db: DB) -> None:
    define_tiers(db, "basic")
    low = assign(db, AssignmentType.JWT_ROLE, "Faculty", "basic", priority=9)
    high = assign(db, AssignmentType.JWT_ROLE, "Faculty", "basic", priority=10)

    raised = adjust(db, low.assignment_id, priority=1000)

    assert db(assignments_of_role("Faculty")) == [raised, high]
    assert list(db(assignments_of_type(AssignmentType.JWT_ROLE))) == [raised, high]


def test_omitted_fields_keep_their_values(db: DB) -> None:
    define_tiers(db, "basic")
    made = assign(db, AssignmentType.JWT_ROLE, "Faculty", "basic", priority=9)

    off = adjust(db, made.assignment_id, enabled=False)

    assert (off.priority, off.enabled) == (9, False)
    assert adjust(db, made.assignment_id, priority=7).enabled is False


def test_a_removed_assignment_is_not_counted_and_can_be_made_again(db: DB) -> None:
    define_tiers(db, "basic")
    made = assign_tier(db, "ann", "basic")

    assert unassign(db, made.assignment_id) == made

    assert stored_tier(db, "basic").assignment_count == 0
    assert db(assignments_of_user("ann")) == []
    assert assign_tier(db, "ann", "basic") == made


def test_an_assignment_count_never_goes_below_zero(memory: DB) -> None:
    """A tier with a negative count could not be read."""
    define_tiers(memory, "basic")
    made = assign_tier(memory, "ann", "basic")
    memory(stored_tier(memory, "basic").update().set(lambda t: t.assignment_count).to(0))

    with pytest.raises(TransactionFailed):
        unassign(memory, made.assignment_id)
    assert stored_tier(memory, "basic").assignment_count == 0


def test_a_missing_assignment_cannot_change(db: DB) -> None:
    define_tiers(db, "basic")

    for change in (
        lambda: reassign(db, "none", "basic"),
        lambda: adjust(db, "none", priority=1),
        lambda: unassign(db, "none"),
    ):
        with pytest.raises(AssignmentNotFound):
            change()


def test_the_id_of_a_sole_assignment_is_made_from_its_subject(memory: DB) -> None:
    define_tiers(memory, "basic")

    ids = [
        assign(memory, kind, who, "basic").assignment_id
        for kind, who in (
            (AssignmentType.DIRECT_USER, "ann"),
            (AssignmentType.APP_ROLE, "tutor"),
            (AssignmentType.DEFAULT_TIER, None),
            (AssignmentType.DEFAULT_TIER, None),
        )
    ]

    assert ids[:2] == ["direct_user:ann", "app_role:tutor"]
    assert len({*ids}) == 4
    assert memory(Assignment.scan().count()) == 4


# Conflicts between reading and writing.

Change: TypeAlias = Callable[[DB, str], Assignment]
WRITES: dict[str, Change] = {
    "move_assignment": lambda db, made: reassign(db, made, "staff"),
    "change_assignment": lambda db, made: adjust(db, made, priority=5),
    "remove_assignment": unassign,
}
CHANGES = pytest.mark.parametrize(("write", "change"), WRITES.items(), ids=WRITES)


def overtake(
    monkeypatch: pytest.MonkeyPatch, write: str, meanwhile: Callable[[], object], times: int
) -> list[int]:
    """Call `meanwhile` before the write, this many times; return the calls so far."""
    written = vars(assigning)[write]
    seen: list[int] = []

    def late(*arguments: Any, **more: Any) -> Any:
        if len(seen) < times:
            seen.append(1)
            meanwhile()
        return written(*arguments, **more)

    monkeypatch.setattr(assigning, write, late)
    return seen


def move_and_switch(db: DB, assignment_id: str) -> None:
    """Move the assignment to the other of two tiers, and enable or disable it."""
    found = find_assignment(db, assignment_id)
    db(move_assignment(found, "best" if found.tier_id == "basic" else "basic"))
    db(change_assignment(found, found.priority, enabled=not found.enabled))


@CHANGES
def test_a_conflicting_change_is_retried_on_the_current_assignment(
    memory: DB, monkeypatch: pytest.MonkeyPatch, write: str, change: Change
) -> None:
    define_tiers(memory, "basic", "staff", "best")
    made = assign_tier(memory, "ann", "basic").assignment_id
    overtake(monkeypatch, write, lambda: move_and_switch(memory, made), 1)

    changed = change(memory, made)

    assert not changed.enabled
    assert changed.tier_id == ("staff" if write == "move_assignment" else "best")
    assert changed.priority == (5 if write == "change_assignment" else 0)
    assert stored_tier(memory, "basic").assignment_count == 0


@CHANGES
def test_five_conflicts_raise_contended(
    memory: DB, monkeypatch: pytest.MonkeyPatch, write: str, change: Change
) -> None:
    define_tiers(memory, "basic", "staff", "best")
    made = assign_tier(memory, "ann", "basic").assignment_id
    seen = overtake(monkeypatch, write, lambda: move_and_switch(memory, made), 99)

    with pytest.raises(Contended):
        change(memory, made)

    assert len(seen) == 5
    assert find_assignment(memory, made).tier_id == "best"


@CHANGES
def test_an_assignment_removed_meanwhile_is_not_found(
    memory: DB, monkeypatch: pytest.MonkeyPatch, write: str, change: Change
) -> None:
    define_tiers(memory, "basic", "staff")
    made = assign_tier(memory, "ann", "basic").assignment_id
    deletion = Assignment.delete(assignment_id=made)
    overtake(monkeypatch, write, lambda: memory(deletion), 99)

    with pytest.raises(AssignmentNotFound):
        change(memory, made)
