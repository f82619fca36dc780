"""Assistants: only owners create, rename, activate and archive them."""

from typing import Any

import pytest
from tests.systems.agentcore.conftest import MORNING, Watch

from sortkey import DB, ConditionFailed, Contended
from sortkey_systems.agentcore import assisting
from sortkey_systems.agentcore.assisting import (
    change_status,
    create_assistant,
    delete_assistant,
    find_assistant,
    rename_assistant,
)
from sortkey_systems.agentcore.design.assistants import (
    Assistant,
    AssistantStatus,
    assistant_by_id,
    assistants_of_domain,
    assistants_of_month,
    assistants_of_owner,
    write_status,
)
from sortkey_systems.agentcore.errors import AssistantNotFound, BadInput, WrongStatus

DRAFT, ACTIVE, ARCHIVED = AssistantStatus


def test_an_assistant_begins_as_a_draft_and_is_found_in_every_way(db: DB) -> None:
    made = create_assistant(db, "ann", "Ann@Uni.edu", "Tutor")

    assert made == find_assistant(db, "ann", made.assistant_id)
    assert (made.status, made.owner_email_domain) == (DRAFT, "uni.edu")
    assert list(db(assistants_of_owner("ann", DRAFT))) == [made]
    assert list(db(assistants_of_domain("uni.edu"))) == [made]
    assert list(db(assistants_of_month(MORNING))) == [made]


def test_a_status_moves_the_assistant_in_its_owners_list(db: DB, watch: Watch) -> None:
    made = create_assistant(db, "ann", "ann@uni.edu", "Tutor")
    later = watch.wait(minutes=1)

    active = change_status(db, "ann", made.assistant_id, ACTIVE)

    assert (active.status, active.updated_at, active.created_at) == (ACTIVE, later, MORNING)
    assert list(db(assistants_of_owner("ann", DRAFT))) == []
    assert list(db(assistants_of_owner("ann", ACTIVE))) == [active]
    assert list(db(assistants_of_domain("uni.edu"))) == [active]


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ((ACTIVE,), True),
        ((ARCHIVED,), True),
        ((ACTIVE, ARCHIVED), True),
        ((ARCHIVED, DRAFT), True),
        ((ACTIVE, DRAFT), False),
        ((ARCHIVED, ACTIVE), False),
        ((ACTIVE, ACTIVE), True),
    ],
)
def test_only_allowed_status_changes_are_made(
    memory: DB, path: tuple[AssistantStatus, ...], *, allowed: bool
) -> None:
    made = create_assistant(memory, "ann", "ann@uni.edu", "Tutor")
    for status in path[:-1]:
        change_status(memory, "ann", made.assistant_id, status)

    if allowed:
        assert change_status(memory, "ann", made.assistant_id, path[-1]).status is path[-1]
        return
    with pytest.raises(WrongStatus):
        change_status(memory, "ann", made.assistant_id, path[-1])


def test_an_assistant_is_renamed_and_deleted_by_its_owner(db: DB, watch: Watch) -> None:
    made = create_assistant(db, "ann", "ann@uni.edu", "Tutor")
    later = watch.wait(minutes=1)

    renamed = rename_assistant(db, "ann", made.assistant_id, "Coach")
    assert (renamed.name, renamed.updated_at) == ("Coach", later)

    delete_assistant(db, "ann", made.assistant_id)
    assert db(assistant_by_id(made.assistant_id)) is None
    with pytest.raises(AssistantNotFound):
        delete_assistant(db, "ann", made.assistant_id)


def test_only_its_owner_finds_or_changes_an_assistant(db: DB) -> None:
    made = create_assistant(db, "ann", "ann@uni.edu", "Tutor")

    for refused in (
        lambda: find_assistant(db, "eve", made.assistant_id),
        lambda: change_status(db, "eve", made.assistant_id, ACTIVE),
        lambda: rename_assistant(db, "eve", made.assistant_id, "Mine"),
        lambda: delete_assistant(db, "eve", made.assistant_id),
    ):
        with pytest.raises(AssistantNotFound):
            refused()
    assert find_assistant(db, "ann", made.assistant_id) == made


def test_a_status_change_checks_the_owner_in_its_condition(memory: DB) -> None:
    made = create_assistant(memory, "ann", "ann@uni.edu", "Tutor")

    with pytest.raises(ConditionFailed):
        memory(write_status(made, "eve", ACTIVE, MORNING))
    assert find_assistant(memory, "ann", made.assistant_id) == made


def test_a_missing_assistant_is_neither_found_nor_changed(memory: DB) -> None:
    for refused in (
        lambda: find_assistant(memory, "ann", "none"),
        lambda: change_status(memory, "ann", "none", ACTIVE),
        lambda: rename_assistant(memory, "ann", "none", "Mine"),
    ):
        with pytest.raises(AssistantNotFound):
            refused()
    assert memory(assistant_by_id("none")) is None


def test_five_conflicts_raise_contended(memory: DB, monkeypatch: pytest.MonkeyPatch) -> None:
    made = create_assistant(memory, "ann", "ann@uni.edu", "Tutor")
    seen: list[AssistantStatus] = []

    def late(assistant: Assistant, *arguments: Any) -> Any:
        seen.append(assistant.status)
        other = ACTIVE if assistant.status is DRAFT else DRAFT
        memory(assistant.update().set(lambda a: a.status).to(other))
        return write_status(assistant, *arguments)

    monkeypatch.setattr(assisting, "write_status", late)
    with pytest.raises(Contended):
        change_status(memory, "ann", made.assistant_id, ARCHIVED)

    assert seen == [DRAFT, ACTIVE, DRAFT, ACTIVE, DRAFT]


def test_a_month_includes_assistants_created_in_its_last_moment(db: DB, watch: Watch) -> None:
    watch.now = MORNING.replace(day=31, hour=23, minute=59, second=59, microsecond=999_999)
    last = create_assistant(db, "ann", "ann@uni.edu", "Last")
    watch.wait(microseconds=1)
    first = create_assistant(db, "ann", "ann@uni.edu", "First")

    assert list(db(assistants_of_month(MORNING))) == [last]
    assert list(db(assistants_of_month(watch.now))) == [first]


@pytest.mark.parametrize(
    ("owner", "email", "name", "field"),
    [
        ("a#b", "ann@uni.edu", "Tutor", "owner_id"),
        ("ann", "no address", "Tutor", "owner_email"),
        ("ann", "ann@uni.edu", "", "name"),
    ],
)
def test_an_invalid_assistant_is_rejected(
    memory: DB, owner: str, email: str, name: str, field: str
) -> None:
    with pytest.raises(BadInput) as caught:
        create_assistant(memory, owner, email, name)
    assert caught.value.field == field
